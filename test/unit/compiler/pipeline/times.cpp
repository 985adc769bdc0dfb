//===- times.cpp - The compiler plans with what it emits ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes know the time of an instruction before it has addresses and registers.
// It must be what the executor charges for the instruction that is emitted.
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/compile.h"
#include "kiln/compiler/dialect/nc/Cost.h"
#include "kiln/compiler/pipeline/Pipeline.h"
#include "kiln/isa/info.h"
#include "kiln/kernels/library.h"
#include "kiln/machine/data_registers.h"
#include "kiln/record.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <optional>

using namespace kiln;
using namespace kiln::compiler;
using machine::InstructionTimes;

namespace {

struct Timed {
  std::string mnemonic;
  InstructionTimes times;
};
/// By engine. Of control, only what is an operation: the rest is made from
/// loops and indices when streams are emitted.
using Streams = std::array<std::vector<Timed>, isa::numEngines>;

bool isOperation(isa::Opcode opcode) {
  return !isa::info(opcode).isControl || opcode == isa::Opcode::RegisterLoad;
}

Streams emitted(const isa::Module &module, const isa::Target &target) {
  Streams result;
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    const machine::DataRegisters data(module.streams[e]);
    for (const isa::Instruction &instruction : module.streams[e]) {
      const isa::Opcode opcode = isa::opcode(instruction.body);
      if (isOperation(opcode))
        result[e].push_back(
            {std::string(isa::info(opcode).mnemonic),
             machine::timesOf(instruction.body, static_cast<isa::Engine>(e),
                              target, {data.place(instruction.body)})});
    }
  }
  return result;
}

Streams planned(const std::string &ir, const isa::Target &target) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(ir, &context);
  REQUIRE(module);
  CHECK(nc::targetOf(module->getOperation()) == target);
  nc::Costs costs(target);
  Streams result;
  module->walk<mlir::WalkOrder::PreOrder>([&](nc::NcInstruction op) {
    const isa::InstructionInfo &facts = nc::infoOf(op);
    if (!isOperation(facts.opcode))
      return;
    REQUIRE(op.getAssignedEngine());
    result[static_cast<std::size_t>(*op.getAssignedEngine())].push_back(
        {std::string(facts.mnemonic),
         costs.of(nc::built(op), *op.getAssignedEngine())});
  });
  return result;
}

void requireSame(const program::Program &program, const isa::Target &target) {
  CompileOptions options;
  options.target = target;
  options.keepNcIr = true;
  const CompileResult compiled = compile(program, options);
  // trn1 lacks instructions that some kernels use.
  if (target.generation == isa::trn1.generation && !compiled.module &&
      (compiled.diagnostics.front().code == "KILN-I001" ||
       compiled.diagnostics.front().code == "KILN-I068"))
    return;
  if (!compiled.module)
    FAIL(compiled.diagnostics.front().code
         << ": " << compiled.diagnostics.front().text);
  const Streams want = emitted(*compiled.module, target);
  const Streams have = planned(compiled.ncIr, target);
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    REQUIRE(have[e].size() == want[e].size());
    for (std::size_t i = 0; i < want[e].size(); ++i) {
      INFO("instruction " << i << " of " << isa::name(isa::Engine(e)) << ", "
                          << want[e][i].mnemonic);
      REQUIRE(have[e][i].mnemonic == want[e][i].mnemonic);
      REQUIRE(have[e][i].times == want[e][i].times);
    }
  }
}

} // namespace

TEST_CASE("passes plan with the times of what is emitted") {
  for (const KernelEntry *kernel : kernels::library())
    for (isa::Target target : {isa::trn1, isa::trn2, isa::trn3})
      for (const bool changed : {false, true}) {
        if (changed) {
          target.vector_ghz *= 2;
          target.dma_descriptor_ns = 25;
        }
        INFO(kernel->name << " on " << target.name.view());
        std::optional<program::Program> program;
        try {
          program = kernel->record({}, {0, 1, target.generation});
        } catch (const RecordError &error) {
          // It refuses trn1 itself.
          if (error.code != "KILN-A017" ||
              target.generation != isa::trn1.generation)
            throw;
          continue;
        }
        requireSame(*program, target);
      }
}

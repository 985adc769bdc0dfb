//===- InfoTest.cpp - Names, numbers and tables of records ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "catch.h"
#include "kiln/isa/checks.h"

#include <set>

using namespace kiln::isa;
using namespace kiln::isa::test;

TEST_CASE("operators parse as they print") {
  for (const auto &entry : EnumTraits<AluOp>::entries) {
    CHECK(parse<AluOp>(name(entry.value)) == entry.value);
    CHECK(fromValue<AluOp>(static_cast<unsigned>(entry.value)) == entry.value);
  }
  CHECK_FALSE(parse<AluOp>("divide"));
  CHECK_FALSE(fromValue<AluOp>(0));
  CHECK(name(ActivationFunction::gelu_apprx_tanh) == "gelu_apprx_tanh");
}

TEST_CASE("numbers of the binary format never move") {
  CHECK(static_cast<int>(Opcode::NcMatmul) == 1);
  CHECK(static_cast<int>(Opcode::DmaCopy) == 16);
  CHECK(static_cast<int>(Opcode::TensorTensor) == 32);
  CHECK(static_cast<int>(Opcode::RegisterMove) == 64);
  CHECK(static_cast<int>(Opcode::LoopBegin) == 80);
  CHECK(static_cast<int>(Opcode::While) == 82);
  CHECK(static_cast<int>(Opcode::EndIf) == 85);
  CHECK(static_cast<int>(Opcode::Semaphore) == 96);
  CHECK(static_cast<int>(AluOp::rsqrt) == 16);
  CHECK(static_cast<int>(ActivationFunction::abs) == 15);
}

TEST_CASE("every record has a body, a mnemonic and an example") {
  for (const InstructionInfo &entry : instructionTable) {
    INFO(entry.mnemonic);
    CHECK(opcode(makeBody(entry.opcode)) == entry.opcode);
    CHECK(parseOpcode(entry.mnemonic) == entry.opcode);
    CHECK(mnemonic(entry.opcode) == entry.mnemonic);
    CHECK(opcodeFromValue(static_cast<unsigned>(entry.opcode)) == entry.opcode);
    CHECK(&info(entry.opcode) == &entry);
    CHECK_FALSE(entry.example.empty());
    CHECK(entry.allows(entry.defaultEngine));
    std::size_t operands = 0;
    std::visit(
        [&](const auto &body) {
          forEachOperand(body, [&](std::string_view name, const auto &) {
            CHECK(entry.operands[operands++].name == name);
          });
        },
        makeBody(entry.opcode));
    CHECK(operands == entry.operands.size());
  }
  CHECK_FALSE(parseOpcode("nc_conv"));
  CHECK_FALSE(opcodeFromValue(0));
}

TEST_CASE("the example of the manual is itself and passes the checks") {
  Module module = emptyModule();
  for (const InstructionInfo &entry : instructionTable) {
    INFO(entry.example);
    Instruction instruction = line(std::string(entry.example), module);
    CHECK(printInstruction(instruction, module) == entry.example);
    const std::vector<std::uint8_t> bytes = encoded(instruction);
    std::span<const std::uint8_t> rest = bytes;
    Expected<Instruction> decoded = decode(rest);
    REQUIRE(decoded);
    CHECK(*decoded == instruction);
    CHECK(rest.empty());
    std::optional<Diagnostic> error =
        check(instruction, entry.defaultEngine, module,
              target(std::max(entry.since, Generation::v3)));
    INFO((error ? error->text : ""));
    CHECK_FALSE(error);
  }
}

TEST_CASE("accesses come in operand order with their effects") {
  Module module = emptyModule();
  std::vector<OperandAccess> accesses;
  Instruction matmul =
      line(std::string(info(Opcode::NcMatmul).example), module);
  collectAccesses(matmul.body, accesses);
  REQUIRE(accesses.size() == 3);
  CHECK(accesses[0].name == "dst");
  CHECK(accesses[0].effect == Effect::readWrite); // the example accumulates
  CHECK(accesses[1].name == "stationary");
  CHECK(accesses[1].effect == Effect::read);
  CHECK(accesses[2].access == &std::get<NcMatmul>(matmul.body).moving);

  std::get<NcMatmul>(matmul.body).accumulate = false;
  accesses.clear();
  collectAccesses(matmul.body, accesses);
  CHECK(accesses[0].effect == Effect::write);

  accesses.clear();
  collectAccesses(
      line(std::string(info(Opcode::Activation).example), module).body,
      accesses);
  std::vector<std::string_view> names;
  for (const OperandAccess &access : accesses)
    names.push_back(access.name);
  CHECK(names ==
        std::vector<std::string_view>{"dst", "data", "bias", "reduce_res"});

  accesses.clear();
  collectAccesses(LoopBegin{}, accesses);
  CHECK(accesses.empty());
}

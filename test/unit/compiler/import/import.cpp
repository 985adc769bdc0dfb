//===- import.cpp - Import, and the front half on recorded kernels --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/compiler/convert/Import.h"
#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Instructions.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"
#include "kiln/program_text.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <fstream>
#include <sstream>

using namespace kiln;
using namespace kiln::compiler;

namespace {

struct Fixture {
  mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry made;
    registerImportDialects(made);
    return made;
  }();
  mlir::MLIRContext context{registry, mlir::MLIRContext::Threading::DISABLED};
  std::string messages;
  mlir::ScopedDiagnosticHandler handler{&context,
                                        [this](mlir::Diagnostic &diagnostic) {
                                          messages += diagnostic.str() + "\n";
                                          return mlir::success();
                                        }};

  program::Program parse(const std::string &text) {
    program::ParseResult result = program::parseProgram(text);
    INFO(result.error.text << " at line " << result.error.line);
    REQUIRE(result);
    return *result.program;
  }
  mlir::LogicalResult lower(mlir::ModuleOp module, const std::string &target) {
    module->setAttr(nc::targetAttrName,
                    nc::TargetAttr::get(&context, *isa::findTarget(target)));
    mlir::PassManager manager(&context);
    auto &nested = manager.nest<mlir::func::FuncOp>();
    nested.addPass(tile::createTileLegalize());
    nested.addPass(tile::createTileOrient());
    nested.addPass(tile::createTileFuse());
    nested.addPass(tile::createTileHoist());
    nested.addPass(tile::createTileToNc());
    return manager.run(module);
  }
};

std::string readFile(const std::string &path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

const char *instructionProgram = R"(kiln.program 1
kernel "copy"
flops 0
argument input %0 : tensor f32 hbm [128, 64] "x"
argument output %1 : tensor f32 hbm [128, 64] "y"
body {
  %2 : buffer f32 sbuf [128, 64] "t" = declare()
  instruction(%2, %0) mnemonic="dma_copy", operands="dst,src"
  %3 : tile f32 sbuf [128, 64] "" = load(%0)
  instruction(%2, %3) mnemonic="activation", op="exp", operands="dst,data", scale=2.0
  instruction(%1, OPERAND) mnemonic="MNEMONIC", operands="dst,src"
}
)";

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

} // namespace

TEST_CASE("instruction-level calls become nc operations on views") {
  Fixture f;
  std::string text = replaced(instructionProgram, "OPERAND", "%2");
  auto module =
      importProgram(f.parse(replaced(text, "MNEMONIC", "dma_copy")), f.context);
  INFO(f.messages);
  REQUIRE(module);
  unsigned copies = 0;
  module->walk([&](nc::DmaCopyOp) { ++copies; });
  CHECK(copies == 2);
  module->walk([&](nc::ActivationOp op) {
    CHECK(op.getOp() == isa::ActivationFunction::exp);
    REQUIRE(op.getScaleValue().has_value());
    const auto scale =
        mlir::dyn_cast<mlir::FloatAttr>(op.getScaleValue().value());
    REQUIRE(scale);
    CHECK(scale.getValueAsDouble() == 2.0);
  });
  REQUIRE(mlir::succeeded(f.lower(*module, "trn2")));
  module->walk([&](tile::DeclareOp) { FAIL("a declare is left"); });
}

TEST_CASE("an unknown mnemonic is one clear error") {
  Fixture f;
  std::string text = replaced(instructionProgram, "OPERAND", "%2");
  CHECK_FALSE(importProgram(f.parse(replaced(text, "MNEMONIC", "dma_kopy")),
                            f.context));
  CHECK(f.messages == "KILN-P110: no instruction is called 'dma_kopy'\n");
}

TEST_CASE("missing operands are named") {
  Fixture f;
  std::string text = replaced(instructionProgram, "OPERAND", "%2");
  text = replaced(replaced(text, "MNEMONIC", "dma_copy"),
                  "(%1, %2) mnemonic=\"dma_copy\", operands=\"dst,src\"",
                  "(%1) mnemonic=\"dma_copy\", operands=\"dst\"");
  CHECK_FALSE(importProgram(f.parse(text), f.context));
  CHECK(f.messages == "KILN-P111: 'dma_copy' needs operand 'src'\n");
}

TEST_CASE("recorded kernels reach instructions on every target") {
  for (const char *name :
       {"flash_causal", "flash_ragged_causal", "flash_small", "matmul_256",
        "matmul_ragged", "qkv_bias", "rmsnorm_256x512", "softmax_200x5000",
        "softmax_256x512"})
    for (const char *target : {"trn1", "trn2", "trn3"}) {
      Fixture f;
      auto module = importProgram(
          f.parse(readFile(std::string(KILN_PROGRAMS) + "/" + name + ".kprog")),
          f.context);
      INFO(name << " on " << target << ": " << f.messages);
      REQUIRE(module);
      bool lowered = mlir::succeeded(f.lower(*module, target));
      INFO(f.messages);
      CHECK(lowered);
      module->walk([&](mlir::Operation *op) {
        CHECK(op->getName().getDialectNamespace() != "tile");
      });
    }
}

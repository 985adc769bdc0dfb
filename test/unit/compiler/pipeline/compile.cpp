//===- compile.cpp - Tests of compile() -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"

#include "catch.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"
#include "kiln/isa/described.h"
#include "kiln/isa/target.h"
#include "kiln/program_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kiln;
using namespace kiln::compiler;

namespace {

/// y = exp(x) by tiles of 64 x 64; the inner loop's end depends on the outer.
constexpr const char *nested = R"(kiln.program 1
kernel "copy"
parameter "rows" = "256"
flops 12
tokens 5
argument input %0 : tensor f32 hbm [256, 64] "x"
argument output %1 : tensor f32 hbm [256, 64] "y"
#0 = 0
#1 = 2
#2 = %2
#3 = 1
#4 = #2 + #3
#5 = 3
#6 = min #4, #5
#7 = #2 * 8192
#8 = %3
#9 = #8 * 64
#10 = #7 + #9
!0 = "copy.cpp":5 ""
!1 = "copy.cpp":6 "rows"
!2 = "copy.cpp":7 "rows/columns"
body {
  %2 : loop i32 sbuf [] "" = loop() begin=#0, end=#1, name="rows", step=1 !0 {
    %3 : loop i32 sbuf [] "" = loop() begin=#0, end=#6, name="columns", step=1 !1 {
      %4 : tile f32 sbuf [64, 64] "" = load(%0[#10 : 64*64, 64*1]) !2
      %5 : tile f32 sbuf [64, 64] "" = unary(%4) op="exp" !2
      store(%1[#10 : 64*64, 64*1], %5) !2
    }
  }
}
)";

program::Program nestedProgram() {
  auto parsed = program::parseProgram(nested);
  REQUIRE(parsed);
  return *parsed.program;
}

std::size_t count(const isa::Module &module, isa::Engine engine,
                  isa::Opcode opcode) {
  const auto &stream = module.streams[static_cast<std::size_t>(engine)];
  return static_cast<std::size_t>(
      std::count_if(stream.begin(), stream.end(), [&](const auto &entry) {
        return isa::opcode(entry.body) == opcode;
      }));
}

} // namespace

TEST_CASE("loops stay loops in every stream that takes part") {
  CompileResult result = compile(nestedProgram());
  for (const isa::Diagnostic &diagnostic : result.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(result.ok());
  const isa::Module &module = *result.module;
  for (isa::Engine engine :
       {isa::Engine::sync, isa::Engine::scalar, isa::Engine::gpsimd}) {
    CHECK(count(module, engine, isa::Opcode::LoopBegin) == 2);
    CHECK(count(module, engine, isa::Opcode::LoopEnd) == 2);
  }
  CHECK(count(module, isa::Engine::tensor, isa::Opcode::LoopBegin) == 0);
  CHECK(count(module, isa::Engine::scalar, isa::Opcode::Activation) == 1);
  CHECK_FALSE(isa::checkModule(module));
}

TEST_CASE("names, places and facts reach the module") {
  CompileResult result = compile(nestedProgram());
  REQUIRE(result.ok());
  const isa::Module &module = *result.module;
  CHECK(module.kernel == "copy");
  REQUIRE(module.tensors.size() >= 2);
  CHECK(module.tensors[0].name == "x");
  CHECK(module.tensors[1].kind == isa::TensorKind::output);
  CHECK(module.facts.at("param.rows") == "256");
  CHECK(module.facts.at("model_flops") == "12");
  CHECK(module.facts.at("model_tokens") == "5");
  CHECK_FALSE(isa::hasParts(module));
  CHECK(isa::deviationOf(module, "x") == 1);
  program::Program described = nestedProgram();
  described.hasParts = true;
  described.arguments[0].deviation = 0.015625;
  const isa::Module told = *compile(described).module;
  CHECK(isa::hasParts(told));
  CHECK(isa::deviationOf(told, "x") == 0.015625);
  CHECK(isa::deviationOf(told, "y") == 1);
  program::Program undeclared = nestedProgram();
  undeclared.flops = 0;
  CHECK_FALSE(compile(undeclared).module->facts.contains("model_flops"));
  CHECK(std::stoll(module.facts.at("sbuf_peak_bytes")) >= 2 * 64 * 4);
  bool found = false;
  for (const isa::SourceLocation &place : module.locations)
    found |= place.file == "copy.cpp" && place.line == 7 &&
             place.scopes == "rows/columns";
  CHECK(found);
}

TEST_CASE("compilation is deterministic, and its assembly reads back") {
  CompileResult first = compile(nestedProgram());
  CompileResult second = compile(nestedProgram());
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(*first.module == *second.module);
  CHECK(isa::printAssembly(*first.module) ==
        isa::printAssembly(*second.module));
}

TEST_CASE("every target compiles") {
  for (const char *target : {"trn1", "trn2", "trn3"}) {
    CompileOptions options;
    options.target = *isa::findTarget(target);
    CompileResult result = compile(nestedProgram(), options);
    REQUIRE(result.ok());
    CHECK(result.module->generation == isa::findTarget(target)->generation);
  }
}

TEST_CASE("wrong options are the user's fault and say what is allowed") {
  CompileOptions options;
  options.stopAfter = "nc-paint";
  CompileResult result = compile(nestedProgram(), options);
  CHECK(result.fault == Fault::user);
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].code == "KILN-C002");
}

TEST_CASE("stopping behind a pass gives the IR and no module") {
  CompileOptions options;
  options.stopAfter = "nc-allocate:1";
  CompileResult result = compile(nestedProgram(), options);
  REQUIRE(result.ok());
  CHECK_FALSE(result.module);
  CHECK(result.stoppedIr.find("slot_bytes") != std::string::npos);
  CHECK(result.stoppedIr.find("nc.waits") == std::string::npos);
}

TEST_CASE("a dump directory gets one numbered file per pass") {
  std::filesystem::path directory =
      std::filesystem::temp_directory_path() / "kiln-dump-test";
  std::filesystem::remove_all(directory);
  CompileOptions options;
  options.dumpDir = directory.string();
  options.keepNcIr = options.keepTileIr = true;
  CompileResult result = compile(nestedProgram(), options);
  REQUIRE(result.ok());
  CHECK(std::filesystem::exists(directory / "00-import.mlir"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto &entry :
       std::filesystem::directory_iterator(directory))
    ++files;
  CHECK(std::filesystem::exists(directory / "remarks.txt"));
  CHECK(files == passNames().size() + 2); // And what was imported.
  CHECK(result.tileIr.find("tile.") != std::string::npos);
  CHECK(result.ncIr.find("nc.signals") != std::string::npos);
  std::filesystem::remove_all(directory);
}

TEST_CASE("a dump directory that cannot be made is the user's fault") {
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / "kiln-dump-file";
  std::ofstream(file) << "in the way";
  CompileOptions options;
  options.dumpDir = (file / "below").string();
  CompileResult result = compile(nestedProgram(), options);
  CHECK(result.fault == Fault::user);
  CHECK_FALSE(result.module);
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].code == "KILN-C003");
  std::filesystem::remove(file);
}

TEST_CASE("an internal error names itself and leaves what replays it") {
  std::filesystem::path directory =
      std::filesystem::temp_directory_path() / "kiln-crash-test";
  std::filesystem::remove_all(directory);
  CompileOptions options;
  options.failIn = "nc-order";
  options.reproducerDir = directory.string();
  CompileResult result = compile(nestedProgram(), options);
  CHECK(result.fault == Fault::internal);
  CHECK_FALSE(result.module);
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].code == "KILN-C900");
  REQUIRE(result.reproducer == (directory / "kiln-crash-copy.mlir").string());
  std::stringstream text;
  text << std::ifstream(result.reproducer).rdbuf();
  CHECK(text.str().find("stage 'nc-order', target trn2") != std::string::npos);
  CHECK(text.str().find("pipeline: \"builtin.module(func.func(nc-order") !=
        std::string::npos);
  // In front of the failing pass: engines are chosen, addresses are not.
  CHECK(text.str().find("engine = #nc.engine<scalar>") != std::string::npos);
  CHECK(text.str().find("slot_bytes") == std::string::npos);
  CHECK(std::filesystem::exists(directory / "kiln-crash-copy.program"));
  std::filesystem::remove_all(directory);
}

TEST_CASE("no reproducer is left without a directory, and none for users") {
  CompileOptions options;
  options.failIn = "nc-order";
  CompileResult result = compile(nestedProgram(), options);
  CHECK(result.fault == Fault::internal);
  CHECK(result.reproducer.empty());
}

namespace {

/// One instruction on two buffers of 128 partitions.
CompileResult compileInstruction(const std::string &columns,
                                 const std::string &instruction,
                                 const std::string &rows = "128") {
  auto parsed = program::parseProgram(R"(kiln.program 1
kernel "one"
flops 0
argument output %0 : tensor f32 hbm [128, 32] "y"
#0 = 0
!0 = "mine.cpp":7 ""
body {
  %1 : buffer f32 sbuf [128, 32] "a" = declare() !0
  %2 : buffer f32 sbuf [)" + rows + R"(, 32] "b" = declare() !0
  instruction(%1[#0 : 128*1, 32*1]) mnemonic="memset", operands="dst", value=0.0 !0
  instruction(%2[#0 : 128*1, )" + columns +
                                      "*1], %1[#0 : 128*1, 32*1]) " +
                                      instruction + R"( !0
  instruction(%0[#0 : 128*32, 32*1], %2[#0 : 128*1, 32*1]) mnemonic="dma_copy", operands="dst,src" !0
}
)");
  INFO(parsed.error.text << " at line " << parsed.error.line);
  REQUIRE(parsed);
  return compile(*parsed.program);
}

} // namespace

TEST_CASE("an instruction that breaks a rule is its writer's fault") {
  const std::string copy = "mnemonic=\"tensor_copy\", operands=\"dst,src\"";
  CompileResult good = compileInstruction("32", copy);
  for (const isa::Diagnostic &diagnostic : good.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(good.ok());

  CompileResult narrow = compileInstruction("31", copy);
  CHECK(narrow.fault == Fault::user);
  REQUIRE_FALSE(narrow.diagnostics.empty());
  CHECK(narrow.diagnostics[0].code.starts_with("KILN-I"));
  CHECK(narrow.diagnostics[0].file == "mine.cpp");
  CHECK(narrow.diagnostics[0].line == 7);

  CompileResult engine = compileInstruction("32", copy + ", engine=\"tensor\"");
  CHECK(engine.fault == Fault::user);
  CHECK(engine.diagnostics[0].code.starts_with("KILN-I"));

  CompileResult name = compileInstruction("32", copy + ", engine=\"cuda\"");
  CHECK(name.fault == Fault::user);
  CHECK(name.diagnostics[0].code == "KILN-P120");

  // Instructions see 128 partitions, whatever a tile may hold.
  CompileResult tall = compileInstruction("32", copy, "256");
  CHECK(tall.fault == Fault::user);
  CHECK(tall.diagnostics[0].code == "KILN-P120");
  CHECK(tall.diagnostics[0].text.find("1 to 128 partitions") !=
        std::string::npos);
}

TEST_CASE("streams too long to be proved are the user's fault") {
  CompileOptions options;
  for (options.proofLimit = 1; options.proofLimit < 1000;
       options.proofLimit *= 2) {
    const CompileResult result = compile(nestedProgram(), options);
    if (result.ok())
      break;
    CHECK(result.fault == Fault::user);
    CHECK_FALSE(result.module);
    REQUIRE_FALSE(result.diagnostics.empty());
    CHECK(result.diagnostics[0].code == "KILN-C175");
    CHECK(result.diagnostics[0].text.find("loop()") != std::string::npos);
  }
  // A few iterations of two loops.
  CHECK(options.proofLimit > 8);
  CHECK(options.proofLimit < 1000);
}

namespace {

/// Rows of 2048 bytes, of which one iteration needs two and 8 bytes.
CompileResult softmaxIn(std::int64_t begin, std::int64_t end,
                        const std::string &schedule = "") {
  const std::string text = R"(kiln.program 1
kernel "softmax"
flops 0
memory_scope sbuf "rows" )" +
                           std::to_string(begin) + " " + std::to_string(end) +
                           R"(
argument input %0 : tensor f32 hbm [4096, 512] "x"
argument output %1 : tensor f32 hbm [4096, 512] "y"
#0 = 0
#1 = 32
#2 = %2
#3 = #2 * 65536
body {
  %2 : loop i32 sbuf [] "" = loop() begin=#0, end=#1, name="rows", step=1 {
    %3 : tile f32 sbuf [128, 512] "" = load(%0[#3 : 128*512, 512*1]) within=0
    %4 : tile f32 sbuf [128, 1] "" = reduce(%3) op="maximum", within=0
    %5 : tile f32 sbuf [128, 512] "" = binary(%3, %4) op="subtract", within=0
    %6 : tile f32 sbuf [128, 512] "" = unary(%5) op="exp", within=0
    %7 : tile f32 sbuf [128, 1] "" = reduce(%6) op="add", within=0
    %8 : tile f32 sbuf [128, 512] "" = binary(%6, %7) op="divide", within=0
    store(%1[#3 : 128*512, 512*1], %8) within=0
  }
}
)";
  auto parsed = program::parseProgram(text);
  REQUIRE(parsed);
  CompileOptions options;
  options.keepRemarks = options.keepDecisions = true;
  options.schedule = schedule;
  return compile(*parsed.program, options);
}

bool isPipelined(const CompileResult &result) {
  return std::any_of(
      result.remarks.begin(), result.remarks.end(),
      [](const CompileRemark &remark) { return remark.name == "Pipelined"; });
}

} // namespace

TEST_CASE("iterations in a memory scope overlap as far as it has room") {
  const CompileResult wide = softmaxIn(0, 65536), narrow = softmaxIn(0, 32768);
  REQUIRE(wide.ok());
  CHECK(isPipelined(wide));
  REQUIRE(narrow.ok());
  CHECK(isPipelined(narrow));
  REQUIRE(softmaxIn(0, 16384).ok());
  // At an address that is not aligned, one iteration after the other.
  const CompileResult least = softmaxIn(4, 4 + 2 * 2048 + 8);
  REQUIRE(least.ok());
  CHECK_FALSE(isPipelined(least));
  // Its own schedule, too.
  const CompileResult again =
      softmaxIn(4, 4 + 2 * 2048 + 8, schedule::print(least.decisions));
  REQUIRE(again.ok());
  CHECK(isa::writeKbin(*again.module) == isa::writeKbin(*least.module));
}

TEST_CASE("KILN-C116 says what one iteration needs") {
  const CompileResult result = softmaxIn(0, 2 * 2048 + 7);
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics.front().code == "KILN-C116");
  const std::string &told = result.diagnostics.front().text;
  INFO(told);
  CHECK(told.find("need 4104 bytes") != std::string::npos);
}

//===- bench.cpp - A kernel around some calls, compiled and run -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/info.h"
#include "kiln/isa/target.h"
#include "kiln/program_check.h"
#include "kiln/program_text.h"
#include "kiln/sim/executor.h"
#include "meaning.h"

namespace kiln::test {
namespace {

bool uses(const std::vector<program::Op> &ops, const std::string &mnemonic) {
  for (const program::Op &op : ops) {
    if (op.mnemonic() == mnemonic || uses(op.body, mnemonic))
      return true;
  }
  return false;
}

compiler::CompileResult compiled(const program::Program &program,
                                 const isa::Target &target) {
  compiler::CompileOptions options;
  options.target = target;
  return compiler::compile(program, options);
}

} // namespace

std::vector<Values> execute(const program::Program &program,
                            const isa::Target &target,
                            const std::vector<Values> &inputs) {
  const std::string test = Catch::getResultCapture().getCurrentTestName();
  if (test.starts_with("nc::"))
    REQUIRE(uses(program.body, test.substr(4)));
  const std::string text = program::printProgram(program, {.locations = false});
  INFO(std::string_view(target.name) << "\n" << text);
  REQUIRE(!program::checkProgram(program));
  // What is not in the text cannot come back from it.
  const program::ParseResult parsed =
      program::parseProgram(program::printProgram(program));
  REQUIRE(parsed);
  CHECK(*parsed.program == program);

  const compiler::CompileResult result = compiled(program, target);
  for (const auto &diagnostic : result.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(result.module);

  std::vector<sim::TensorData> data;
  std::vector<isa::DType> outputs;
  interpret::Inputs numbers;
  std::size_t next = 0;
  for (const program::Argument &argument : program.arguments) {
    const program::Value &value = program.values[argument.value];
    if (argument.kind != program::ArgumentKind::input)
      outputs.push_back(value.dtype);
    if (argument.kind == program::ArgumentKind::output)
      continue;
    REQUIRE(next < inputs.size());
    data.push_back(
        {value.name, tool::encodeValues(inputs[next++], value.dtype)});
    numbers[value.name] = tool::decodeValues(data.back().bytes, value.dtype);
  }
  const sim::Result run = sim::run(*result.module, target, data, {});
  if (run.fault)
    UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
  REQUIRE(!run.fault);
  // A loop whose first step is made ahead may make no trip, and a test of order
  // stores twice: results in vain (KILN-X061) are no fault here.
  for (const sim::Fault &remark : run.remarks)
    if (remark.code != "KILN-X061")
      FAIL_CHECK(remark.code << " " << remark.text);
  std::vector<Values> values;
  NamedOutputs named;
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    values.push_back(tool::decodeValues(run.outputs[i].bytes, outputs.at(i)));
    named[run.outputs[i].name] = values.back();
  }
  checkMeaning(std::span(&program, 1), target.generation,
               std::span(&numbers, 1), std::span(&named, 1));
  return values;
}

std::string compileError(const program::Program &program,
                         const std::string &target) {
  const compiler::CompileResult result =
      compiled(program, *isa::findTarget(target));
  return result.diagnostics.empty() ? "none" : result.diagnostics[0].str();
}

Values someValues(std::size_t count, isa::DType dtype, std::uint64_t seed) {
  Random random(seed);
  Values values(count);
  for (double &value : values) {
    if (isa::isFloat(dtype)) {
      value = rounded(random.normal(), dtype);
      continue;
    }
    const tool::IntegerRange range = tool::rangeOf(dtype);
    const auto low =
        static_cast<double>(std::max<std::int64_t>(range.low, -100));
    const auto high =
        static_cast<double>(std::min<std::int64_t>(range.high, 100));
    value = std::floor(low + random.uniform() * (high - low + 1));
  }
  return values;
}

void checkSame(const Values &found, const Values &wanted) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool nan = std::isnan(found[i]) && std::isnan(wanted[i]);
    if (!nan && found[i] != wanted[i]) {
      FAIL_CHECK("element " << i << " is " << found[i] << ", expected "
                            << wanted[i]);
      return;
    }
  }
  SUCCEED();
}

void checkNear(const Values &found, const Values &wanted, double tolerance) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - wanted[i]);
    if (!(error <= tolerance * std::max(1.0, std::abs(wanted[i])))) {
      FAIL_CHECK("element " << i << " is " << found[i] << ", expected "
                            << wanted[i]);
      return;
    }
  }
  SUCCEED();
}

std::set<std::string> &covered() {
  static std::set<std::string> mnemonics;
  return mnemonics;
}

/// What stands for the instructions of the sequencer in the language.
static const std::map<std::string, std::string> controlForms{
    {"register_move", "nc::register_move"},
    {"register_alu", "arithmetic of Index, nc::register_add"},
    {"register_wrap", "ring<N>: the compiler advances its pointers"},
    {"register_load", "nc::register_load"},
    {"register_store", "nc::register_store"},
    {"rank_id", "nc::rank_id"},
    {"collective_permute_implicit_current_processing_rank_id", "the same"},
    {"loop", "loop()"},
    {"end_loop", "loop()"},
    {"while", "while_loop()"},
    {"if", "when(): a loop of one trip or none"},
    {"else", "when()"},
    {"end_if", "when()"},
    {"semaphore", "nc::semaphore, .wait(), .signal()"}};

TEST_CASE("every record has a call in the language and a test of it") {
  for (const isa::InstructionInfo &entry : isa::instructionTable) {
    const std::string mnemonic(entry.mnemonic);
    INFO(mnemonic);
    CHECK((entry.isControl ? controlForms.contains(mnemonic)
                           : covered().contains(mnemonic)));
  }
  // And nothing else is claimed.
  for (const std::string &mnemonic : covered())
    CHECK(isa::parseOpcode(mnemonic));
}

} // namespace kiln::test

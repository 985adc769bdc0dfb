//===- ranks.cpp - Runs a call on several ranks and cores -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ranks.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"
#include "kiln/program_check.h"
#include "kiln/program_text.h"
#include "kiln/sim/launch.h"
#include "meaning.h"

namespace kiln::test {

Ranks executeRanks(const std::vector<program::Program> &cores,
                   const Ranks &inputs) {
  std::vector<isa::Module> modules;
  for (const program::Program &program : cores) {
    INFO(program::printProgram(program, {.locations = false}));
    REQUIRE(!program::checkProgram(program));
    const auto parsed = program::parseProgram(program::printProgram(program));
    REQUIRE(parsed);
    CHECK(*parsed.program == program);
    const compiler::CompileResult result = compiler::compile(program, {});
    for (const auto &diagnostic : result.diagnostics)
      UNSCOPED_INFO(diagnostic.str());
    REQUIRE(result.module);
    modules.push_back(*result.module);
  }
  INFO(isa::printAssembly(modules));
  CHECK(!isa::checkMeetings(modules));
  // As it would be in a file.
  const auto read = isa::readKbinCores(isa::writeKbin(modules));
  REQUIRE(read);
  CHECK(*read == modules);

  std::vector<std::vector<sim::TensorData>> data(inputs.size());
  std::vector<isa::DType> outputs;
  std::vector<interpret::Inputs> numbers(inputs.size());
  for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
    std::size_t next = 0;
    for (const program::Argument &argument : cores[0].arguments) {
      const program::Value &value = cores[0].values[argument.value];
      if (rank == 0 && argument.kind != program::ArgumentKind::input)
        outputs.push_back(value.dtype);
      if (argument.kind == program::ArgumentKind::output)
        continue;
      REQUIRE(next < inputs[rank].size());
      data[rank].push_back(
          {value.name, tool::encodeValues(inputs[rank][next++], value.dtype)});
      numbers[rank][value.name] =
          tool::decodeValues(data[rank].back().bytes, value.dtype);
    }
  }
  sim::Launch launch;
  launch.modules = modules;
  launch.ranks = static_cast<unsigned>(inputs.size());
  for (const std::vector<sim::TensorData> &own : data)
    launch.inputsOfRank.push_back(own);
  const sim::LaunchResult run = sim::runLaunch(launch, isa::trn2, {});
  if (run.fault)
    UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
  REQUIRE(!run.fault);
  Ranks values(inputs.size());
  std::vector<NamedOutputs> named(inputs.size());
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    for (std::size_t i = 0; i < run.outputs[rank].size(); ++i) {
      values[rank].push_back(
          tool::decodeValues(run.outputs[rank][i].bytes, outputs.at(i)));
      named[rank][run.outputs[rank][i].name] = values[rank].back();
    }
  checkMeaning(cores, isa::trn2.generation, numbers, named);
  return values;
}

} // namespace kiln::test

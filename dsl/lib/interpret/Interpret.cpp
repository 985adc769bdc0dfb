//===- Interpret.cpp - Programs on inputs --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"

#include "kiln/program_check.h"

#include <utility>

namespace kiln::interpret {

namespace {

/// Memory that the cores of a rank share, by name.
using Shared = std::map<std::string, std::shared_ptr<Storage>>;

/// Gives a core the arguments and shared scratch of its rank.
void bindTensors(Machine &machine, Shared &shared, const Inputs &inputs) {
  const Program &program = machine.program;
  const auto bind = [&](Id id) {
    const program::Value &value = program.values[id];
    std::shared_ptr<Storage> &memory = shared[value.name];
    if (!memory)
      memory = std::make_shared<Storage>(value.dtype, value.shape, false);
    machine.bind(id, memory);
    return memory;
  };
  for (const program::Argument &argument : program.arguments) {
    const std::shared_ptr<Storage> memory = bind(argument.value);
    if (argument.kind == program::ArgumentKind::output)
      continue;
    const std::string &name = program.values[argument.value].name;
    const auto found = inputs.find(name);
    if (found == inputs.end() || found->second.size() != memory->numbers.size())
      return machine.fail(Fault::invalid,
                          "input '" + name + "' is not given, or not with " +
                              std::to_string(memory->numbers.size()) +
                              " numbers");
    for (std::size_t i = 0; i < memory->numbers.size(); ++i)
      memory->numbers[i] = exactly(found->second[i]);
  }
  for (Id id = 0; id < program.values.size(); ++id)
    if (program.values[id].shared)
      bind(id);
}

Outputs outputsOf(const Program &program, const Shared &shared) {
  Outputs outputs;
  for (const program::Argument &argument : program.arguments) {
    if (argument.kind == program::ArgumentKind::input)
      continue;
    const std::string &name = program.values[argument.value].name;
    const auto found = shared.find(name);
    if (found == shared.end()) // It failed before it began.
      continue;
    const Storage &memory = *found->second;
    Tensor tensor{memory.dtype, memory.shape, memory.numbers};
    for (Number &number : tensor.elements)
      if (isUnwritten(number))
        number = unknown();
    outputs[name] = std::move(tensor);
  }
  return outputs;
}

} // namespace

Result interpret(std::span<const Program> cores, std::span<const Inputs> ranks,
                 const Options &options) {
  Result result;
  for (const Program &program : cores)
    if (const auto error = program::checkProgram(program)) {
      result.fault =
          Fault{Fault::invalid, error->code + ": " + error->text, {}};
      return result;
    }
  Machines machines;
  std::vector<Shared> shared(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const Program &program : cores) {
      machines.push_back(std::make_unique<Machine>(program, options));
      machines.back()->rank = static_cast<std::uint32_t>(rank);
      machines.back()->ranks = static_cast<std::uint32_t>(ranks.size());
      bindTensors(*machines.back(), shared[rank], ranks[rank]);
    }
  runTogether(machines, cores.size());
  for (const std::unique_ptr<Machine> &machine : machines) {
    result.coverage.add(machine->coverage);
    if (result.unwrittenReads == 0)
      result.firstUnwrittenRead = machine->firstUnwrittenRead;
    result.unwrittenReads += machine->unwrittenReads;
    if (machine->fault && !result.fault)
      result.fault = machine->fault;
  }
  for (const Shared &tensors : shared)
    result.ranks.push_back(outputsOf(cores.front(), tensors));
  return result;
}

Result interpret(const Program &program, const Inputs &inputs,
                 const Options &options) {
  return interpret(std::span(&program, 1), std::span(&inputs, 1), options);
}

} // namespace kiln::interpret

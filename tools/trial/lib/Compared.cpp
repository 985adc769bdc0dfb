//===- Compared.cpp - What the interpreter says -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compared.h"

#include "kiln/interpret.h"
#include "kiln/tool/float_format.h"

#include <sstream>

namespace kiln::trial {
namespace {

std::string place(const program::Location &where) {
  return where.file.empty() ? ""
                            : where.file + ":" + std::to_string(where.line) +
                                  " " + where.scopes + ": ";
}

} // namespace

Outcome compareWithMeaning(std::span<const program::Program> cores,
                           const std::vector<sim::TensorData> &inputs,
                           const std::vector<sim::TensorData> &outputs,
                           const isa::Target &target) {
  Outcome result;
  const program::Program &first = cores.front();
  interpret::Inputs values;
  for (const sim::TensorData &input : inputs)
    for (const program::Argument &argument : first.arguments)
      if (first.values[argument.value].name == input.name)
        values[input.name] =
            tool::decodeValues(input.bytes, first.values[argument.value].dtype);
  interpret::Options options;
  options.generation = target.generation;
  const interpret::Result meaning =
      interpret::interpret(cores, {&values, 1}, options);
  if (meaning.fault) {
    const bool open = meaning.fault->kind != interpret::Fault::invalid;
    result.kind = open ? Class::undecided : Class::meaningless;
    // Counts what the interpreter does not support.
    result.code = meaning.fault->kind == interpret::Fault::unsupported
                      ? meaning.fault->text.substr(0, 60)
                      : std::to_string(meaning.fault->kind);
    result.text =
        place(meaning.fault->where) + isa::MarkedText(meaning.fault->text).text;
    return result;
  }
  if (meaning.unwrittenReads > 0) {
    result.kind = Class::meaningless;
    result.code = "unwritten";
    result.text =
        place(meaning.firstUnwrittenRead) + "reads what nothing has written";
    return result;
  }
  for (const sim::TensorData &output : outputs) {
    const interpret::Tensor &wanted = meaning.ranks.front().at(output.name);
    const std::vector<double> found =
        tool::decodeValues(output.bytes, wanted.dtype);
    const interpret::Agreement agreement = interpret::agreement(wanted, found);
    result.elements += agreement.elements;
    result.compared += agreement.elements - agreement.unknown;
    if (agreement.holds() || result.kind == Class::wrongValue)
      continue;
    const std::size_t at = agreement.place;
    const interpret::Number &number = wanted.elements[at];
    std::ostringstream text;
    text.precision(9);
    text << "output '" << output.name << "' element " << at << " is "
         << found[at] << "; its meaning is " << number.value << " +- "
         << number.bound << "; " << agreement.outside << " of "
         << agreement.elements << " are wrong";
    result.kind = Class::wrongValue;
    result.code = output.name;
    result.text = text.str();
  }
  return result;
}

} // namespace kiln::trial

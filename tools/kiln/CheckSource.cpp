//===- CheckSource.cpp - Results against the meaning of the source -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSource.h"

#include "Compiler.h"
#include "Crash.h"
#include "Messages.h"
#include "Progress.h"

#include "kiln/interpret.h"
#include "kiln/tool/float_format.h"
#include "kiln/tool/npy.h"

#include <algorithm>
#include <cstdio>

namespace kiln::tool {
namespace {

/// "[3, 17]" for an element's number; of packed types with the value's.
std::string placeText(std::size_t index, const interpret::Tensor &tensor) {
  const unsigned values = isa::info(tensor.dtype).values;
  std::vector<std::int64_t> at(tensor.shape.size());
  std::size_t element = index / values;
  for (std::size_t i = at.size(); i-- > 0;) {
    at[i] = static_cast<std::int64_t>(element) % tensor.shape[i];
    element /= static_cast<std::size_t>(tensor.shape[i]);
  }
  std::string text = formatShape(at);
  if (values > 1)
    text += " value " + std::to_string(index % values);
  return text;
}

std::string numberText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string difference(const std::string &name,
                       const interpret::Tensor &expected,
                       const std::vector<double> &found,
                       const interpret::Agreement &agreement) {
  const std::size_t at = agreement.place;
  const interpret::Number &number = expected.elements[at];
  return "output '" + name + "' " + std::string(isa::name(expected.dtype)) +
         formatShape(expected.shape) + " at " + placeText(at, expected) +
         " is " + numberText(found[at]) + "; the source gives " +
         numberText(number.value) + " within " + numberText(number.bound) +
         "; " + std::to_string(agreement.outside) + " of " +
         std::to_string(agreement.elements) +
         " elements are outside their bounds";
}

const char *reasonOf(interpret::Fault::Kind kind) {
  switch (kind) {
  case interpret::Fault::undecided:
    return "it branches on a number that rounding may change: ";
  case interpret::Fault::limit:
    return "it is too long to interpret: ";
  case interpret::Fault::unsupported:
    return "the interpreter does not know all of it: ";
  case interpret::Fault::invalid:
    break;
  }
  return "it has no meaning: ";
}

void throwMeaningFault(const std::string &kernel,
                       const interpret::Fault &fault) {
  std::string text = "the source of '" + kernel +
                     "' cannot be checked: " + reasonOf(fault.kind) +
                     fault.text;
  if (!fault.where.file.empty())
    text +=
        " (" + fault.where.file + ":" + std::to_string(fault.where.line) + ")";
  isa::Diagnostic error = isa::makeError("KILN-T045", std::move(text));
  error.file = fault.where.file;
  error.line = fault.where.line;
  throw Failure(std::move(error));
}

/// The party at fault.
std::string blameText(const ModuleInput &input) {
  const std::string kiln =
      "Kiln is at fault, its compiler or its model of rounding: please report "
      "the kernel and this command line";
  return input.compileMs ? kiln
                         : "the binary was changed by hand or made by another "
                           "version of the kernel; else " +
                               kiln;
}

/// A comparison of no elements passes, but shows nothing.
void warnNothingChecked(const std::string &kernel,
                        const interpret::Agreement &all) {
  isa::Diagnostic warning = isa::makeError(
      "KILN-W120", "nothing of '" + kernel + "' was checked: none of the " +
                       std::to_string(all.elements) +
                       " elements of its outputs has a bound");
  warning.severity = isa::Severity::warning;
  tell({&warning, 1},
       "kiln: warning: " + warning.text + " [" + warning.code + "]\n");
}

interpret::Result interpretSource(const ModuleInput &input,
                                  const RankTensors &inputs,
                                  std::size_t ranks) {
  std::vector<program::Program> programs;
  const auto cores = static_cast<std::uint32_t>(input.cores.size());
  for (std::uint32_t core = 0; core < cores; ++core)
    programs.push_back(recordKernel(*input.kernel, input.values,
                                    {core, cores, input.target.generation}));
  std::vector<interpret::Inputs> numbers(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const isa::Tensor *tensor : tensorsOf(input, isInput)) {
      numbers[rank][tensor->name] = interpret::decode(
          tensor->dtype, std::as_bytes(*inputs.find(rank, tensor->name)));
    }
  interpret::Options options;
  options.generation = input.target.generation;
  enterPhase("interpreting '" + input.module().kernel + "'");
  Progress progress("interpreting the source");
  return interpret::interpret(programs, numbers, options);
}

} // namespace

void requireSource(const ModuleInput &input) {
  if (!input.kernel)
    throw Failure("KILN-T045", "the source of '" + input.module().kernel +
                                   "' cannot be checked: a binary does not "
                                   "hold it; give the kernel's file");
}

void checkSource(const ModuleInput &input, const RankTensors &inputs,
                 const std::vector<std::vector<sim::TensorData>> &outputs) {
  const std::string &kernel = input.module().kernel;
  const interpret::Result meaning =
      interpretSource(input, inputs, outputs.size());
  if (meaning.fault)
    throwMeaningFault(kernel, *meaning.fault);

  interpret::Agreement all;
  std::string wrong;
  for (std::size_t rank = 0; rank < outputs.size(); ++rank)
    for (const sim::TensorData &output : outputs[rank]) {
      const interpret::Tensor &expected = meaning.ranks[rank].at(output.name);
      const std::vector<double> found = interpret::decode(
          expected.dtype, std::as_bytes(std::span(output.bytes)));
      const interpret::Agreement one = interpret::agreement(expected, found);
      const std::string name = outputs.size() == 1
                                   ? output.name
                                   : output.name + "@" + std::to_string(rank);
      if (!one.holds())
        wrong += (wrong.empty() ? "" : "\n  ") +
                 difference(name, expected, found, one);
      all.elements += one.elements;
      all.outside += one.outside;
      all.unknown += one.unknown;
      all.largestPart = std::max(all.largestPart, one.largestPart);
    }
  if (!wrong.empty())
    throw Failure("KILN-T044",
                  "'" + kernel + "' does not compute what its source means: " +
                      wrong + "\n  " + blameText(input));
  std::printf("against the meaning of the source: %llu elements within their "
              "bounds, at most %.0f %% of one used",
              static_cast<unsigned long long>(all.elements - all.unknown),
              100 * all.largestPart);
  if (all.unknown > 0)
    std::printf("; %llu more have no bound",
                static_cast<unsigned long long>(all.unknown));
  if (meaning.unwrittenReads > 0)
    std::printf("; %llu elements are read before they are written",
                static_cast<unsigned long long>(meaning.unwrittenReads));
  std::printf("\n");
  std::fflush(stdout);
  if (all.elements > 0 && all.unknown == all.elements)
    warnNothingChecked(kernel, all);
}

} // namespace kiln::tool

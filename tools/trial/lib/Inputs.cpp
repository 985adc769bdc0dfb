//===- Inputs.cpp - Values for the tensors of a trial -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "kiln/tool/float_format.h"
#include "kiln/tool/random_data.h"

namespace kiln::trial {
namespace {

bool wantsWholeNumbers(const program::Program &program) {
  for (const program::Parameter &parameter : program.parameters)
    if (parameter.name == "inputs")
      return parameter.value == "whole";
  return false;
}

/// From -8 to 8, out of the bytes of a tensor of u8.
std::vector<std::uint8_t> wholeNumbers(std::uint64_t seed,
                                       const std::string &name,
                                       isa::DType dtype, std::uint64_t count) {
  const std::vector<std::uint8_t> bytes =
      tool::randomTensor(seed, name, isa::DType::u8, count);
  std::vector<double> values;
  for (const std::uint8_t byte : bytes)
    values.push_back(static_cast<double>(byte % 17) - 8);
  return tool::encodeValues(values, dtype);
}

} // namespace

std::vector<sim::TensorData> inputsFor(const program::Program &program,
                                       std::uint64_t seed) {
  const bool whole = wantsWholeNumbers(program);
  std::vector<sim::TensorData> inputs;
  for (const program::Argument &argument : program.arguments) {
    if (argument.kind == program::ArgumentKind::output)
      continue;
    const program::Value &value = program.values[argument.value];
    std::uint64_t count = 1;
    for (const std::int64_t extent : value.shape)
      count *= static_cast<std::uint64_t>(extent);
    const bool small = whole && isa::isFloat(value.dtype) &&
                       !isa::isPacked(value.dtype) &&
                       value.dtype != isa::DType::f8e8m0;
    inputs.push_back(
        {value.name,
         small ? wholeNumbers(seed, value.name, value.dtype, count)
               : tool::randomTensor(seed, value.name, value.dtype, count)});
  }
  return inputs;
}

} // namespace kiln::trial

//===- KernelTensors.h - What a kernel and its reference start from -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_KERNELS_KERNELTENSORS_H
#define KILN_TEST_KERNELS_KERNELTENSORS_H

#include "kiln/isa/dtype.h"
#include "kiln/kernels/reference.h"
#include "kiln/program.h"
#include "kiln/sim/executor.h"
#include "kiln/tool/float_format.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::test {

/// The tensors of one rank.
struct KernelTensors {
  std::vector<sim::TensorData> inputs;
  kernels::ReferenceTensors expected; ///< Inputs as the kernel sees them.
  std::map<std::string, isa::DType> types;
};

/// `valuesOf(value, count)` gives the numbers of an input, rounded here to its
/// type. The values of a packed element count separately.
template <class ValuesOf>
KernelTensors tensorsOf(const program::Program &program, ValuesOf valuesOf) {
  KernelTensors result;
  for (const program::Argument &argument : program.arguments) {
    const program::Value &value = program.values[argument.value];
    result.types[value.name] = value.dtype;
    std::size_t count =
        8 * isa::sizeInBytes(value.dtype) / tool::bitsOfValue(value.dtype);
    for (const std::int64_t extent : value.shape)
      count *= static_cast<std::size_t>(extent);
    kernels::ReferenceTensor &tensor = result.expected[value.name];
    tensor = {value.shape, std::vector<double>(count)};
    if (argument.kind == program::ArgumentKind::output)
      continue;
    const auto bytes = tool::encodeValues(valuesOf(value, count), value.dtype);
    tensor.values = tool::decodeValues(bytes, value.dtype);
    result.inputs.push_back({value.name, bytes});
  }
  return result;
}

} // namespace kiln::test

#endif // KILN_TEST_KERNELS_KERNELTENSORS_H

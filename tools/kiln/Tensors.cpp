//===- Tensors.cpp - Tensors between files and the executor -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "kiln/tool/npy.h"
#include "kiln/tool/random_data.h"

namespace kiln::tool {
namespace {

/// Every name must be a tensor that `takes` accepts.
void checkNames(const isa::Module &module, const std::vector<KeyValue> &pairs,
                bool (*takes)(const isa::Tensor &), const std::string &option,
                const std::string &plural) {
  std::vector<std::string> names;
  std::string all;
  for (const isa::Tensor &tensor : module.tensors)
    if (takes(tensor)) {
      names.push_back(tensor.name);
      all += (all.empty() ? "" : ", ") + tensor.name;
    }
  for (const KeyValue &pair : pairs) {
    const isa::Tensor *tensor = findTensor(module, pair.first);
    if (!tensor || !takes(*tensor))
      throw Failure("KILN-T024", "'" + option + " " + pair.first +
                                     "=...': kernel '" + module.kernel +
                                     "' has " + plural + " " + all +
                                     suggestion(pair.first, names));
  }
}

} // namespace

bool isInput(const isa::Tensor &tensor) {
  return tensor.kind == isa::TensorKind::input ||
         tensor.kind == isa::TensorKind::inout;
}

bool isOutput(const isa::Tensor &tensor) {
  return tensor.kind == isa::TensorKind::output ||
         tensor.kind == isa::TensorKind::inout;
}

const isa::Tensor *findTensor(const isa::Module &module,
                              const std::string &name) {
  for (const isa::Tensor &tensor : module.tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

void checkOutputNames(const isa::Module &module,
                      const std::vector<KeyValue> &out) {
  checkNames(module, out, isOutput, "--out", "outputs");
}

std::vector<sim::TensorData> gatherInputs(const isa::Module &module,
                                          const std::vector<KeyValue> &in,
                                          std::optional<std::uint64_t> seed) {
  checkNames(module, in, isInput, "--in", "inputs");
  std::vector<sim::TensorData> inputs;
  for (const isa::Tensor &tensor : module.tensors) {
    if (!isInput(tensor))
      continue;
    const std::string *file = nullptr;
    for (const KeyValue &pair : in)
      if (pair.first == tensor.name)
        file = &pair.second;
    if (file)
      inputs.push_back(
          {tensor.name, toTensorBytes(readNpy(*file), tensor.name, tensor.dtype,
                                      tensor.shape, *file)});
    else if (seed)
      inputs.push_back(
          {tensor.name,
           randomTensor(*seed, tensor.name, tensor.dtype, tensor.elements())});
    else
      throw Failure("KILN-T025", "no values for input '" + tensor.name +
                                     "'; give '--in " + tensor.name +
                                     "=FILE.npy' or '--random-seed N'");
  }
  return inputs;
}

void saveOutputs(const isa::Module &module,
                 const std::vector<sim::TensorData> &outputs,
                 const std::vector<KeyValue> &out) {
  for (const KeyValue &pair : out)
    for (const sim::TensorData &output : outputs)
      if (output.name == pair.first) {
        const isa::Tensor &tensor = *findTensor(module, output.name);
        writeNpy(pair.second,
                 fromTensorBytes(output.bytes, tensor.dtype, tensor.shape));
      }
}

} // namespace kiln::tool

//===- Tensors.h - Tensors between files and the executor ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_TENSORS_H
#define KILN_TOOLS_KILN_TENSORS_H

#include "kiln/isa/module.h"
#include "kiln/sim/executor.h"
#include "kiln/tool/command_line.h"

#include <optional>

namespace kiln::tool {

bool isInput(const isa::Tensor &tensor);
bool isOutput(const isa::Tensor &tensor);

/// Names of --out must be outputs: told before anything runs.
void checkOutputNames(const isa::Module &module,
                      const std::vector<KeyValue> &out);

/// Values for every input, from --in files, else from the seed.
std::vector<sim::TensorData> gatherInputs(const isa::Module &module,
                                          const std::vector<KeyValue> &in,
                                          std::optional<std::uint64_t> seed);

/// Writes the --out files.
void saveOutputs(const isa::Module &module,
                 const std::vector<sim::TensorData> &outputs,
                 const std::vector<KeyValue> &out);

const isa::Tensor *findTensor(const isa::Module &module,
                              const std::string &name);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_TENSORS_H

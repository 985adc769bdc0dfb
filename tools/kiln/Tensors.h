//===- Tensors.h - The tensors of the command line ------------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_TENSORS_H
#define KILN_TOOLS_KILN_TENSORS_H

#include "ModuleInput.h"

#include "kiln/sim/launch.h"
#include "kiln/tool/command_line.h"

#include <optional>
#include <span>
#include <vector>

namespace kiln::tool {

/// The caller gives its values: an input or inout tensor.
bool isInput(const isa::Tensor &tensor);
/// The kernel writes it for the caller: an output or inout tensor.
bool isOutput(const isa::Tensor &tensor);

/// The tensors of a launch's ranks. Those that all ranks read are there once.
struct RankTensors {
  RankTensors() = default;
  RankTensors(RankTensors &&) = default; // Not copied: views refer to it.
  RankTensors &operator=(RankTensors &&) = default;

  std::vector<sim::TensorData> common;
  std::vector<std::vector<sim::TensorData>> own; ///< By rank.
  /// Random numbers, and the part of them that each rank sees.
  std::vector<std::vector<std::uint8_t>> random;
  std::vector<std::vector<sim::TensorView>> views; ///< By rank.

  /// The launch that reads them; they must outlive it.
  sim::Launch launch(const ModuleInput &input) const;
  /// What one rank reads, if it is given.
  std::optional<std::span<const std::uint8_t>>
  find(std::size_t rank, const std::string &name) const;
};

/// Every NAME or NAME@RANK of `--out` must be an output of the kernel.
void checkOutputNames(const ModuleInput &input,
                      const std::vector<KeyValue> &out, unsigned ranks);

/// Values for all inputs: from the files of `--in`, for all ranks or one, and
/// the others at random if there is a seed. Throws a Failure for unknown names
/// and missing values.
RankTensors gatherInputs(const ModuleInput &input,
                         const std::vector<KeyValue> &in,
                         std::optional<std::uint64_t> seed, unsigned ranks);

/// Writes the outputs that `out` names; those of all ranks one after the other
/// unless it names one.
void saveOutputs(const ModuleInput &input,
                 const std::vector<std::vector<sim::TensorData>> &outputs,
                 const std::vector<KeyValue> &out);

/// The tensor of that name, of any core, or null.
const isa::Tensor *findTensor(const ModuleInput &input,
                              const std::string &name);

/// All tensors of a kind that the cores have, each once.
std::vector<const isa::Tensor *> tensorsOf(const ModuleInput &input,
                                           bool (*takes)(const isa::Tensor &));

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_TENSORS_H

//===- Tensors.cpp - The tensors of the command line ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "kiln/isa/described.h"
#include "kiln/tool/npy.h"
#include "kiln/tool/random_data.h"
#include "kiln/tool/safetensors.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace kiln::tool {
namespace {

/// NAME=FILE or NAME@RANK=FILE.
struct RankedName {
  std::string name;
  std::optional<unsigned> rank;
};

RankedName parseName(const std::string &text, const std::string &option,
                     unsigned ranks) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos)
    return {text, std::nullopt};
  unsigned rank = 0;
  const char *const first = text.data() + at + 1;
  const char *const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, rank);
  if (error != std::errc{} || end != last || rank >= ranks)
    throw Failure("KILN-T026",
                  "'" + option + " " + text + "=...': no rank '<|" +
                      text.substr(at + 1) + "|>'; the launch has [|" +
                      std::to_string(ranks) + "|], counted from 0" +
                      (ranks == 1 ? " (see --ranks)" : ""));
  return {text.substr(0, at), rank};
}

void checkNames(const ModuleInput &input, const std::vector<KeyValue> &pairs,
                bool (*takes)(const isa::Tensor &), const std::string &option,
                const std::string &plural, unsigned ranks) {
  std::vector<std::string> names;
  for (const isa::Tensor *tensor : tensorsOf(input, takes))
    names.push_back(tensor->name);
  for (const KeyValue &pair : pairs) {
    const std::string name = parseName(pair.first, option, ranks).name;
    const isa::Tensor *tensor = findTensor(input, name);
    if (!tensor || !takes(*tensor))
      throw Failure(
          "KILN-T024",
          absl::StrCat("'", option, " ", pair.first, "=...': kernel '",
                       input.module().kernel, "' has ", plural, " ",
                       absl::StrJoin(names, ", "), suggestion(name, names)));
  }
}

sim::TensorData readTensor(const isa::Tensor &tensor, const std::string &file) {
  if (const TensorPlace place = parsePlace(file); place.isSafetensors)
    return {tensor.name, readSafetensor(place.file, place.name, tensor.name,
                                        tensor.dtype, tensor.shape)};
  return {tensor.name, toTensorBytes(readNpy(file), tensor.name, tensor.dtype,
                                     tensor.shape, file)};
}

/// Elements between the starts of two ranks in the same sequence of numbers:
/// whole cache lines of every type, and not a multiple of a power of two that
/// rows may have.
constexpr std::uint64_t rankStep = 64 * 67;

/// Ranks get different values; the first one gets those of a launch of one
/// rank. They are parts of one sequence that overlap, so many ranks take little
/// more memory and time than one.
void addRandom(RankTensors &result, const isa::Tensor &tensor,
               std::uint64_t seed, double deviation,
               const std::vector<bool> &given) {
  const std::uint64_t ranks = given.size();
  const std::uint64_t bytes = isa::sizeInBytes(tensor.dtype);
  result.random.push_back(
      randomTensor(seed, tensor.name, tensor.dtype,
                   tensor.elements() + (ranks - 1) * rankStep, deviation));
  const std::span<const std::uint8_t> all = result.random.back();
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    if (!given[rank])
      result.views[rank].push_back(
          {tensor.name,
           all.subspan(rank * rankStep * bytes, tensor.elements() * bytes)});
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

std::vector<const isa::Tensor *> tensorsOf(const ModuleInput &input,
                                           bool (*takes)(const isa::Tensor &)) {
  std::vector<const isa::Tensor *> result;
  for (const isa::Module &core : input.cores)
    for (const isa::Tensor &tensor : core.tensors)
      if (takes(tensor) && findTensor(input, tensor.name) == &tensor)
        result.push_back(&tensor);
  return result;
}

const isa::Tensor *findTensor(const ModuleInput &input,
                              const std::string &name) {
  // Scratch of one core does not hide what the cores share.
  const isa::Tensor *scratch = nullptr;
  for (const isa::Module &core : input.cores)
    for (const isa::Tensor &tensor : core.tensors)
      if (tensor.name == name) {
        if (isInput(tensor) || isOutput(tensor))
          return &tensor;
        scratch = scratch ? scratch : &tensor;
      }
  return scratch;
}

sim::Launch RankTensors::launch(const ModuleInput &input) const {
  sim::Launch launch{
      input.cores, static_cast<unsigned>(own.size()), common, {}};
  launch.inputsOfRank.assign(own.begin(), own.end());
  launch.viewsOfRank.assign(views.begin(), views.end());
  return launch;
}

std::optional<std::span<const std::uint8_t>>
RankTensors::find(std::size_t rank, const std::string &name) const {
  if (rank < views.size())
    for (const sim::TensorView &view : views[rank])
      if (view.name == name)
        return view.bytes;
  for (const std::vector<sim::TensorData> *list : {&own[rank], &common})
    for (const sim::TensorData &data : *list)
      if (data.name == name)
        return data.bytes;
  return std::nullopt;
}

void checkOutputNames(const ModuleInput &input,
                      const std::vector<KeyValue> &out, unsigned ranks) {
  checkNames(input, out, isOutput, "--out", "outputs", ranks);
}

RankTensors gatherInputs(const ModuleInput &input,
                         const std::vector<KeyValue> &in,
                         std::optional<std::uint64_t> seed, unsigned ranks) {
  checkNames(input, in, isInput, "--in", "inputs", ranks);
  RankTensors result;
  result.own.resize(ranks);
  result.views.resize(ranks);
  for (const isa::Tensor *tensor : tensorsOf(input, isInput)) {
    bool forAll = false;
    std::vector<bool> given(ranks);
    for (const KeyValue &pair : in) {
      const RankedName name = parseName(pair.first, "--in", ranks);
      if (name.name != tensor->name)
        continue;
      sim::TensorData values = readTensor(*tensor, pair.second);
      if (name.rank) {
        given[*name.rank] = true;
        result.own[*name.rank].push_back(std::move(values));
      } else {
        forAll = true;
        result.common.push_back(std::move(values));
      }
    }
    const auto missing = std::find(given.begin(), given.end(), false);
    if (forAll || missing == given.end())
      continue;
    if (!seed)
      throw Failure("KILN-T025",
                    "no values for input '" + tensor->name +
                        (ranks > 1 ? "' of rank " +
                                         std::to_string(missing - given.begin())
                                   : std::string("'")) +
                        "; give '--in " + tensor->name +
                        "=FILE.npy' or '--random-seed N'");
    addRandom(result, *tensor, *seed,
              isa::deviationOf(input.module(), tensor->name), given);
  }
  return result;
}

void saveOutputs(const ModuleInput &input,
                 const std::vector<std::vector<sim::TensorData>> &outputs,
                 const std::vector<KeyValue> &out) {
  const auto ranks = static_cast<unsigned>(outputs.size());
  std::map<std::string, std::vector<NamedTensor>> collected; // By file.
  for (const KeyValue &pair : out) {
    const RankedName name = parseName(pair.first, "--out", ranks);
    const isa::Tensor &tensor = *findTensor(input, name.name);
    std::vector<std::uint8_t> bytes;
    for (unsigned rank = 0; rank < ranks; ++rank)
      for (const sim::TensorData &output : outputs[rank])
        if (output.name == name.name && (!name.rank || *name.rank == rank))
          bytes.insert(bytes.end(), output.bytes.begin(), output.bytes.end());
    std::vector<std::int64_t> shape = tensor.shape;
    if (!name.rank && ranks > 1)
      shape.insert(shape.begin(), ranks);
    const TensorPlace place = parsePlace(pair.second);
    if (place.isSafetensors)
      collected[place.file].push_back(
          {place.name.empty() ? pair.first : place.name, tensor.dtype,
           std::move(shape), std::move(bytes)});
    else
      writeNpy(pair.second, fromTensorBytes(bytes, tensor.dtype, shape));
  }
  for (auto &[file, tensors] : collected)
    writeSafetensors(file, std::move(tensors));
}

} // namespace kiln::tool

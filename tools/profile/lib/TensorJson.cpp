//===- TensorJson.cpp - The tensors of a run as JSON ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorJson.h"
#include "CoreJson.h"

#include "kiln/isa/tensor_kind_names.h"

#include <algorithm>
#include <map>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

struct Use {
  std::uint64_t read = 0, written = 0, loads = 0, stores = 0;
  double workNs = 0; ///< Of all DMA engines together.
  std::map<std::uint64_t, std::uint64_t> sizes; ///< Transfers by bytes.
  std::vector<std::size_t> instructions;
};

std::vector<Use> usesOf(const Binary &binary) {
  std::vector<Use> uses(binary.module.tensors.size());
  for (std::size_t i = 0; i < binary.all.size(); ++i) {
    const Executed &one = binary.all[i];
    if (!one.transfer)
      continue;
    for (const isa::OperandAccess &entry : one.accesses) {
      const isa::Access &access = *entry.access;
      if (access.space != isa::Space::hbm || access.tensor >= uses.size())
        continue;
      Use &use = uses[access.tensor];
      const std::uint64_t bytes =
          access.totalElements() * sizeInBytes(access.dtype);
      const bool reads = entry.effect == isa::Effect::read;
      (reads ? use.read : use.written) += one.sums.runs * bytes;
      (reads ? use.loads : use.stores) += one.sums.runs;
      for (const sim::Picoseconds work : one.transfer->work)
        use.workNs += static_cast<double>(one.sums.runs) *
                      static_cast<double>(work) / 1000;
      use.sizes[bytes] += one.sums.runs;
      use.instructions.push_back(i);
    }
  }
  return uses;
}

/// What a transfer carries: the role of the tensor that it writes, or else
/// reads, in HBM.
std::string_view dataOf(const Executed &transfer,
                        const std::vector<isa::Tensor> &tensors) {
  std::string_view data = "on chip";
  for (const isa::OperandAccess &entry : transfer.accesses) {
    const isa::Access &access = *entry.access;
    if (access.space != isa::Space::hbm || access.tensor >= tensors.size())
      continue;
    data = isa::name(tensors[access.tensor].kind);
    if (entry.effect != isa::Effect::read)
      break;
  }
  return data;
}

/// Time that each DMA engine works, in two divisions. What is not for a
/// transfer of the binary is `other`.
json engineJson(const Binary &binary, const isa::Target &target,
                const sim::Timing &timing) {
  struct Work {
    std::map<std::string_view, double> byData, byDescriptors;
  };
  std::vector<Work> engines(machine::dmaEngines(target));
  std::vector<sim::Picoseconds> other(timing.dmaWork.begin(),
                                      timing.dmaWork.begin() +
                                          static_cast<long>(engines.size()));
  for (const Executed &one : binary.all) {
    if (!one.transfer)
      continue;
    const std::string_view data = dataOf(one, binary.module.tensors);
    const std::string_view mode = isa::name(one.transfer->mode);
    for (std::size_t e = 0; e < engines.size(); ++e) {
      const auto work =
          static_cast<sim::Picoseconds>(one.sums.runs) * one.transfer->work[e];
      if (work == 0)
        continue;
      other[e] -= work;
      engines[e].byData[data] += inNanoseconds(work);
      engines[e].byDescriptors[mode] += inNanoseconds(work);
    }
  }
  for (std::size_t e = 0; e < engines.size(); ++e)
    if (other[e] > 0)
      engines[e].byData["other"] = inNanoseconds(other[e]);
  json out = json::array();
  for (const Work &engine : engines)
    out.push_back({{"by_data_ns", engine.byData},
                   {"by_descriptors_ns", engine.byDescriptors}});
  return out;
}

} // namespace

json tensorJson(const Binary &binary, const isa::Target &target,
                const sim::Timing &timing) {
  json tensors = json::array();
  const std::vector<Use> uses = usesOf(binary);
  for (std::size_t t = 0; t < uses.size(); ++t) {
    const isa::Tensor &tensor = binary.module.tensors[t];
    const Use &use = uses[t];
    json sizes = json::array();
    for (const auto &[bytes, count] : use.sizes)
      sizes.push_back({{"bytes", bytes}, {"count", count}});
    const auto moved = static_cast<double>(use.read + use.written);
    const double could = use.workNs * target.dma_engine_bytes_per_ns;
    tensors.push_back(
        {{"name", tensor.name},
         {"role", isa::name(tensor.kind)},
         {"dtype", isa::name(tensor.dtype)},
         {"shape", tensor.shape},
         {"bytes", tensor.sizeInBytes()},
         {"read_bytes", use.read},
         {"written_bytes", use.written},
         {"loads", use.loads},
         {"stores", use.stores},
         {"reloads", static_cast<double>(use.read) /
                         static_cast<double>(
                             std::max<std::uint64_t>(1, tensor.sizeInBytes()))},
         {"average_transfer_bytes",
          moved / static_cast<double>(
                      std::max<std::uint64_t>(1, use.loads + use.stores))},
         {"transfer_sizes", std::move(sizes)},
         {"efficiency", could > 0 ? std::min(1.0, moved / could) : 0},
         {"instructions", use.instructions}});
  }
  const double makespan = static_cast<double>(timing.makespan) / 1000;
  const double read =
      static_cast<double>(timing.hbmReadBytes) / target.hbm_bytes_per_ns;
  const double written =
      static_cast<double>(timing.hbmWriteBytes) / target.hbm_bytes_per_ns;
  return {{"tensors", std::move(tensors)},
          {"dma_engines", engineJson(binary, target, timing)},
          {"hbm",
           {{"read_ns", read},
            {"write_ns", written},
            {"idle_ns", std::max(0.0, makespan - read - written)}}}};
}

} // namespace kiln::profile

//===- TensorJson.cpp - The tensors of a run as JSON ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorJson.h"
#include "CoreJson.h"

#include "kiln/isa/kind_names.h"

#include <algorithm>
#include <cmath>
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

/// Divides what the runs of a transfer read, or wrote, among the tensors that
/// it reads, or writes, by the sizes of its operands.
class Division {
public:
  Division(const Executed &one, bool reads)
      : reads(reads), left(reads ? one.hbmRead : one.hbmWritten) {
    for (const isa::OperandAccess &entry : one.accesses)
      weight += isPart(entry) ? sizeOf(entry) : 0;
  }
  bool isPart(const isa::OperandAccess &entry) const {
    return entry.access->space == isa::Space::hbm &&
           (entry.effect == isa::Effect::read) == reads;
  }
  /// That of the next operand; all together are the whole.
  std::uint64_t next(const isa::OperandAccess &entry) {
    const std::uint64_t own = sizeOf(entry);
    const auto part =
        own >= weight ? left
                      : static_cast<std::uint64_t>(static_cast<double>(left) *
                                                   static_cast<double>(own) /
                                                   static_cast<double>(weight));
    weight -= std::min(weight, own);
    left -= part;
    return part;
  }

private:
  static std::uint64_t sizeOf(const isa::OperandAccess &entry) {
    return std::max<std::uint64_t>(1, entry.access->totalElements() *
                                          sizeInBytes(entry.access->dtype));
  }
  bool reads;
  std::uint64_t left, weight = 0;
};

std::vector<Use> usesOf(const Binary &binary) {
  std::vector<Use> uses(binary.module.tensors.size());
  for (std::size_t i = 0; i < binary.all.size(); ++i) {
    const Executed &one = binary.all[i];
    if (!one.transfer && one.kind != "collective")
      continue;
    double workNs = 0;
    for (const sim::Picoseconds work : one.dmaWork)
      workNs += inNanoseconds(work);
    for (const bool reads : {true, false}) {
      Division division(one, reads);
      for (const isa::OperandAccess &entry : one.accesses) {
        const isa::Access &access = *entry.access;
        if (!division.isPart(entry) || access.tensor >= uses.size())
          continue;
        Use &use = uses[access.tensor];
        const std::uint64_t bytes = division.next(entry);
        const std::uint64_t runs = one.sums.runs;
        (reads ? use.read : use.written) += bytes;
        (reads ? use.loads : use.stores) += runs;
        use.workNs += workNs;
        if (runs > 0)
          use.sizes[bytes / runs] += runs;
        if (use.instructions.empty() || use.instructions.back() != i)
          use.instructions.push_back(i);
      }
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

/// Time that each DMA engine works, in two divisions, and the bytes of
/// transfers that it moves. What is not for a transfer of the binary is
/// `other`.
json engineJson(const Binary &binary, const isa::Target &target,
                const sim::Timing &timing) {
  struct Work {
    std::map<std::string_view, double> byData, byDescriptors;
    double bytes = 0;
  };
  std::vector<Work> engines(machine::dmaEngines(target));
  std::vector<sim::Picoseconds> other(timing.dmaWork.begin(),
                                      timing.dmaWork.begin() +
                                          static_cast<long>(engines.size()));
  for (const Executed &one : binary.all) {
    const std::string_view data = one.transfer
                                      ? dataOf(one, binary.module.tensors)
                                      : std::string_view("collectives");
    const std::string_view mode =
        isa::name(one.transfer ? one.transfer->mode : isa::DgeMode::none);
    for (std::size_t e = 0; e < engines.size(); ++e) {
      engines[e].bytes +=
          one.dmaShares[e] * static_cast<double>(one.sums.bytes);
      const sim::Picoseconds work = one.dmaWork[e];
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
                   {"by_descriptors_ns", engine.byDescriptors},
                   {"bytes", std::llround(engine.bytes)}});
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

//===- TrafficRules.cpp - Rules on how much is moved, and when -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/isa/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kiln::profile::insights {

namespace {

double mib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

/// The HBM operand that a transfer reads or writes; null if there is none.
const isa::Access *inHbm(const Item &item, bool reads) {
  if (item.transfer)
    for (const isa::OperandAccess &entry : item.accesses)
      if (entry.access->space == isa::Space::hbm &&
          (entry.effect != isa::Effect::write) == reads &&
          !entry.name.ends_with("_index"))
        return entry.access;
  return nullptr;
}

/// The number of that tensor.
std::optional<std::uint16_t> tensorOf(const Item &item, bool reads) {
  const isa::Access *access = inHbm(item, reads);
  return access ? std::optional(access->tensor) : std::nullopt;
}

/// The bytes of its tensor that `access` covers, each once. A broadcast reads
/// a byte for every lane: that is one load of it.
std::uint64_t distinctBytes(const isa::Access &access,
                            const isa::Tensor &tensor) {
  std::uint64_t elements = 1;
  for (unsigned i = 0; i < access.rank; ++i)
    if (access.dims[i].stride != 0)
      elements *= access.dims[i].size;
  return std::min(elements * isa::sizeInBytes(access.dtype),
                  static_cast<std::uint64_t>(tensor.sizeInBytes()));
}

struct Traffic {
  std::uint64_t read = 0, written = 0;
  std::uint64_t loaded = 0; ///< As `read`, but each load counts a byte once.
};
using TrafficOf = std::map<std::pair<unsigned, std::uint16_t>, Traffic>;

TrafficOf trafficOf(const Facts &facts) {
  TrafficOf all;
  for (const Item &item : facts.items) {
    if (const isa::Access *access = inHbm(item, true)) {
      Traffic &traffic = all[{item.core, access->tensor}];
      traffic.read += item.runs * item.transfer->hbmRead;
      traffic.loaded +=
          item.runs *
          distinctBytes(*access, facts.module(item).tensors[access->tensor]);
    }
    if (const auto tensor = tensorOf(item, false))
      all[{item.core, *tensor}].written +=
          item.runs * item.transfer->hbmWritten;
  }
  return all;
}

std::optional<Finding> reload(const Facts &facts) {
  constexpr double often = 1.5;
  Finding finding(facts);
  for (const auto &[key, traffic] : trafficOf(facts)) {
    const isa::Tensor &tensor =
        facts.launch.modules[key.first].tensors[key.second];
    const double times = static_cast<double>(traffic.loaded) /
                         static_cast<double>(tensor.sizeInBytes());
    if (times < often || tensor.kind == isa::TensorKind::internal)
      continue;
    for (const Item &item : facts.items)
      if (item.core == key.first && tensorOf(item, true) == key.second) {
        finding.set(item, scaled(*item.transfer, 1 / times));
        finding.items.push_back(&item);
      }
    finding.condition +=
        fmt::format("{}'{}' of {:.2f} MiB is loaded {:.1f} times, {:.2f} MiB "
                    "in all",
                    finding.condition.empty() ? "" : "; ", tensor.name,
                    mib(tensor.sizeInBytes()), times, mib(traffic.loaded));
  }
  if (finding.items.empty())
    return std::nullopt;
  return finding;
}

std::optional<Finding> spill(const Facts &facts) {
  Finding finding(facts);
  for (const auto &[key, traffic] : trafficOf(facts)) {
    const isa::Tensor &tensor =
        facts.launch.modules[key.first].tensors[key.second];
    if (tensor.kind != isa::TensorKind::internal || traffic.read == 0 ||
        traffic.written == 0)
      continue;
    for (const Item &item : facts.items)
      if (item.core == key.first && (tensorOf(item, true) == key.second ||
                                     tensorOf(item, false) == key.second)) {
        finding.free(item);
        finding.items.push_back(&item);
      }
    finding.condition += fmt::format(
        "{}scratch '{}' goes out to HBM and comes back: {:.2f} MiB written, "
        "{:.2f} MiB read",
        finding.condition.empty() ? "" : "; ", tensor.name,
        mib(traffic.written), mib(traffic.read));
  }
  if (finding.items.empty())
    return std::nullopt;
  return finding;
}

std::optional<Finding> fewBuffers(const Facts &facts) {
  constexpr double least = 0.01;
  Finding finding(facts);
  Picoseconds waited = 0;
  for (const Item &item : facts.items)
    if (item.transfer && !item.instruction->waits.empty()) {
      finding.ignoreBuffers(item);
      if (facts.bufferWait(item) > 0)
        finding.items.push_back(&item);
      waited += facts.bufferWait(item);
    }
  if (facts.share(waited) < least)
    return std::nullopt;
  finding.condition = fmt::format(
      "transfers wait {:.1f} % of the makespan until a buffer is free; {} KiB "
      "of {} are in use",
      100 * facts.share(waited), facts.sbufInUse() / 1024,
      facts.target.bytes(isa::Space::sbuf) / 1024);
  return finding;
}

/// An instruction that waits for loads may already be in a loop over tiles.
void adviseOnLoop(Finding &finding) {
  const Item &worst = **std::max_element(
      finding.items.begin(), finding.items.end(), [](auto *a, auto *b) {
        constexpr auto dma = static_cast<std::size_t>(StallReason::waitDma);
        return a->stalls[dma] < b->stalls[dma];
      });
  if (!worst.isRepeated)
    return;
  std::uint64_t runs = 0, waits = 0;
  for (const Item *item : finding.items)
    if (item->isRepeated) {
      runs += item->runs;
      waits += std::min(item->dmaWaits, item->runs);
    }
  constexpr std::uint64_t few = 4;
  if (few * waits <= runs) {
    finding.remedy =
        "the loop already loads ahead, and only its first iterations wait: let "
        "them load less, or do other work first";
    finding.sketch = "auto w = exp(load(b));  // while the first tile comes\n"
                     "tiles(\"rows\", rows, 128_c, ..);";
    return;
  }
  finding.remedy =
      "the loop is there, but most of its iterations wait: load more with "
      "each, so that an iteration takes longer than a transfer takes to start";
  finding.sketch = "tiles(\"columns\", cols, 2048_c, ..);  // instead of 512_c";
}

std::optional<Finding> exposedDma(const Facts &facts) {
  constexpr double least = 0.05;
  Finding finding(facts);
  Picoseconds waited = 0;
  for (const Item &item : facts.items)
    if (const Picoseconds own =
            item.stalls[static_cast<std::size_t>(StallReason::waitDma)] -
            facts.collectiveWait(item, StallReason::waitDma);
        !item.transfer && own > 0) {
      waited = std::max(waited, own);
      finding.items.push_back(&item);
    }
  if (facts.share(waited) < least)
    return std::nullopt;
  isa::Target &without = finding.without.target;
  without.dma_start_ns = without.dma_done_ns = without.dma_skew_ns = 0;
  finding.condition = fmt::format("one instruction alone waits {:.1f} % of the "
                                  "makespan for data from HBM",
                                  100 * facts.share(waited));
  adviseOnLoop(finding);
  return finding;
}

std::optional<Finding> sbufDma(const Facts &facts) {
  auto finding = collect(
      facts, 1, 0,
      [](const Item &item) {
        // A gather from HBM reads only its places from SBUF.
        return item.transfer && item.reads(isa::Space::sbuf) &&
               item.writes(isa::Space::sbuf) && !inHbm(item, true);
      },
      [](Finding &found, const Item &item) { found.free(item); });
  if (finding)
    finding->condition =
        fmt::format("{} tiles from SBUF to SBUF",
                    runsText(*finding, "transfer moves", "transfers move"));
  return finding;
}

constexpr Rule trafficRuleList[] = {
    {"reload", "R1", "the same data is loaded again and again",
     "each load takes the time of its part of one pass over the tensor",
     "load it once, outside the loop that reuses it, or exchange the loops",
     "auto w = load(b);            // before the loop\n"
     "tiles(\"rows\", m, 128_c, [&](Index r, auto n) {\n"
     "  store(y.rows_at(r, n), matmul(load(a.rows_at(r, n)), w));\n"
     "});",
     reload},
    {"spill", "R2", "results leave the chip and come back",
     "the transfers of that scratch tensor",
     "fuse the loops that write and read it, so that tiles stay in SBUF",
     "tiles(\"rows\", m, 128_c, [&](Index r, auto n) {\n"
     "  auto t = exp(load(x.rows_at(r, n)));\n"
     "  store(y.rows_at(r, n), t * t);  // no scratch tensor between them\n"
     "});",
     spill},
    {"few-buffers", "R4", "loads wait until a buffer is free",
     "the waits of transfers for buffers",
     "where SBUF is full, make tiles smaller or their lifetimes shorter, so "
     "that more of them fit: the next load then runs while the last tile is "
     "used; where it has room, the schedule report says what keeps the loop "
     "from having more copies",
     "tiles(\"columns\", cols, 512_c, [&](Index c, auto n) { .. });",
     fewBuffers},
    {"exposed-dma", "R4", "an engine waits for each load",
     "the time that a transfer takes to start and to report its end",
     "issue loads earlier: a loop over tiles lets the compiler load the next "
     "one ahead; fewer, larger loads expose the latency less often",
     "tiles(\"rows\", rows, 128_c, [&](Index r, auto n) {\n"
     "  store(y.rows_at(r, n), f(load(x.rows_at(r, n))));\n"
     "});",
     exposedDma},
    {"sbuf-dma", "R27", "DMA moves tiles within SBUF",
     "the data movement of those transfers",
     "copy with an engine: it starts in nanoseconds, but a DMA in microseconds",
     "nc::tensor_copy(dst, src);  // instead of nc::dma_copy", sbufDma},
};

} // namespace

std::span<const Rule> trafficRules() { return trafficRuleList; }

} // namespace kiln::profile::insights

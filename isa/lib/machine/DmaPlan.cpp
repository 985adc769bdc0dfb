//===- DmaPlan.cpp - What a DMA instruction asks of each DMA engine ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/dma_plan.h"

#include "Operands.h"
#include "Terms.h"
#include "kiln/machine/dma_shares.h"
#include "kiln/machine/instruction_cost.h"
#include "kiln/machine/pattern.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::machine {

namespace {

using isa::Access;
using isa::DgeMode;
using isa::Space;

/// Smaller pieces of one contiguous HBM to HBM copy are not worth an engine.
constexpr std::uint64_t minSplitBytes = 512;

struct Transfer {
  const Access *dst = nullptr;
  const Access *src = nullptr; ///< The first one.
  std::uint64_t readsHbm = 0;  ///< Bytes, of all sources.
  unsigned sources = 0;
  int queue = 0;
  DgeMode mode = DgeMode::unknown;
  bool transposes = false;
  bool computes = false;
  bool isIndexed = false; ///< Rows are gathered or scattered.
};

Transfer describe(const isa::Body &body) {
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(body, accesses);
  Transfer transfer;
  for (const isa::OperandAccess &entry : accesses) {
    const Access &access = *entry.access;
    if (entry.name == "dst") {
      transfer.dst = &access;
      continue;
    }
    if (entry.name.ends_with("_index")) {
      transfer.isIndexed = true;
      continue;
    }
    ++transfer.sources;
    if (!transfer.src)
      transfer.src = &access;
    if (access.space == Space::hbm)
      transfer.readsHbm += access.totalElements() * sizeInBytes(access.dtype);
  }
  transfer.queue = operandValue<std::int32_t>(body, "queue").value_or(0);
  transfer.mode =
      operandValue<DgeMode>(body, "dge_mode").value_or(DgeMode::unknown);
  const std::string_view cost = name(isa::info(opcode(body)).cost);
  transfer.transposes = cost == "dmaTranspose";
  transfer.computes = cost == "dmaCompute";
  return transfer;
}

/// What builds the descriptors if the instruction leaves it open.
DgeMode chooseMode(const Transfer &transfer, isa::Engine engine,
                   const isa::Target &target) {
  if (transfer.mode != DgeMode::unknown)
    return transfer.mode;
  // Only software follows indices.
  if (transfer.isIndexed)
    return DgeMode::swdge;
  const bool casts = transfer.dst->dtype != transfer.src->dtype;
  const bool commands =
      engine == isa::Engine::scalar || engine == isa::Engine::sync;
  if (target.has_hwdge && commands && !casts)
    return DgeMode::hwdge;
  const bool dynamic = transfer.dst->numTerms > 0 || transfer.src->numTerms > 0;
  return dynamic ? DgeMode::swdge : DgeMode::none;
}

/// Engine time for `rows` pieces of `rowBytes` each. Long rows have
/// descriptors of their own, short ones are elements of a common one.
struct EngineTime {
  EngineTime(double rows, double rowBytes, bool partialWrites,
             const isa::Target &target) {
    const double packet = target.dma_packet_bytes;
    // The published rate is that of full packets, descriptor included.
    const double rate =
        packet / std::max(1.0, packet / target.dma_engine_bytes_per_ns -
                                   target.dma_descriptor_ns);
    const double least =
        std::max<double>(rowBytes, target.dma_min_element_bytes);
    const double moved =
        least * (partialWrites ? target.dma_partial_write_factor : 1);
    const bool alone = rowBytes >= target.dma_row_descriptor_bytes;
    const double count = alone ? rows * std::ceil(rowBytes / packet)
                               : std::ceil(rows * rowBytes / packet);
    data = rows * moved / rate;
    filled = rows * (least - rowBytes) / rate;
    rewritten = rows * (moved - least) / rate;
    elements = alone ? 0 : rows * target.dma_element_ns;
    descriptors = std::max(1.0, count) * target.dma_descriptor_ns;
  }
  double ns() const { return data + elements + descriptors; }

  double data;        ///< Bytes that pass, with the next two.
  double filled;      ///< Up to the smallest element.
  double rewritten;   ///< Read before parts of them are written.
  double elements;    ///< Of common descriptors.
  double descriptors; ///< All of them.
};

/// Back-to-back elements of one row of the matrix that a transpose reads.
std::uint64_t matrixRow(const Access &src) {
  const std::uint64_t run = contiguousElements(src);
  return src.space == Space::hbm && src.rank > 1
             ? std::min<std::uint64_t>(run, src.dims[src.rank - 1].size)
             : run;
}

class Planner {
public:
  Planner(const isa::Body &body, isa::Engine engine, const isa::Target &target,
          DmaParts *parts)
      : transfer(describe(body)), target(target), parts(parts) {
    const std::uint64_t elements = transfer.dst->totalElements();
    const std::uint64_t dstBytes = sizeInBytes(transfer.dst->dtype);
    const std::uint64_t srcBytes = sizeInBytes(transfer.src->dtype);
    plan.bytes = elements * dstBytes;
    plan.hbmRead = transfer.readsHbm;
    plan.hbmWritten = transfer.dst->space == Space::hbm ? plan.bytes : 0;
    plan.queue = static_cast<unsigned>(transfer.queue) % isa::dmaQueues;
    // A transpose reads rows and its engines write element columns together.
    const std::uint64_t run = transfer.transposes
                                  ? matrixRow(*transfer.src)
                                  : std::gcd(contiguousElements(*transfer.src),
                                             contiguousElements(*transfer.dst));
    rowBytes = run * std::max(dstBytes, srcBytes);
    plan.rows =
        std::max<std::uint64_t>(1, elements / std::max<std::uint64_t>(1, run));
    partial = !transfer.transposes && plan.rows > perPartition() &&
              run * dstBytes <
                  static_cast<std::uint64_t>(target.dma_min_element_bytes);
    engines = dmaEngines(target);
    plan.mode = chooseMode(transfer, engine, target);
    if (plan.mode == DgeMode::hwdge)
      plan.generation =
          nanoseconds(target.hwdge_fixed_ns +
                      target.hwdge_row_ns * static_cast<double>(plan.rows));
    else if (plan.mode == DgeMode::swdge)
      plan.generation = nanoseconds(target.swdge_ns);
  }

  DmaPlan make() {
    if (transfer.transposes)
      spreadTranspose();
    else if (const Access *tile = chipSide())
      spreadByPartition(*tile);
    else
      spreadByRow();
    if (transfer.computes)
      for (Picoseconds &work : plan.work)
        work = static_cast<Picoseconds>(static_cast<double>(work) *
                                        computePasses());
    if (transfer.computes && parts)
      for (Parts &own : *parts)
        slowDown(own, computePasses(),
                 computesFreely() ? "dma_compute_efficiency_sbuf"
                                  : "dma_compute_efficiency");
    Picoseconds total = 0;
    for (Picoseconds work : plan.work)
      total += work;
    if (total > 0)
      plan.hbmBytesPerWork =
          static_cast<double>(plan.hbmRead + plan.hbmWritten) /
          static_cast<double>(total);
    // Every engine gives its part of the token, even if it moves nothing.
    const Picoseconds visit =
        std::max<Picoseconds>(1, nanoseconds(target.dma_descriptor_ns));
    for (unsigned e = 0; e < engines; ++e)
      plan.work[e] = std::max(plan.work[e], visit);
    return plan;
  }

private:
  /// Adding two sources on the way takes twice a copy's time, once where the
  /// generation can add into SBUF; each further source has to come in as well.
  double computePasses() const {
    return std::max(1.0, transfer.sources / 2.0) /
           (computesFreely() ? target.dma_compute_efficiency_sbuf
                             : target.dma_compute_efficiency);
  }
  bool computesFreely() const {
    return transfer.dst->dtype == transfer.src->dtype &&
           (transfer.dst->dtype == isa::DType::bf16 ||
            transfer.dst->dtype == isa::DType::f32) &&
           transfer.dst->space == Space::sbuf;
  }
  const Access *chipSide() const {
    if (transfer.dst->space == Space::sbuf)
      return transfer.dst;
    return transfer.src->space == Space::sbuf ? transfer.src : nullptr;
  }
  /// Rows that a transfer without inner gaps has.
  std::uint64_t perPartition() const {
    const Access *tile = chipSide();
    return tile ? tile->partitions : 1;
  }

  /// Engine e serves the partitions that lie in its sixteenth of the memory.
  void spreadByPartition(const Access &tile) {
    const unsigned share = isa::maxPartitions / engines;
    const double rows = static_cast<double>(plan.rows) / tile.partitions;
    std::array<unsigned, maxDmaEngines> count{};
    for (unsigned p = 0; p < tile.partitions; ++p)
      ++count[(tile.partition + p) / share % engines];
    for (unsigned e = 0; e < engines; ++e)
      if (count[e] > 0)
        keep(e,
             {rows * count[e], static_cast<double>(rowBytes), partial, target});
  }

  /// HBM to HBM: rows are distributed; a few long rows are cut first.
  void spreadByRow() {
    std::uint64_t rows = plan.rows;
    std::uint64_t bytes = rowBytes;
    while (rows < engines && bytes >= 2 * minSplitBytes) {
      rows *= 2;
      bytes = (bytes + 1) / 2;
    }
    for (unsigned e = 0; e < engines; ++e) {
      const std::uint64_t mine = rows / engines + (e < rows % engines ? 1 : 0);
      if (mine > 0)
        keep(e, {static_cast<double>(mine), static_cast<double>(bytes), partial,
                 target});
    }
  }

  void spreadTranspose() {
    const bool fromHbm = transfer.src->space == Space::hbm;
    const double efficiency = fromHbm ? target.dma_transpose_efficiency_hbm
                                      : target.dma_transpose_efficiency_sbuf;
    const EngineTime whole(static_cast<double>(plan.rows) / engines,
                           static_cast<double>(rowBytes), false, target);
    for (unsigned e = 0; e < engines; ++e) {
      keep(e, whole);
      plan.work[e] = nanoseconds(whole.ns() / efficiency);
      if (parts)
        slowDown((*parts)[e], 1 / efficiency,
                 fromHbm ? "dma_transpose_efficiency_hbm"
                         : "dma_transpose_efficiency_sbuf");
    }
  }

  void keep(unsigned engine, const EngineTime &time) {
    plan.work[engine] = nanoseconds(time.ns());
    if (parts)
      (*parts)[engine] = {
          {"data", "dma_engine_bytes_per_ns",
           time.data - time.filled - time.rewritten},
          {"short rows", "dma_min_element_bytes", time.filled},
          {"partial writes", "dma_partial_write_factor", time.rewritten},
          {"rows", "dma_element_ns", time.elements},
          {"descriptors", "dma_descriptor_ns", time.descriptors}};
  }
  /// All of it takes `factor` times as long.
  static void slowDown(Parts &own, double factor, std::string_view parameter) {
    double sum = 0;
    for (const Part &part : own)
      sum += part.amount;
    if (!own.empty())
      own.push_back({"slower than a copy", parameter, sum * (factor - 1)});
  }

  Transfer transfer;
  const isa::Target &target;
  DmaParts *parts;
  DmaPlan plan;
  std::uint64_t rowBytes = 0;
  unsigned engines = maxDmaEngines;
  bool partial = false;
};

} // namespace

DmaPlan planDma(const isa::Body &body, isa::Engine engine,
                const isa::Target &target, DmaParts *parts) {
  return Planner(body, engine, target, parts).make();
}

DmaPlan planDma(const isa::Body &body, isa::Engine engine,
                const isa::Target &target) {
  return planDma(body, engine, target, nullptr);
}

std::array<double, maxDmaEngines> dmaShares(const isa::Body &body,
                                            isa::Engine engine,
                                            const isa::Target &target) {
  DmaParts parts;
  planDma(body, engine, target, &parts);
  std::array<double, maxDmaEngines> shares{};
  double all = 0;
  for (std::size_t e = 0; e < shares.size(); ++e)
    if (!parts[e].empty())
      all += shares[e] = parts[e].front().amount; // "data"
  for (double &share : shares)
    share /= all > 0 ? all : 1;
  return shares;
}

unsigned dmaEngines(const isa::Target &target) {
  return std::clamp<unsigned>(static_cast<unsigned>(target.dma_engines), 1,
                              maxDmaEngines);
}

Picoseconds dmaSkew(const isa::Target &target) {
  const unsigned engines = dmaEngines(target);
  return engines > 1 ? nanoseconds(target.dma_skew_ns) / (engines - 1) : 0;
}

double hbmRate(const isa::Target &target, unsigned cores) {
  const int others =
      std::max(0, target.hbm_cores_per_stack - static_cast<int>(cores));
  const int busy = std::clamp(target.hbm_busy_neighbours, 0, others);
  return target.hbm_bytes_per_ns / 1000 * cores / (cores + busy);
}

} // namespace kiln::machine

//===- Cost.cpp - How long an instruction takes, for decisions -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Cost.h"

#include "kiln/isa/cost.h"
#include "kiln/isa/info.h"

#include <algorithm>
#include <vector>

using namespace kiln;
using namespace kiln::compiler::nc;

namespace {

/// The numbers of an instruction's operands that costs depend on.
struct Work {
  double elements = 0;     ///< Most elements in a partition.
  double columns = 0;      ///< Free elements of the first operand that is read.
  double bytes = 0;        ///< Most bytes of an operand over all partitions.
  bool wide = false;       ///< Some operand that is read is four bytes wide.
  bool allOnSbuf16 = true; ///< All of it in SBUF, two-byte elements.
  bool all16 = true;       ///< Two-byte elements, wherever they are.
  bool contiguous = true;
  bool fromPsum = false, toPsum = false;
  bool fromBoth = false; ///< Tiles are read from SBUF and from PSUM.
  bool readsOut = false; ///< An accumulator, at the end.
  unsigned tilesRead = 0;
};

std::int64_t innermostStride(const isa::Access &access) {
  for (unsigned i = access.rank; i-- > 0;)
    if (access.dims[i].size > 1)
      return access.dims[i].stride;
  return 1;
}

Work workOf(const isa::Body &body) {
  std::vector<isa::OperandAccess> accesses;
  accesses.reserve(8); // Rarely more.
  isa::collectAccesses(body, accesses);
  Work work;
  bool psumTile = false, sbufTile = false;
  for (const isa::OperandAccess &operand : accesses) {
    const isa::Access &access = *operand.access;
    auto elements = static_cast<double>(access.elements());
    double width = isa::sizeInBytes(access.dtype);
    work.elements = std::max(work.elements, elements);
    work.bytes = std::max(work.bytes,
                          static_cast<double>(access.totalElements()) * width);
    const isa::OperandInfo *facts =
        isa::info(isa::opcode(body)).operand(operand.name);
    if (facts && facts->perPartitionScalar) {
      work.readsOut |= operand.effect == isa::Effect::write;
      continue;
    }
    bool psum = access.space == isa::Space::psum;
    work.allOnSbuf16 &= !psum && width == 2;
    work.all16 &= width == 2;
    work.contiguous &= innermostStride(access) == 1;
    (operand.effect == isa::Effect::read ? work.fromPsum : work.toPsum) |= psum;
    if (operand.effect == isa::Effect::read && elements > 1) {
      (psum ? psumTile : sbufTile) = true;
      if (work.tilesRead++ == 0)
        work.columns = elements;
      work.wide |= width == 4;
    }
  }
  work.fromBoth = psumTile && sbufTile;
  return work;
}

std::int64_t picoseconds(double cycles, double ghz) {
  return static_cast<std::int64_t>(cycles * 1000.0 / ghz);
}

/// As the PE array passes f32 operands; `body` is a product or a transpose.
double f32Passes(const isa::Body &body, const isa::Target &target) {
  const auto *product = std::get_if<isa::NcMatmul>(&body);
  if (!product || product->is_transpose)
    return target.pe_fp32_transpose_passes;
  return target.pe_fp32_passes / (product->is_stationary_onezero ? 2.0 : 1.0) /
         (product->is_moving_onezero ? 2.0 : 1.0);
}

Cost tensorCost(const isa::Body &body, const Work &work,
                const isa::Target &target) {
  double passes = work.wide ? f32Passes(body, target) : 1;
  double stream =
      passes * std::max<double>(work.elements + target.pe_bubble_cycles,
                                target.pe_min_ii_cycles);
  double load = work.columns / target.pe_load_columns_per_cycle;
  Cost cost;
  cost.occupancy = picoseconds(std::max(stream, load), target.tensor_ghz);
  cost.latency =
      picoseconds(stream + load + target.pe_latency_cycles, target.tensor_ghz);
  return cost;
}

Cost dmaCost(const Work &work, isa::Engine engine, const isa::Target &target) {
  Cost cost;
  bool hardware = target.has_hwdge && engine != isa::Engine::gpsimd;
  cost.issue = static_cast<std::int64_t>(
      1000 * (hardware ? target.hwdge_fixed_ns : target.swdge_ns));
  double rate = std::min(target.dma_engines * target.dma_engine_bytes_per_ns,
                         target.hbm_bytes_per_ns / target.hbm_cores_per_stack);
  cost.occupancy = static_cast<std::int64_t>(
      1000 * (work.bytes / rate + target.dma_queue_gap_ns));
  cost.latency =
      cost.issue + static_cast<std::int64_t>(1000 * (target.dma_start_ns +
                                                     work.bytes / rate +
                                                     target.dma_done_ns));
  return cost;
}

/// Elements a cycle of one tile in, one tile out.
int copyMode(const Work &work, isa::Engine engine, const isa::Target &target) {
  if (engine == isa::Engine::scalar)
    return work.all16 && work.contiguous ? target.scalar_mode_16bit : 1;
  if (engine != isa::Engine::vector)
    return 1;
  bool inSbuf = !work.fromPsum && !work.toPsum;
  if (inSbuf && work.all16 && work.contiguous)
    return target.vector_mode_16bit_contiguous;
  if (work.all16 &&
      (inSbuf || (work.contiguous && work.fromPsum != work.toPsum)))
    return target.vector_mode_16bit;
  return inSbuf && work.contiguous ? target.vector_mode_32bit_contiguous : 1;
}

/// Cycles for which the data path of an element-wise engine streams.
double streamCycles(const Work &work, isa::CostClass costClass,
                    isa::Engine engine, const isa::Target &target) {
  double n = work.elements;
  switch (costClass) {
  case isa::CostClass::reciprocal:
    return n * isa::costModel(costClass).vector;
  case isa::CostClass::tensorTensor:
    // Tiles from both memories pass at once.
    if (work.allOnSbuf16 || work.fromBoth)
      return n;
    return n * std::max(1u, work.tilesRead);
  case isa::CostClass::copy:
  case isa::CostClass::tensorScalar:
    return n / copyMode(work, engine, target);
  default:
    return n;
  }
}

} // namespace

Cost compiler::nc::estimateCost(const isa::Body &body, isa::Engine engine,
                                const isa::Target &target) {
  const isa::InstructionInfo &info = isa::info(isa::opcode(body));
  Work work = workOf(body);
  if (info.isDma)
    return dmaCost(work, engine, target);
  if (info.state == isa::HiddenState::peers) {
    // Nobody knows when the other core comes: as long as a transfer takes.
    work = Work();
    Cost cost = dmaCost(work, engine, target);
    cost.occupancy = cost.issue = cost.latency;
    return cost;
  }
  if (engine == isa::Engine::tensor)
    return tensorCost(body, work, target);
  double stream = streamCycles(work, info.cost, engine, target);
  double extra = engine == isa::Engine::scalar ? target.scalar_ii_extra_cycles
                                               : target.vector_ii_extra_cycles;
  double latency = engine == isa::Engine::scalar ? target.scalar_latency_cycles
                                                 : target.vector_latency_cycles;
  if (engine == isa::Engine::gpsimd)
    extra = latency = target.gpsimd_start_cycles;
  double readOut = work.readsOut ? target.accumulator_read_cycles : 0;
  Cost cost;
  cost.occupancy = picoseconds(
      std::max<double>(target.engine_min_ii_cycles, stream + extra) + readOut,
      target.ghz(engine));
  cost.latency = picoseconds(stream + latency + readOut, target.ghz(engine));
  return cost;
}

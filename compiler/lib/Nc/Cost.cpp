//===- Cost.cpp - How long an instruction takes, for decisions -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Cost.h"

#include "kiln/isa/cost.h"

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
  unsigned tilesRead = 0;
};

Work workOf(const isa::Body &body) {
  std::vector<isa::OperandAccess> accesses;
  isa::collectAccesses(body, accesses);
  Work work;
  for (const isa::OperandAccess &operand : accesses) {
    const isa::Access &access = *operand.access;
    auto elements = static_cast<double>(access.elements());
    double width = isa::sizeInBytes(access.dtype);
    work.elements = std::max(work.elements, elements);
    work.bytes = std::max(work.bytes,
                          static_cast<double>(access.totalElements()) * width);
    work.allOnSbuf16 &= access.space == isa::Space::sbuf && width == 2;
    if (operand.effect == isa::Effect::read && elements > 1) {
      if (work.tilesRead++ == 0)
        work.columns = elements;
      work.wide |= width == 4;
    }
  }
  return work;
}

std::int64_t picoseconds(double cycles, double ghz) {
  return static_cast<std::int64_t>(cycles * 1000.0 / ghz);
}

Cost tensorCost(const Work &work, const isa::Target &target) {
  double passes = work.wide ? target.pe_fp32_passes : 1;
  double stream =
      passes * std::max<double>(work.elements, target.pe_min_ii_cycles);
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

/// Cycles for which the data path of an element-wise engine streams.
double streamCycles(const Work &work, isa::CostClass costClass,
                    isa::Engine engine, const isa::Target &target) {
  double n = work.elements;
  switch (costClass) {
  case isa::CostClass::reciprocal:
    return n * isa::costModel(costClass).vector;
  case isa::CostClass::tensorTensor:
    return work.allOnSbuf16 ? n : n * std::max(1u, work.tilesRead);
  case isa::CostClass::copy:
  case isa::CostClass::tensorScalar:
    if (engine == isa::Engine::vector && work.allOnSbuf16)
      return n / target.vector_mode_16bit_contiguous;
    return n;
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
    return tensorCost(work, target);
  double stream = streamCycles(work, info.cost, engine, target);
  double extra = engine == isa::Engine::scalar ? target.scalar_ii_extra_cycles
                                               : target.vector_ii_extra_cycles;
  double latency = engine == isa::Engine::scalar ? target.scalar_latency_cycles
                                                 : target.vector_latency_cycles;
  if (engine == isa::Engine::gpsimd)
    extra = latency = target.gpsimd_start_cycles;
  Cost cost;
  cost.occupancy =
      picoseconds(std::max<double>(target.engine_min_ii_cycles, stream + extra),
                  target.ghz(engine));
  cost.latency = picoseconds(stream + latency, target.ghz(engine));
  return cost;
}

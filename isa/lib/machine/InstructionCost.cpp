//===- InstructionCost.cpp - Cycles of an instruction, as data -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/instruction_cost.h"

#include "LaneFlow.h"
#include "Operands.h"
#include "Terms.h"
#include "kiln/isa/cost.h"
#include "kiln/isa/info.h"
#include "kiln/machine/hardware_flops.h"
#include "kiln/machine/pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kiln::machine {

namespace {

using isa::Access;

std::uint8_t tableOf(const isa::Body &body) {
  const auto function = operandValue<isa::ActivationFunction>(body, "op");
  return function ? static_cast<std::uint8_t>(isa::functionTable(*function))
                  : 0;
}

/// A copy whose place in a memory of the chip comes from a register.
bool isMovedCopy(const isa::Body &body) {
  if (isa::info(opcode(body)).cost != isa::CostClass::copy)
    return false;
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(body, accesses);
  return std::any_of(
      accesses.begin(), accesses.end(),
      [](const isa::OperandAccess &entry) { return entry.access->numTerms; });
}

/// Names the cycles of laneCost().
CostParts laneParts(const LaneFlow &flow, isa::Engine engine,
                    const isa::Target &target, double interval, double latency,
                    double readOut) {
  CostParts parts;
  const Part read{"read-out", "accumulator_read_cycles", readOut};
  parts.occupancy = {
      {"stream", "", flow.cycles - flow.secondTile - flow.strided},
      {"second tile", "", flow.secondTile},
      {"stride", "stride_penalty_factor", flow.strided}};
  parts.latency = parts.occupancy;
  double more, done;
  if (engine == isa::Engine::gpsimd) {
    more = done = target.gpsimd_start_cycles * flow.starts;
    parts.occupancy.push_back({"start", "gpsimd_start_cycles", more});
    parts.latency.push_back(parts.occupancy.back());
  } else if (engine == isa::Engine::vector) {
    more = target.vector_ii_extra_cycles;
    done = target.vector_latency_cycles;
    parts.occupancy.push_back({"start", "vector_ii_extra_cycles", more});
    parts.latency.push_back({"pipeline", "vector_latency_cycles", done});
  } else {
    more = target.scalar_ii_extra_cycles;
    done = target.scalar_latency_cycles;
    parts.occupancy.push_back({"start", "scalar_ii_extra_cycles", more});
    parts.latency.push_back({"pipeline", "scalar_latency_cycles", done});
  }
  // Both are differences: the extra time of the longer of two.
  const double least = std::max<double>(
      flow.cycles + more,
      engine == isa::Engine::gpsimd ? 0 : target.engine_min_ii_cycles);
  parts.occupancy.push_back({"shortest interval", "engine_min_ii_cycles",
                             least - (flow.cycles + more)});
  parts.occupancy.push_back(
      {"loaded address", "dynamic_copy_cycles", interval - least});
  parts.latency.push_back({"loaded address", "dynamic_copy_cycles",
                           latency - (flow.cycles + done)});
  parts.occupancy.push_back(read);
  parts.latency.push_back(read);
  return parts;
}

InstructionCost laneCost(const isa::Body &body, isa::Engine engine,
                         const isa::Target &target, bool addressIsData,
                         CostParts *parts) {
  const LaneFlow flow = laneFlow(body, engine, target);
  const double ghz = target.ghz(engine);
  InstructionCost cost;
  cost.mode = static_cast<std::uint8_t>(flow.mode);
  cost.stream = cyclesToTime(flow.cycles, ghz);
  const double readOut = flow.readsOut ? target.accumulator_read_cycles : 0;
  double interval;
  double latency;
  if (engine == isa::Engine::gpsimd) {
    const double start = target.gpsimd_start_cycles * flow.starts;
    cost.lead = cyclesToTime(start, ghz);
    interval = latency = start + flow.cycles;
  } else {
    const bool vector = engine == isa::Engine::vector;
    interval = std::max<double>(target.engine_min_ii_cycles,
                                flow.cycles +
                                    (vector ? target.vector_ii_extra_cycles
                                            : target.scalar_ii_extra_cycles));
    latency = flow.cycles + (vector ? target.vector_latency_cycles
                                    : target.scalar_latency_cycles);
  }
  if (addressIsData && isMovedCopy(body)) {
    interval = std::max<double>(interval, target.dynamic_copy_cycles);
    latency = std::max(latency, interval);
  }
  cost.interval = cyclesToTime(interval + readOut, ghz);
  cost.latency = cyclesToTime(latency + readOut, ghz);
  if (parts)
    *parts = laneParts(flow, engine, target, interval, latency, readOut);
  // Rounded once: the parts of GpSimd's time add up to all of it.
  if (engine == isa::Engine::gpsimd)
    cost.stream = std::min(cost.stream, cost.interval - cost.lead);
  if (engine == isa::Engine::scalar)
    cost.table = tableOf(body);
  return cost;
}

/// What a product requires of the PE array, for any instruction.
struct Product {
  const Access *stationary = nullptr;
  double columns = 0; ///< Of the stationary operand, for each PE row.
  double loaded = 0;  ///< As many columns that lie dense take as long to load.
  double moving = 0;  ///< Columns that stream through.
  double dense = 0;   ///< Of those, without what lies far apart.
  double depth = 0;   ///< Products that a PE column sums for one result.
  double flops = 0;
  double speed = 1; ///< Of 4-bit operands, against 8-bit ones.
  bool transposes = false;
  ProductRate rate = ProductRate::full;
};

bool isFp4(const Access &access) {
  return access.dtype == isa::DType::f4e2m1fn_x4;
}

ProductRate rateOf(const Access &stationary, const Access *moving,
                   const isa::Body &body) {
  if (isPacked(stationary.dtype))
    return isFp4(stationary) && moving && isFp4(*moving)
               ? ProductRate::packedFp4
               : ProductRate::packed;
  if (stationary.dtype == isa::DType::f32)
    return ProductRate::f32;
  return operandSpelling(body, "perf_mode") == "double_row"
             ? ProductRate::doubleRow
             : ProductRate::full;
}

Product productOf(const isa::Body &body, const isa::Target &target) {
  Product product;
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(body, accesses);
  const auto operand = [&](std::string_view name) -> const Access * {
    for (const isa::OperandAccess &entry : accesses)
      if (entry.name == name)
        return entry.access;
    return nullptr;
  };
  // A port passes elements that lie far apart at half its rate.
  const auto slowdown = [&target](const Access &access) {
    return std::abs(innermostStride(access)) *
                       static_cast<int>(sizeInBytes(access.dtype)) >
                   target.stride_penalty_bytes
               ? target.stride_penalty_factor
               : 1;
  };
  const Access *moving = operand("moving");
  product.stationary = operand("stationary");
  if (!product.stationary || !moving) {
    // nc_transpose: the moving operand is an identity matrix as large as the
    // partitions.
    product.stationary = operand("data");
    product.rate = rateOf(*product.stationary, nullptr, body);
    product.columns = static_cast<double>(product.stationary->elements());
    product.loaded = product.columns * slowdown(*product.stationary);
    product.moving = product.dense = product.stationary->partitions;
    product.depth = product.stationary->partitions;
    product.flops = 2 * product.depth * product.columns * product.moving;
    product.transposes = true;
    return product;
  }
  product.rate = rateOf(*product.stationary, moving, body);
  if (product.rate == ProductRate::packedFp4)
    product.speed = target.pe_fp4_speed;
  const double rows = product.rate == ProductRate::doubleRow ? 2 : 1;
  product.columns = static_cast<double>(product.stationary->elements()) / rows;
  product.loaded = product.columns * slowdown(*product.stationary);
  product.moving = static_cast<double>(moving->elements()) / rows;
  product.depth = product.stationary->partitions * rows *
                  info(product.stationary->dtype).values;
  product.transposes = operandFlag(body, "is_transpose");
  product.flops = 2 * product.depth * product.columns * product.moving;
  product.dense = product.moving;
  product.moving *= slowdown(*moving);
  return product;
}

/// The cells of the tile of the PE array that `body` names, else all.
std::uint16_t cellsOf(const isa::Body &body) {
  const auto position = operandPair(body, "tile_position");
  const auto size = operandPair(body, "tile_size");
  if (!position || !size)
    return InstructionCost::allCells;
  constexpr int cell = InstructionCost::cellSize;
  std::uint16_t cells = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const int row = static_cast<int>(i / InstructionCost::cellsInRow) * cell;
    const int column = static_cast<int>(i % InstructionCost::cellsInRow) * cell;
    if (row < position->first + size->first && row + cell > position->first &&
        column < position->second + size->second &&
        column + cell > position->second)
      cells |= static_cast<std::uint16_t>(1u << i);
  }
  return cells;
}

/// Names the cycles of tensorCost(); `interval` and `load` are in cycles.
CostParts tensorParts(const Product &product, const isa::Target &target,
                      double passes, double interval, double load) {
  const double stream = product.dense / product.speed;
  const double all = product.moving / product.speed;
  const double one =
      std::max<double>(all + target.pe_bubble_cycles, target.pe_min_ii_cycles);
  CostParts parts;
  parts.occupancy = {
      {"stream", "", stream},
      {"stride", "stride_penalty_factor", all - stream},
      {"bubble", "pe_bubble_cycles",
       static_cast<double>(target.pe_bubble_cycles)},
      {"shortest interval", "pe_min_ii_cycles",
       one - (all + target.pe_bubble_cycles)},
      {"passes",
       product.transposes ? "pe_fp32_transpose_passes" : "pe_fp32_passes",
       (passes - 1) * one},
      {"second stationary load", "pe_load_fp32_cycles_per_column",
       interval - passes * one}};
  parts.latency = parts.occupancy;
  parts.latency.push_back({"pipeline", "pe_latency_cycles",
                           static_cast<double>(target.pe_latency_cycles)});
  const double dense =
      product.loaded > 0 ? load * product.columns / product.loaded : load;
  parts.beside = {{"stationary load", "", dense},
                  {"stride of the stationary operand", "stride_penalty_factor",
                   load - dense}};
  return parts;
}

InstructionCost tensorCost(const isa::Body &body, const isa::Target &target,
                           CostParts *parts) {
  const Product product = productOf(body, target);
  InstructionCost cost;
  cost.rate = product.rate;
  cost.transposes = product.transposes;
  cost.cells = cellsOf(body);
  if (!product.transposes)
    cost.flops = static_cast<std::uint64_t>(product.flops);
  // f32 products split both operands in halves. Operands of zeros and ones need
  // no split, and neither does a transpose from trn2 on, which moves bits. On
  // trn1 a transpose is a product with an identity. The stationary halves are
  // loads of their own.
  const bool wide = cost.rate == ProductRate::f32;
  const bool movesBits =
      product.transposes && target.generation != isa::Generation::v2;
  const bool splitStationary =
      wide && !movesBits && !operandFlag(body, "is_stationary_onezero");
  const bool splitMoving = wide && !operandFlag(body, "is_moving_onezero");
  double passes = 1;
  if (wide)
    passes = product.transposes
                 ? target.pe_fp32_transpose_passes
                 : target.pe_fp32_passes / (splitStationary ? 1.0 : 2.0) /
                       (splitMoving ? 1.0 : 2.0);
  const double ii = passes * std::max<double>(product.moving / product.speed +
                                                  target.pe_bubble_cycles,
                                              target.pe_min_ii_cycles);
  const bool fastLoad = sizeInBytes(product.stationary->dtype) <= 2 ||
                        isPacked(product.stationary->dtype);
  const double load =
      fastLoad ? std::ceil(product.loaded / target.pe_load_columns_per_cycle)
               : product.loaded * target.pe_load_fp32_cycles_per_column;
  const double ghz = target.tensor_ghz;
  cost.stream = cost.interval = cyclesToTime(ii, ghz);
  cost.weights = cyclesToTime(load, ghz);
  cost.weightsLatency = cyclesToTime(load + target.pe_load_latency_cycles, ghz);
  if (splitStationary) {
    // The second half is loaded behind the first one, and takes the shadow
    // buffer until it starts itself.
    cost.interval = std::max(cost.interval, 2 * cost.weights);
    cost.shadowFree = cost.interval / 2;
  }
  cost.latency = cost.interval + cyclesToTime(target.pe_latency_cycles, ghz);
  if (parts)
    *parts = tensorParts(product, target, passes,
                         splitStationary ? std::max(ii, 2 * load) : ii, load);
  return cost;
}

} // namespace

InstructionCost costOf(const isa::Body &body, isa::Engine engine,
                       const isa::Target &target, bool addressIsData,
                       CostParts *parts) {
  if (engine == isa::Engine::tensor)
    return tensorCost(body, target, parts);
  return laneCost(body, engine, target, addressIsData, parts);
}

InstructionCost costOf(const isa::Body &body, isa::Engine engine,
                       const isa::Target &target, bool addressIsData) {
  return costOf(body, engine, target, addressIsData, nullptr);
}

std::uint64_t hardwareFlops(const isa::Instruction &instruction,
                            isa::Engine engine, const isa::Target &target) {
  const isa::InstructionInfo &info = isa::info(opcode(instruction.body));
  if (engine != isa::Engine::tensor || info.isControl || info.isDma ||
      info.state == isa::HiddenState::peers)
    return 0;
  return static_cast<std::uint64_t>(productOf(instruction.body, target).flops);
}

} // namespace kiln::machine

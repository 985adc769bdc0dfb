//===- InstructionCost.cpp - Cycles of an instruction, as data -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionCost.h"

#include "Pattern.h"
#include "kiln/isa/info.h"

#include <algorithm>
#include <cstdlib>

namespace kiln::sim::timing {

namespace {

using isa::Access;
using isa::CostClass;
using isa::Space;

bool is16bit(const Access &access) {
  return isFloat(access.dtype) && sizeInBytes(access.dtype) == 2;
}
bool isContiguous(const Access &access) { return innermostStride(access) == 1; }

/// How many elements pass a lane, and at which rate.
struct Flow {
  double elements = 0;
  unsigned mode = 1;
};

/// Works out the flow of one instruction on a lane engine.
class LaneCost {
public:
  LaneCost(const isa::Instruction &instruction, isa::Engine engine,
           const isa::Target &target)
      : body(instruction.body), engine(engine), target(target) {
    collectAccesses(body, accesses);
    for (const isa::OperandAccess &entry : accesses) {
      longest = std::max(longest, entry.access->elements());
      const bool writes = entry.effect != isa::Effect::read;
      (writes ? outputs : inputs).push_back(entry.access);
    }
  }

  Flow flow() const {
    Flow result = undisturbed();
    if (isStrided())
      result.elements *= target.stride_penalty_factor;
    return result;
  }

private:
  Flow undisturbed() const {
    const double n = static_cast<double>(longest);
    switch (isa::info(opcode(body)).cost) {
    case CostClass::copy:
    case CostClass::memset:
    case CostClass::tensorScalar:
      return oneInput(n);
    case CostClass::tensorTensor:
      return twoInputs(n);
    case CostClass::select:
      return {isSplit() ? n : 2 * n, 1};
    case CostClass::reciprocal:
      return {n * target.vector_reciprocal_factor, 1};
    case CostClass::reduce:
      return reduction(n);
    default:
      return {n, 1};
    }
  }

  /// One tile in, one tile out: the fast modes of the Vector engine.
  Flow oneInput(double n) const {
    if (const auto *op = std::get_if<isa::TensorScalar>(&body);
        op && engine == isa::Engine::gpsimd && op->op0 == isa::AluOp::rsqrt)
      return {n * target.gpsimd_rsqrt_factor, 1};
    const bool narrow = all(is16bit);
    const bool contiguous = all(isContiguous);
    const bool inSbuf =
        all([](const Access &a) { return a.space != Space::psum; });
    unsigned mode = 1;
    if (engine == isa::Engine::scalar) {
      if (narrow && contiguous)
        mode = target.scalar_mode_16bit;
    } else if (engine == isa::Engine::vector) {
      if (inSbuf && narrow && contiguous)
        mode = target.vector_mode_16bit_contiguous;
      else if (narrow && (inSbuf || (contiguous && isSplitInOut())))
        mode = target.vector_mode_16bit;
      else if (inSbuf && contiguous)
        mode = target.vector_mode_32bit_contiguous;
      if (const auto *op = std::get_if<isa::Memset>(&body);
          op && op->value == 0.0f && narrow)
        mode = std::max(mode, 2u);
    }
    return {n / mode, mode};
  }

  /// Two tiles in: one read port a memory, so SBUF + PSUM costs one pass.
  Flow twoInputs(double n) const {
    if (engine != isa::Engine::vector)
      return {2 * n, 1};
    if (isSplit())
      return {n, 1};
    const bool inSbuf =
        std::all_of(inputs.begin(), inputs.end(),
                    [](const Access *a) { return a->space == Space::sbuf; });
    const auto isBf16 = [](const Access &a) {
      return a.dtype == isa::DType::bf16;
    };
    if (const auto *op = std::get_if<isa::TensorTensor>(&body)) {
      const bool simple = op->op == isa::AluOp::add ||
                          op->op == isa::AluOp::subtract ||
                          op->op == isa::AluOp::multiply;
      const unsigned mode = target.vector_mode_16bit;
      if (inSbuf && mode > 1 && all(is16bit))
        return {2 * n / mode, mode};
      if (inSbuf && simple && all(isBf16) && all(isContiguous))
        return {n, 1};
    } else if (const auto *op = std::get_if<isa::ScalarTensorTensor>(&body)) {
      if (op->op0 == isa::AluOp::subtract && op->op1 == isa::AluOp::multiply &&
          longest % 2 == 0 && isBf16(op->data) && isBf16(op->operand1))
        return {n, 1};
    }
    return {2 * n, 1};
  }

  Flow reduction(double n) const {
    const auto *op = std::get_if<isa::TensorReduce>(&body);
    const bool fast =
        op && op->data.dtype == isa::DType::bf16 &&
        op->dst.dtype == isa::DType::bf16 &&
        (op->op == isa::AluOp::add || op->op == isa::AluOp::maximum);
    return {fast ? n / 2 : n, fast ? 2u : 1u};
  }

  /// Every operand that streams; per-partition scalars do not.
  template <class Predicate> bool all(Predicate predicate) const {
    return std::all_of(
        accesses.begin(), accesses.end(), [&](const isa::OperandAccess &entry) {
          return isScalar(*entry.access) || predicate(*entry.access);
        });
  }
  bool isScalar(const Access &access) const {
    return access.elements() == 1 && longest > 1;
  }
  /// Tile inputs from both memories.
  bool isSplit() const {
    bool sbuf = false;
    bool psum = false;
    for (const Access *input : inputs) {
      if (isScalar(*input))
        continue;
      (input->space == Space::psum ? psum : sbuf) = true;
    }
    return sbuf && psum;
  }
  /// Exactly one side of a copy in PSUM.
  bool isSplitInOut() const {
    const auto inPsum = [this](const std::vector<const Access *> &side) {
      return std::any_of(side.begin(), side.end(), [this](const Access *a) {
        return !isScalar(*a) && a->space == Space::psum;
      });
    };
    return inPsum(inputs) != inPsum(outputs);
  }
  bool isStrided() const {
    return !all([this](const Access &access) {
      return std::abs(innermostStride(access)) *
                 static_cast<int>(sizeInBytes(access.dtype)) <=
             target.stride_penalty_bytes;
    });
  }

  const isa::Body &body;
  isa::Engine engine;
  const isa::Target &target;
  std::vector<isa::OperandAccess> accesses;
  std::vector<const Access *> inputs;
  std::vector<const Access *> outputs;
  std::uint64_t longest = 1;
};

/// Does the instruction read its accumulator out at the end?
bool readsAccumulator(const isa::Body &body) {
  if (const auto *op = std::get_if<isa::Activation>(&body))
    return op->reduce_res.has_value();
  if (const auto *op = std::get_if<isa::SelectReduce>(&body))
    return op->reduce_res.has_value();
  return false;
}

InstructionCost laneCost(const isa::Instruction &instruction,
                         isa::Engine engine, const isa::Target &target) {
  const Flow flow = LaneCost(instruction, engine, target).flow();
  const double ghz = target.ghz(engine);
  InstructionCost cost;
  cost.mode = static_cast<std::uint8_t>(flow.mode);
  cost.stream = cyclesToTime(flow.elements, ghz);
  if (engine == isa::Engine::gpsimd) {
    const double total = target.gpsimd_start_cycles + flow.elements;
    cost.lead = cyclesToTime(target.gpsimd_start_cycles, ghz);
    cost.interval = cost.latency = cyclesToTime(total, ghz);
    return cost;
  }
  const bool vector = engine == isa::Engine::vector;
  const double readOut =
      readsAccumulator(instruction.body) ? target.accumulator_read_cycles : 0;
  const double extra =
      vector ? target.vector_ii_extra_cycles : target.scalar_ii_extra_cycles;
  const double latency =
      vector ? target.vector_latency_cycles : target.scalar_latency_cycles;
  cost.interval = cyclesToTime(
      std::max<double>(target.engine_min_ii_cycles, flow.elements + extra) +
          readOut,
      ghz);
  cost.latency = cyclesToTime(flow.elements + latency + readOut, ghz);
  if (const auto *op = std::get_if<isa::Activation>(&instruction.body))
    cost.table = functionTable(op->op);
  return cost;
}

InstructionCost tensorCost(const isa::Body &body, const isa::Target &target) {
  const Access *stationary = nullptr;
  double moving = 0;
  InstructionCost cost;
  if (const auto *op = std::get_if<isa::NcMatmul>(&body)) {
    stationary = &op->stationary;
    moving = static_cast<double>(op->moving.elements());
    cost.transposes = op->is_transpose;
    if (!op->is_transpose)
      cost.flops = 2 * std::uint64_t{op->stationary.partitions} *
                   op->stationary.elements() * op->moving.elements();
    if (std::abs(innermostStride(op->moving)) *
            static_cast<int>(sizeInBytes(op->moving.dtype)) >
        target.stride_penalty_bytes)
      moving *= target.stride_penalty_factor;
  } else if (const auto *op = std::get_if<isa::NcTranspose>(&body)) {
    // The moving operand is an identity matrix as large as the partitions.
    stationary = &op->data;
    moving = op->data.partitions;
    cost.transposes = true;
  } else {
    return cost;
  }
  cost.wide = sizeInBytes(stationary->dtype) == 4;
  const int passes = !cost.wide        ? 1
                     : cost.transposes ? target.pe_fp32_transpose_passes
                                       : target.pe_fp32_passes;
  const double columns = static_cast<double>(stationary->elements());
  const double ii =
      passes * (std::max<double>(moving, target.pe_min_ii_cycles) +
                target.pe_bubble_cycles);
  const double load =
      cost.wide ? columns
                : static_cast<double>((stationary->elements() +
                                       target.pe_load_columns_per_cycle - 1) /
                                      target.pe_load_columns_per_cycle);
  const double ghz = target.tensor_ghz;
  cost.stream = cost.interval = cyclesToTime(ii, ghz);
  cost.latency = cyclesToTime(ii + target.pe_latency_cycles, ghz);
  cost.weights = cyclesToTime(load, ghz);
  // f32 runs as two load + multiply pairs: the second load takes the shadow
  // buffer until the second half starts.
  cost.shadowFree = cost.wide ? cost.interval / 2 : 0;
  return cost;
}

} // namespace

std::uint8_t functionTable(isa::ActivationFunction function) {
  using F = isa::ActivationFunction;
  switch (function) {
  case F::copy:
  case F::square:
  case F::relu:
  case F::sign:
  case F::abs:
    return 0;
  case F::exp:
  case F::log:
    return 1;
  case F::sqrt:
  case F::rsqrt:
  case F::reciprocal:
    return 2;
  case F::sigmoid:
  case F::tanh:
  case F::silu:
    return 3;
  case F::gelu:
  case F::gelu_apprx_tanh:
    return 4;
  }
  return 0;
}

InstructionCost costOf(const isa::Instruction &instruction, isa::Engine engine,
                       const isa::Target &target) {
  if (engine == isa::Engine::tensor)
    return tensorCost(instruction.body, target);
  return laneCost(instruction, engine, target);
}

} // namespace kiln::sim::timing

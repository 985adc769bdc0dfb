//===- LaneFlow.cpp - How many elements pass a lane, and how fast --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneFlow.h"

#include "Operands.h"
#include "kiln/isa/cost.h"
#include "kiln/isa/info.h"
#include "kiln/isa/rounding.h"
#include "kiln/machine/pattern.h"

#include <algorithm>
#include <cstdlib>

namespace kiln::machine {

namespace {

using isa::Access;
using isa::CostForm;
using isa::CostSize;
using isa::Engine;
using isa::FastMode;
using isa::Space;

/// Source elements for which GpSimd runs one part of a gather.
constexpr std::uint64_t gatherPartElements = 512;
/// Partitions that one GpSimd core serves.
constexpr double corePartitions = 16;

bool isBf16(const Access &access) { return access.dtype == isa::DType::bf16; }
bool isContiguous(const Access &access) { return innermostStride(access) == 1; }

class Flow {
public:
  Flow(const isa::Body &body, Engine engine, const isa::Target &target)
      : body(body), engine(engine), target(target),
        model(isa::costModel(isa::info(opcode(body)).cost)) {
    collectAccesses(body, accesses);
    // Indices do not stream with the data.
    std::erase_if(accesses, [](const isa::OperandAccess &entry) {
      return entry.name.ends_with("_index");
    });
    for (const isa::OperandAccess &entry : accesses) {
      partitions = std::max<double>(partitions, entry.access->partitions);
      const bool writes = entry.effect != isa::Effect::read;
      (writes ? outputs : inputs).push_back(entry.access);
      auto &most = writes ? longestOutput : longestInput;
      most = std::max(most, entry.access->elements());
    }
    longest = std::max({longestInput, longestOutput, std::uint64_t{1}});
  }

  LaneFlow make() {
    LaneFlow flow;
    flow.mode = mode();
    flow.cycles = cyclesAtRateOne() / flow.mode;
    if (model.form == CostForm::gatherPart) {
      flow.starts =
          static_cast<unsigned>(isa::ceilDiv(longest, gatherPartElements));
      flow.cycles *= flow.starts;
    }
    if (sharesPort())
      flow.secondTile = flow.cycles * (1 - 1 / passes());
    if (isStrided()) {
      const double dense = flow.cycles;
      flow.cycles *= target.stride_penalty_factor;
      flow.strided = flow.cycles - dense;
    }
    flow.readsOut = model.readsOut || hasReadOut();
    return flow;
  }

private:
  double counted() const {
    return static_cast<double>(model.size == CostSize::input    ? longestInput
                               : model.size == CostSize::output ? longestOutput
                                                                : longest);
  }

  double cyclesPerElement() const {
    if (engine == Engine::vector)
      return model.vector;
    if (engine == Engine::scalar)
      return model.scalar;
    if (operandSpelling(body, "op0") == "rsqrt")
      return target.gpsimd_rsqrt_factor;
    return model.gpsimd;
  }

  double cyclesAtRateOne() const {
    const double n = counted() * cyclesPerElement();
    switch (model.form) {
    case CostForm::partitions:
      return n * partitions / corePartitions;
    case CostForm::gatherLocal:
      return localGather();
    case CostForm::select:
      return counted() + cyclesPerElement() *
                             operandValue<std::int32_t>(body, "n").value_or(0);
    default:
      return n * passes();
    }
  }

  /// One read port per memory: two tiles of one memory pass one after the
  /// other.
  double passes() const {
    if (model.tiles < 2)
      return 1;
    if (engine == Engine::vector && isSplit())
      return 1;
    return tileInputs() < 2 ? 1 : model.tiles;
  }

  /// Of the forms, only that of lanes has passes.
  bool sharesPort() const {
    return model.form == CostForm::lanes && passes() > 1;
  }

  /// The published formula; indices are shared by the partitions of a core.
  double localGather() const {
    const double each = std::max(
        1, operandValue<std::int32_t>(body, "num_elem_per_idx").value_or(1));
    const double size = sizeInBytes(accesses.front().access->dtype);
    const double rate = (28 + 4 * each) / (4 * each) / std::min(4 / size, each);
    return static_cast<double>(longestOutput) / rate;
  }

  unsigned mode() const {
    switch (model.mode) {
    case FastMode::none:
      return 1;
    case FastMode::copy:
      return copyMode();
    case FastMode::fill:
      return engine == Engine::vector ? fillMode() : 1;
    case FastMode::pair:
      return engine == Engine::vector ? pairMode() : 1;
    case FastMode::reduce: {
      const std::string_view op = operandSpelling(body, "op");
      return all(isBf16) && (op == "add" || op == "maximum") ? 2 : 1;
    }
    case FastMode::random:
      return engine == Engine::vector
                 ? static_cast<unsigned>(target.vector_random_per_cycle)
                 : 1;
    }
    return 1;
  }

  /// Types that the wide data path of a generation takes.
  bool isNarrow(const Access &access) const {
    const unsigned size = sizeInBytes(access.dtype);
    return isFloat(access.dtype) &&
           (size == 2 || (size == 1 && target.fast_modes_take_8bit));
  }

  /// The modes of copies depend on a source, which a fill does not have; it
  /// passes what the data path passes for any type, and 16-bit zeros at two per
  /// cycle.
  unsigned fillMode() const {
    const Access &dst = *outputs.front();
    const bool zero = operandValue<float>(body, "value") == 0.0f &&
                      sizeInBytes(dst.dtype) == 2;
    const bool wide = dst.space == Space::sbuf && isContiguous(dst);
    return std::max(
        zero ? 2u : 1u,
        wide ? static_cast<unsigned>(target.vector_mode_32bit_contiguous) : 1u);
  }

  unsigned copyMode() const {
    const bool narrow = all([this](const Access &a) { return isNarrow(a); });
    const bool contiguous = all(isContiguous);
    const bool inSbuf =
        all([](const Access &a) { return a.space != Space::psum; });
    if (engine == Engine::scalar)
      return static_cast<unsigned>(
          narrow && contiguous ? target.scalar_mode_16bit : 1);
    if (engine != Engine::vector)
      return 1;
    if (inSbuf && narrow && contiguous)
      return static_cast<unsigned>(target.vector_mode_16bit_contiguous);
    if (narrow && (inSbuf || (contiguous && isSplitInOut())))
      return static_cast<unsigned>(target.vector_mode_16bit);
    if (inSbuf && contiguous)
      return static_cast<unsigned>(target.vector_mode_32bit_contiguous);
    return 1;
  }

  unsigned pairMode() const {
    if (tileInputs() < 2 || isSplit())
      return 1;
    const bool inSbuf =
        std::all_of(inputs.begin(), inputs.end(),
                    [](const Access *a) { return a->space == Space::sbuf; });
    const std::string_view op = operandSpelling(body, "op");
    if (op.empty())
      return operandSpelling(body, "op0") == "subtract" &&
                     operandSpelling(body, "op1") == "multiply" &&
                     longest % 2 == 0 && tilesAre(isBf16)
                 ? 2
                 : 1;
    if (inSbuf && target.vector_mode_16bit > 1 &&
        all([this](const Access &a) { return isNarrow(a); }))
      return static_cast<unsigned>(target.vector_mode_16bit);
    const bool simple = op == "add" || op == "subtract" || op == "multiply";
    return inSbuf && simple && all(isBf16) && all(isContiguous) ? 2 : 1;
  }

  /// Every operand that streams; per-partition scalars do not.
  template <class Predicate> bool all(Predicate predicate) const {
    return std::all_of(
        accesses.begin(), accesses.end(), [&](const isa::OperandAccess &entry) {
          return isScalar(*entry.access) || predicate(*entry.access);
        });
  }
  template <class Predicate> bool tilesAre(Predicate predicate) const {
    return std::all_of(inputs.begin(), inputs.end(), [&](const Access *input) {
      return isScalar(*input) || predicate(*input);
    });
  }
  bool isScalar(const Access &access) const {
    return access.elements() == 1 && longest > 1;
  }
  long tileInputs() const {
    return std::count_if(
        inputs.begin(), inputs.end(),
        [this](const Access *input) { return !isScalar(*input); });
  }
  static bool anyTileIn(const std::vector<const Access *> &side, Space space,
                        std::uint64_t longest) {
    return std::any_of(side.begin(), side.end(), [&](const Access *a) {
      return a->space == space && (a->elements() > 1 || longest == 1);
    });
  }
  /// Tile inputs from both memories.
  bool isSplit() const {
    return anyTileIn(inputs, Space::sbuf, longest) &&
           anyTileIn(inputs, Space::psum, longest);
  }
  /// Exactly one side of a copy in PSUM.
  bool isSplitInOut() const {
    return anyTileIn(inputs, Space::psum, longest) !=
           anyTileIn(outputs, Space::psum, longest);
  }
  bool isStrided() const {
    return !all([this](const Access &access) {
      return std::abs(innermostStride(access)) *
                 static_cast<int>(sizeInBytes(access.dtype)) <=
             target.stride_penalty_bytes;
    });
  }
  /// An optional destination of one element per partition receives an
  /// accumulator.
  bool hasReadOut() const {
    const isa::InstructionInfo &facts = isa::info(opcode(body));
    return std::any_of(
        accesses.begin(), accesses.end(), [&](const isa::OperandAccess &entry) {
          const isa::OperandInfo *operand = facts.operand(entry.name);
          return operand->effect == isa::Effect::write &&
                 operand->perPartitionScalar;
        });
  }

  const isa::Body &body;
  Engine engine;
  const isa::Target &target;
  const isa::CostModel &model;
  std::vector<isa::OperandAccess> accesses;
  std::vector<const Access *> inputs;
  std::vector<const Access *> outputs;
  double partitions = 1;
  std::uint64_t longestInput = 0;
  std::uint64_t longestOutput = 0;
  std::uint64_t longest = 1;
};

} // namespace

LaneFlow laneFlow(const isa::Body &body, Engine engine,
                  const isa::Target &target) {
  return Flow(body, engine, target).make();
}

} // namespace kiln::machine

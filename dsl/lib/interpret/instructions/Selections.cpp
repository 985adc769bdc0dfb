//===- Selections.cpp - Patterns of indices, selections -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

namespace kiln::interpret {

using isa::AluOp;
using isa::ReduceCommand;

namespace {

/// offset + p * channel_multiplier + the sum of index times step, in 32 bits.
class AffinePattern {
public:
  explicit AffinePattern(Call &call)
      : pairs(call.list("pattern")), offset(call.index("offset")),
        perLane(call.integer("channel_multiplier")) {}

  /// Elements of a lane.
  std::int64_t count() const {
    std::int64_t product = 1;
    for (std::size_t i = 1; i < pairs.size(); i += 2)
      product *= pairs[i];
    return product;
  }
  std::int32_t at(std::size_t lane, std::int64_t element) const {
    auto value =
        static_cast<std::uint32_t>(offset) +
        static_cast<std::uint32_t>(lane) * static_cast<std::uint32_t>(perLane);
    for (std::size_t i = pairs.size(); i >= 2; i -= 2) {
      value += static_cast<std::uint32_t>(element % pairs[i - 1]) *
               static_cast<std::uint32_t>(pairs[i - 2]);
      element /= pairs[i - 1];
    }
    return static_cast<std::int32_t>(value);
  }

private:
  std::vector<std::int64_t> pairs; ///< Step, size; outermost first.
  std::int64_t offset, perLane;
};

bool fits(Call &call, const AffinePattern &pattern) {
  if (pattern.count() != colsOf(call, "dst"))
    call.fail("the pattern of '" + call.mnemonic + "' has " +
              std::to_string(pattern.count()) + " elements, dst has " +
              std::to_string(colsOf(call, "dst")));
  return !call.failed();
}

} // namespace

void interpretIota(Call &call) {
  const AffinePattern pattern(call);
  if (!fits(call, pattern))
    return;
  const DType dtype = typeOf(call, "dst");
  const Array shape = call.resultOf("dst");
  call.write("dst", mapped(shape, dtype, [&](std::size_t row, std::size_t i) {
               const double value =
                   pattern.at(row, static_cast<std::int64_t>(i) % shape.cols());
               // The bits, or 0: the manual does not say what u32 makes of
               // what is negative.
               if (dtype == DType::u32 && value < 0)
                 return anyInteger(dtype);
               return dtype == DType::i32 || dtype == DType::u32
                          ? exactly(value)
                          : exactly(roundTo(dtype, roundTo(DType::f32, value)));
             }));
}

void interpretAffineSelect(Call &call) {
  const AffinePattern pattern(call);
  const AluOp op = call.choice("cmp_op", AluOp::equal);
  const Array kept = call.read("on_true_tile");
  const DType dtype = typeOf(call, "dst");
  const Number other = exactly(
      roundTo(dtype, roundTo(DType::f32, call.number("on_false_value"))));
  if (!fits(call, pattern))
    return;
  if (kept.numbers.size() != call.resultOf("dst").numbers.size())
    return call.fail("operands of 'affine_select' differ in their elements");
  call.write("dst", mapped(kept, dtype, [&](std::size_t row, std::size_t i) {
               const double value =
                   pattern.at(row, static_cast<std::int64_t>(i) % kept.cols());
               const Number &x = kept.numbers[i];
               if (compare(op, exactly(value), exactly(0)) != Truth::yes)
                 return other;
               // Large integers: kept as they are, or through fp32.
               return either(convert(x, kept.dtype, dtype),
                             roundTo(dtype, widen(x, kept.dtype)));
             }));
}

void interpretRangeSelect(Call &call) {
  const ReduceCommand command =
      call.choice("reduce_cmd", ReduceCommand::reset_reduce);
  const AluOp op0 = operatorOf(call, "comp_op0");
  const AluOp op1 = operatorOf(call, "comp_op1");
  const Array kept = call.readWide("on_true_tile");
  const auto bound0 = columnOf(call, "bound0", kept.rows());
  const auto bound1 = columnOf(call, "bound1", kept.rows());
  const std::int64_t first = call.integer("range_start");
  const Number fill = exactly(
      roundTo(DType::f32, call.number("on_false_value", -0x1.fffffep127)));
  Accumulators &accumulators = vectorAccumulators(call.machine);
  accumulators.start(call, command, AluOp::maximum, kept.rows());
  if (call.failed())
    return;
  const Array result =
      mapped(kept, DType::f32, [&](std::size_t row, std::size_t i) {
        const Number index = exactly(static_cast<double>(
            first + static_cast<std::int64_t>(i) % kept.cols()));
        const Number x = stage(op0, index, bound0[row]);
        const Number y = stage(op1, index, bound1[row]);
        const Number both = stage(AluOp::logical_and, x, y);
        return selected(isNonzero(both), both.value != 0, kept.numbers[i],
                        fill);
      });
  accumulators.take(command, AluOp::maximum, result);
  call.write("dst", result);
  accumulators.store(call, "reduce_res");
  if (command == ReduceCommand::idle)
    accumulators.forget(kept.rows());
}

void interpretSelectReduce(Call &call) {
  const ReduceCommand command = call.choice("reduce_cmd", ReduceCommand::idle);
  const Array predicate = call.read("predicate");
  const Array yes = call.readWide("on_true");
  const auto no = columnOf(call, "on_false", yes.rows());
  const bool isReversed = call.flag("reverse_pred");
  Accumulators &accumulators = vectorAccumulators(call.machine);
  accumulators.start(call, command, AluOp::maximum, yes.rows());
  if (!areEqualCounts(call, {&predicate, &yes}))
    return;
  const Array result =
      mapped(yes, DType::f32, [&](std::size_t row, std::size_t i) {
        const Number &condition = predicate.numbers[i];
        const Truth holds = isNonzero(condition);
        return selected(isReversed ? opposite(holds) : holds,
                        (condition.value != 0) != isReversed, yes.numbers[i],
                        no[row]);
      });
  accumulators.take(command, AluOp::maximum, result);
  call.write("dst", result);
  accumulators.store(call, "reduce_res");
  if (command == ReduceCommand::idle)
    accumulators.forget(yes.rows());
}

} // namespace kiln::interpret

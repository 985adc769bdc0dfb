//===- VainWork.cpp - Work that data made vain ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VainWork.h"

#include "Rows.h"

#include <algorithm>
#include <functional>

namespace kiln::sim {

namespace {

View viewOf(const isa::Access &access, const StreamCursor &cursor,
            Memory &memory) {
  return memory.view(access, cursor.byteOffset(access));
}

template <class T> bool holds(isa::AluOp op, T a, T b) {
  switch (op) {
  case isa::AluOp::equal:
    return a == b;
  case isa::AluOp::not_equal:
    return a != b;
  case isa::AluOp::greater_equal:
    return a >= b;
  case isa::AluOp::greater:
    return a > b;
  case isa::AluOp::less_equal:
    return a <= b;
  default:
    return a < b;
  }
}

/// The sum of steps at element `i` of an index pattern; it wraps.
std::uint32_t stepsTo(const isa::IndexPattern &pattern, std::uint64_t i) {
  std::uint32_t sum = 0;
  for (unsigned d = pattern.rank; d-- > 0;) {
    const isa::Dim &dim = pattern.dims[d];
    sum += static_cast<std::uint32_t>(dim.stride) *
           static_cast<std::uint32_t>(i % dim.size);
    i /= dim.size;
  }
  return sum;
}

PartCount masked(const isa::AffineSelect &op, const StreamCursor &cursor,
                 Memory &memory) {
  const View dst = viewOf(op.dst, cursor, memory);
  PartCount count{dst.totalElements(), 0};
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const std::uint32_t start =
        static_cast<std::uint32_t>(cursor.value(op.offset)) +
        p * static_cast<std::uint32_t>(op.channel_multiplier);
    for (std::uint64_t i = 0; i < dst.elements(); ++i)
      count.part +=
          !holds(op.cmp_op,
                 static_cast<std::int32_t>(start + stepsTo(op.pattern, i)), 0);
  }
  return count;
}

PartCount masked(const isa::RangeSelect &op, const StreamCursor &cursor,
                 Memory &memory) {
  const View dst = viewOf(op.dst, cursor, memory);
  FloatRows bound0(viewOf(op.bound0, cursor, memory));
  FloatRows bound1(viewOf(op.bound1, cursor, memory));
  PartCount count{dst.totalElements(), 0};
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float first = bound0.row(p)[0], second = bound1.row(p)[0];
    for (std::uint64_t i = 0; i < dst.elements(); ++i) {
      const float at =
          static_cast<float>(op.range_start) + static_cast<float>(i);
      count.part +=
          !(holds(op.comp_op0, at, first) && holds(op.comp_op1, at, second));
    }
  }
  return count;
}

/// Elements of a predicate that are `value`, as one takes it for true or false.
PartCount countOf(const View &predicate, bool value) {
  FloatRows rows(predicate);
  PartCount count{predicate.totalElements(), 0};
  for (unsigned p = 0; p < predicate.lanes; ++p)
    for (const float one : rows.row(p))
      count.part += (one != 0) == value;
  return count;
}

PartCount masked(const isa::SelectReduce &op, const StreamCursor &cursor,
                 Memory &memory) {
  if (std::holds_alternative<isa::Access>(op.on_false))
    return {};
  return countOf(viewOf(op.predicate, cursor, memory), op.reverse_pred);
}

PartCount masked(const isa::TensorCopyPredicated &op,
                 const StreamCursor &cursor, Memory &memory) {
  if (std::holds_alternative<isa::Access>(op.src) || op.predicate_index)
    return {};
  return countOf(viewOf(op.predicate, cursor, memory), !op.reverse_pred);
}

/// By row of K: how many elements of an operand are not 0. A lane holds
/// `rowsPerLane` of them one after the other, or in turn if it is packed.
std::vector<std::uint64_t> filled(const View &view, unsigned rowsPerLane,
                                  bool isPacked) {
  FloatRows rows(view);
  std::vector<std::uint64_t> counts;
  for (unsigned p = 0; p < view.lanes; ++p) {
    const std::span<const float> row = rows.row(p);
    const std::size_t length = row.size() / rowsPerLane;
    const std::size_t base = counts.size();
    counts.resize(base + rowsPerLane);
    for (std::size_t i = 0; i < row.size(); ++i)
      counts[base + (isPacked ? i % rowsPerLane : i / length)] += row[i] != 0;
  }
  return counts;
}

PartCount idle(const View &stationary, const View &moving, unsigned rowsPerLane,
               bool isPacked) {
  const std::vector<std::uint64_t> left =
      filled(stationary, rowsPerLane, isPacked);
  const std::vector<std::uint64_t> right =
      filled(moving, rowsPerLane, isPacked);
  const unsigned values = isPacked ? 1 : rowsPerLane;
  const std::uint64_t whole =
      stationary.elements() / values * (moving.elements() / values);
  PartCount count;
  for (std::size_t k = 0; k < std::min(left.size(), right.size()); ++k) {
    count.all += whole;
    count.part += whole - left[k] * right[k];
  }
  return count;
}

} // namespace

FloatRows::FloatRows(const View &view)
    : view(view), raw(view.elements()),
      wide(view.elements() * isa::info(view.dtype).values) {}

std::span<const float> FloatRows::row(unsigned lane) {
  gather(view, lane, raw.data());
  kernels().widen[static_cast<std::size_t>(view.dtype)](raw.data(), wide.data(),
                                                        wide.size());
  return wide;
}

PartCount maskedOf(const isa::Body &body, const StreamCursor &cursor,
                   Memory &memory) {
  return std::visit(
      [&](const auto &op) {
        if constexpr (requires { masked(op, cursor, memory); })
          return masked(op, cursor, memory);
        else
          return PartCount();
      },
      body);
}

PartCount idleOf(const isa::Body &body, const StreamCursor &cursor,
                 Memory &memory) {
  const auto operands = [&](const auto &op, unsigned rowsPerLane,
                            bool isPacked) {
    if (op.stationary_index || op.moving_index)
      return PartCount();
    return idle(viewOf(op.stationary, cursor, memory),
                viewOf(op.moving, cursor, memory), rowsPerLane, isPacked);
  };
  if (const auto *op = std::get_if<isa::NcMatmul>(&body))
    return op->is_transpose
               ? PartCount()
               : operands(*op,
                          op->perf_mode == isa::PerformanceMode::double_row ? 2
                                                                            : 1,
                          false);
  if (const auto *op = std::get_if<isa::NcMatmulMx>(&body))
    return operands(*op, isa::info(op->stationary.dtype).values, true);
  return {};
}

bool isExp(const isa::Body &body) {
  return std::visit(
      [](const auto &op) {
        if constexpr (requires { op.op == isa::ActivationFunction::exp; })
          return op.op == isa::ActivationFunction::exp;
        else
          return std::is_same_v<decltype(op), const isa::Exponential &>;
      },
      body);
}

} // namespace kiln::sim

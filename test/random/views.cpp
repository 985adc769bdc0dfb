//===- views.cpp - Windows on tensors and tiles ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>

namespace kiln::test {
Index Generator::start(std::int64_t extent, std::int64_t size,
                       std::int64_t step, bool inHbm) {
  const std::int64_t last = extent - ((size - 1) * step + 1);
  if (last <= 0)
    return 0;
  if (!counters.empty() && choices.percent(65)) {
    const Counter &counter = choices.pick(counters);
    const std::int64_t span = counter.high - counter.low;
    if (!counter.isRegister && counter.low >= 0 && span >= 0 &&
        counter.high <= last) {
      // counter * factor + offset; neighbours often touch or overlap.
      std::int64_t factor = 1;
      if (counter.high > 0) {
        factor = std::min(
            last / counter.high,
            choices.pick({size, size, size - 1, std::int64_t(1), size + 1}));
        factor = std::max<std::int64_t>(factor, 0);
      }
      const std::int64_t room = last - counter.high * factor;
      const std::int64_t offset =
          choices.percent(50) ? 0 : choices.below(room + 1);
      if (choices.percent(10) && counter.high > 1)
        return counter.value / 2 * factor + offset;
      return counter.value * factor + offset;
    }
    // Any counter, clamped or wrapped.
    if (!counter.isRegister && choices.percent(20)) {
      const std::int64_t factor = choices.pick({1, 2, 5, -1, -3});
      const Index moved = counter.value * factor + choices.below(last + 1);
      return choices.percent(50) ? min(max(moved, 0), last)
                                 : max(min(moved, last), 0);
    }
    if (!counter.isRegister || inHbm || choices.percent(30)) {
      const std::int64_t addend = choices.below(4);
      const std::int64_t factor = choices.pick({1, 1, 3, 7});
      return (counter.value * factor + addend) % (last + 1);
    }
  }
  switch (choices.weighted({3, 2, 3})) {
  case 0:
    return 0;
  case 1:
    return last;
  default:
    return choices.below(last + 1);
  }
}

std::optional<ViewRef> Generator::window(const Tensor &tensor,
                                         std::int64_t rows, std::int64_t cols,
                                         bool write) {
  const auto cut = [&](ViewRef view, std::int64_t haveRows,
                       std::int64_t haveCols) {
    const std::int64_t have[] = {haveRows, haveCols}, want[] = {rows, cols};
    for (std::int64_t dim = 0; dim < 2; ++dim) {
      const std::int64_t extent = have[dim], size = want[dim];
      if (extent == size)
        continue;
      std::int64_t step = 1;
      if (size > 1 && choices.percent(15))
        step = std::min<std::int64_t>(choices.from(2, 3),
                                      (extent - 1) / (size - 1));
      const Index from = start(extent, size, step, true);
      view = rec->slice(view, dim, from.value(), size, step, here());
    }
    return view;
  };
  if (choices.percent(12) && tensor.cols >= rows && tensor.rows >= cols)
    return cut(rec->permute(tensor.ref, {1, 0}, here()), tensor.cols,
               tensor.rows);
  if (choices.percent(8) && tensor.cols % 2 == 0 && tensor.rows * 2 >= rows &&
      tensor.cols / 2 >= cols)
    return cut(
        rec->reshape(tensor.ref, {tensor.rows * 2, tensor.cols / 2}, here()),
        tensor.rows * 2, tensor.cols / 2);
  if (tensor.rows >= rows && tensor.cols >= cols)
    return cut(tensor.ref, tensor.rows, tensor.cols);
  if (write)
    return std::nullopt;
  // One row or column for all.
  if (tensor.cols >= cols && choices.percent(50)) {
    const Index from = start(tensor.rows, 1, 1, true);
    ViewRef view = rec->slice(tensor.ref, 0, from.value(), 1, 1, here());
    if (tensor.cols != cols) {
      const Index at = start(tensor.cols, cols, 1, true);
      view = rec->slice(view, 1, at.value(), cols, 1, here());
    }
    return rec->broadcast(view, 0, rows, here());
  }
  if (tensor.rows >= rows && choices.percent(50)) {
    const Index from = start(tensor.cols, 1, 1, true);
    ViewRef view = rec->slice(tensor.ref, 1, from.value(), 1, 1, here());
    if (tensor.rows != rows) {
      const Index at = start(tensor.rows, rows, 1, true);
      view = rec->slice(view, 0, at.value(), rows, 1, here());
    }
    return rec->broadcast(view, 1, cols, here());
  }
  return std::nullopt;
}

Item Generator::part(const Item &item, std::int64_t rows, std::int64_t cols,
                     bool write) {
  Item result = item;
  const auto see = [&] {
    if (result.id != dsl::none)
      rec->markViewed(result.ref);
    result.id = dsl::none;
  };
  if (item.rows() != rows) {
    const std::int64_t last = item.rows() - rows;
    const std::int64_t from =
        choices.percent(25) ? 0
        : choices.percent(30)
            ? std::min<std::int64_t>(
                  last, choices.pick({31, 32, 33, 64, 96, 127, 128}))
            : choices.below(last + 1);
    see();
    result.ref = rec->slice(result.ref, 0, {from}, rows, 1, here());
    result.allRows = false;
  }
  if (item.cols() != cols) {
    std::int64_t step = 1;
    if (cols > 1 && choices.percent(15))
      step = std::min<std::int64_t>(choices.from(2, 3),
                                    (item.cols() - 1) / (cols - 1));
    const Index from = start(item.cols(), cols, step, false);
    see();
    result.ref = rec->slice(result.ref, 1, from.value(), cols, step, here());
  }
  result.shape = {rows, cols};
  result.written = item.written && write;
  return result;
}

Item Generator::seenOtherwise(const Item &item) {
  if (!item.isMatrix() || item.cols() < 4 || !choices.percent(20))
    return item;
  std::int64_t factor = 0;
  for (const std::int64_t candidate : {2, 3, 4, 5, 8})
    if (item.cols() % candidate == 0 && (factor == 0 || choices.percent(40)))
      factor = candidate;
  if (factor == 0)
    return item;
  // Columns dealt out anew: [R, f, C/f], exchanged, merged again is not a view;
  // so one of the parts, or all of them in another order of three dimensions.
  Item result = item;
  if (result.id != dsl::none)
    rec->markViewed(result.ref);
  result.id = dsl::none;
  const std::int64_t rest = item.cols() / factor;
  ViewRef view = rec->reshape(item.ref, {item.rows(), factor, rest}, here());
  view = rec->permute(view, {0, 2, 1}, here());
  view = rec->select(view, 2, {choices.below(factor)}, here());
  result.ref = view;
  result.shape = {item.rows(), rest};
  return result;
}

const Item *Generator::drawItem() {
  if (pool.empty())
    return nullptr;
  // Late ones more often, but also those from outside of the loop.
  const auto size = static_cast<std::int64_t>(pool.size());
  const std::int64_t at =
      choices.percent(50)
          ? size - 1 - choices.below(std::min<std::int64_t>(size, 4))
          : choices.below(size);
  return &pool[static_cast<std::size_t>(at)];
}

const Tensor *Generator::drawTensor(bool write) {
  for (int attempt = 0; attempt < 6; ++attempt) {
    const Tensor &tensor = choices.pick(tensors);
    if (write ? tensor.written : tensor.read)
      return &tensor;
  }
  return nullptr;
}

Item Generator::operand(std::int64_t rows, std::int64_t cols) {
  for (int attempt = 0; attempt < 4 && !pool.empty(); ++attempt) {
    const Item item = *drawItem();
    if (item.isMatrix() && item.rows() >= rows && item.cols() >= cols)
      return part(item, rows, cols);
  }
  return choices.percent(80) ? loadTile(rows, cols) : fillTile(rows, cols);
}

Item Generator::anyOperand() {
  const std::int64_t cols = drawCols();
  return operand(drawRows(), cols);
}

Item Generator::typedOperand(std::int64_t rows, std::int64_t cols,
                             bool integers) {
  Item item = operand(rows, cols);
  for (int attempt = 0; attempt < 3 && isInteger(item.dtype) != integers;
       ++attempt)
    item = operand(rows, cols);
  if (isInteger(item.dtype) == integers)
    return item;
  return integers ? converted(within(item, {-100, 100}), DType::i32)
                  : asFloat(item);
}

} // namespace kiln::test

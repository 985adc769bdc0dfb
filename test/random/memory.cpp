//===- memory.cpp - Variables, buffers, stores of chance ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>

namespace kiln::test {
void Generator::keepItem(Item item) {
  item.written = item.isBuffer;
  pool.push_back(std::move(item));
}

Item Generator::fitting(const Item &item, const Item &target) {
  return within(item, target.range);
}

/// A tile that statements assign, in this body or an inner one.
void Generator::variableStatement() {
  Item item = newTile();
  item = within(item, limitsOf(item.dtype));
  item = within(item, limitsOf(item.dtype)); // The minimum of u8 is i32.
  const bool known =
      std::any_of(pool.begin(), pool.end(), [&](const Item &other) {
        return other.ref.id == item.ref.id;
      });
  if (item.id == dsl::none)
    item = made(rec->move(OpKind::copy, item.ref, item.dtype, here()),
                item.dtype, item.shape, item.range);
  else if (known)
    item =
        made(rec->copied(item.id, here()), item.dtype, item.shape, item.range);
  item.range = limitsOf(item.dtype);
  item.written = true;
  pool.push_back(item);
}

void Generator::assign(Item &target, const Item &value) {
  dsl::Source source;
  source.view = value.ref;
  if (target.id != dsl::none) {
    target.id = rec->assignTile(target.id, source, here());
    target.ref = ViewRef::whole(target.id);
  } else {
    rec->assignView(target.ref, source, here());
  }
}

void Generator::assignStatement() {
  if (choices.percent(12))
    return rowsAtIndex();
  if (choices.percent(10))
    return assignBits();
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < pool.size(); ++i)
    if (pool[i].written && pool[i].isMatrix())
      candidates.push_back(i);
  if (candidates.empty())
    return;
  const std::size_t at = choices.pick(candidates);
  Item target = pool[at];
  const bool wholeTile = choices.percent(45);
  if (!wholeTile) {
    const std::int64_t rows =
        choices.percent(60) ? target.rows() : choices.from(1, target.rows());
    const std::int64_t cols =
        choices.percent(20) ? target.cols() : choices.from(1, target.cols());
    target = part(target, rows, cols, true);
  }
  const std::int64_t rows = target.rows(), cols = target.cols();
  Item value;
  switch (choices.weighted({5, 4, 4, 2, 1})) {
  case 0: // From itself: a sum, a maximum.
    value = typedOperand(rows, cols, isInteger(target.dtype));
    value = converted(within(value, limitsOf(target.dtype)), target.dtype);
    value =
        made(rec->binary(
                 OpKind::binary, choices.pick({"add", "maximum", "subtract"}),
                 target.ref, value.ref,
                 isInteger(target.dtype)
                     ? (target.dtype == DType::u32 ? DType::u32 : DType::i32)
                     : DType::f32,
                 here()),
             isInteger(target.dtype)
                 ? (target.dtype == DType::u32 ? DType::u32 : DType::i32)
                 : DType::f32,
             {rows, cols}, {-0x1p31, 0x1p32});
    if (value.dtype != DType::u32)
      value.range = {-500, 500};
    break;
  case 1: // Another part of the same memory, which may overlap.
    value = part(pool[at], rows, cols);
    if (choices.percent(40))
      value = scaled("add", value, 1.0);
    break;
  case 2:
    value = operand(rows, cols);
    break;
  case 3: {
    dsl::Source source;
    source.isNumber = true;
    source.number = static_cast<double>(choices.from(0, 7));
    if (wholeTile && target.id != dsl::none) {
      pool[at].id = rec->assignTile(target.id, source, here());
      pool[at].ref = ViewRef::whole(pool[at].id);
    } else {
      rec->assignView(target.ref, source, here());
    }
    return;
  }
  default:
    value = scaled("multiply", pool[at], 2.0);
    value = part(value, rows, cols);
  }
  // Between integers and floats only what both hold.
  value = fitting(value, target);
  assign(wholeTile ? pool[at] : target, value);
}

void Generator::bufferStatement() {
  Item buffer;
  buffer.isBuffer = buffer.written = true;
  const bool inPsum = choices.percent(25);
  buffer.space = inPsum ? Space::psum : Space::sbuf;
  buffer.dtype = inPsum ? DType::f32 : drawType();
  const std::int64_t rows = std::min<std::int64_t>(drawRows(), 128);
  const std::int64_t cols = std::min<std::int64_t>(drawCols(), 512);
  buffer.shape = {rows, cols};
  buffer.range = inPsum ? Interval{-20000, 20000} : limitsOf(buffer.dtype);
  Placement place;
  if (!inPsum && choices.percent(8) && pins < 6)
    place = at(0, 49152 + 16384 * pins++);
  else if (inPsum && choices.percent(10) && pins < 6)
    place = bank(pins++ % 4);
  else if (depth > 0 && choices.percent(25))
    place.ring = choices.pick({2, 3});
  const Id id =
      rec->declare(buffer.space, buffer.dtype, {rows, cols}, place, here());
  buffer.ref = ViewRef::whole(id);
  budget -= 4000 * repeats;
  initialise(buffer);
  pool.push_back(buffer);
}

/// Each byte is written before somebody reads it.
void Generator::initialise(const Item &buffer) {
  const std::int64_t rows = buffer.rows(), cols = buffer.cols();
  const auto assignPart = [&](std::int64_t from, std::int64_t size) {
    Item target = buffer;
    if (size != cols) {
      target.ref = rec->slice(buffer.ref, 1, {from}, size, 1, here());
      target.shape = {rows, size};
    }
    assign(target, fitting(operand(rows, size), target));
  };
  switch (choices.weighted({3, 3, 2, 2})) {
  case 0:
    nc::memset(AnyTile{buffer.ref}, static_cast<double>(choices.from(0, 5)));
    return;
  case 1:
    assignPart(0, cols);
    return;
  case 2:
    if (cols > 1) {
      const std::int64_t first = choices.from(1, cols - 1);
      assignPart(0, first);
      assignPart(first, cols - first);
      return;
    }
    assignPart(0, cols);
    return;
  default:
    for (int attempt = 0; attempt < 4 && buffer.space == Space::sbuf;
         ++attempt) {
      const Tensor *tensor = drawTensor(false);
      if (!tensor || tensor->dtype != buffer.dtype ||
          tensor->range.low < buffer.range.low ||
          tensor->range.high > buffer.range.high)
        continue;
      if (const auto view = window(*tensor, rows, cols, false)) {
        nc::dma_copy(AnyTile{buffer.ref}, AnyTensor{*view});
        return;
      }
    }
    nc::memset(AnyTile{buffer.ref}, 1.0);
  }
}

void Generator::storeStatement() {
  const Tensor *tensor = drawTensor(true);
  if (!tensor)
    return;
  std::int64_t rows = choices.percent(50) ? drawRows() : tensor->rows;
  std::int64_t cols = choices.percent(50) ? drawCols() : tensor->cols;
  if (!pool.empty() && choices.percent(60)) {
    const Item &item = *drawItem();
    rows = item.rows();
    cols = item.cols();
  }
  rows = std::min(rows, tensor->rows);
  cols = std::min(cols, tensor->cols);
  if (repeats > 8)
    rows = std::min<std::int64_t>(rows, 64);
  const auto view = window(*tensor, rows, cols, true);
  if (!view)
    return;
  const Item value = within(operand(rows, cols), tensor->range);
  operations.push_back(rec->store(*view, value.ref, here()));
  budget -= (rows * cols + 2000) * repeats;
  if (operations.size() > 1 && choices.percent(6))
    rec->orderAfter(operations.back(),
                    operations[static_cast<std::size_t>(choices.below(
                        static_cast<std::int64_t>(operations.size()) - 1))],
                    here());
}

/// Memory of its own in HBM.
void Generator::scratchStatement() {
  if (depth > 0 || tensors.size() > 8)
    return;
  Tensor tensor;
  tensor.dtype = drawType();
  tensor.rows = drawRows();
  tensor.rows *= choices.pick({1, 1, 2, 3});
  tensor.cols = drawCols();
  tensor.range = limitsOf(tensor.dtype);
  tensor.written = true;
  const std::string name = "s" + std::to_string(names++);
  tensor.ref = rec->scratch(false, name, tensor.dtype,
                            {tensor.rows, tensor.cols}, here());
  fillOutput(tensor);
  tensors.push_back(tensor);
}

} // namespace kiln::test

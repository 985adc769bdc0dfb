//===- listed.cpp - Row lists, rows by index, bytes of chance -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>
#include <cmath>

namespace kiln::test {
namespace {

/// Calls the body with an element of this type; the language's row lists take
/// it from their tensor.
template <class Body> void withElement(DType dtype, Body &&body) {
  switch (dtype) {
  case DType::f32:
    return body(f32());
  case DType::bf16:
    return body(bf16());
  case DType::f16:
    return body(f16());
  case DType::i32:
    return body(i32());
  case DType::u32:
    return body(u32());
  case DType::u8:
    return body(u8());
  default:
    return; // The others add nothing: only their sizes matter.
  }
}

template <class T>
using TensorOf = dsl::Hbm<T, dsl::Access::inout, Shape<-1, -1>>;
template <class T> using TileViewOf = dsl::TileView<T, Shape<-1, -1>>;

/// What the bits of any element of this type may be.
Interval bitsOf(DType dtype) {
  const int bits = static_cast<int>(8 * isa::sizeInBytes(dtype));
  return isa::info(dtype).isSigned
             ? Interval{-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1}
             : Interval{0, std::ldexp(1, bits) - 1};
}

} // namespace

/// A column of row numbers; some occur several times, and with `beyond` some
/// are no rows.
Item Generator::rowNumbers(std::int64_t count, std::int64_t rows, bool beyond) {
  Item numbers = typedOperand(count, 1, true);
  const double most = static_cast<double>(rows) - 1;
  numbers =
      within(numbers, beyond ? Interval{-3, most + 3} : Interval{0, most});
  return converted(numbers, DType::i32);
}

/// Tiles of any number of rows that a column lists.
void Generator::listedRows() {
  if (settings.generation == isa::Generation::v2)
    return;
  const bool stores = choices.percent(50);
  const Tensor *drawn = drawTensor(stores);
  if (!drawn)
    return;
  const Tensor table = *drawn;
  const std::int64_t count = drawRows();
  if (count * table.cols * repeats > 200'000)
    return;
  const bool beyond = choices.percent(30);
  const auto outside = beyond ? nc::OobMode::skip : nc::OobMode::error;
  withElement(table.dtype, [&](auto element) {
    using T = decltype(element);
    const Item places = rowNumbers(count, table.rows, beyond);
    const TileViewOf<i32> listed{places.ref};
    budget -= (count * table.cols + 4000) * repeats;
    if (stores) {
      const Item value = within(operand(count, table.cols), table.range);
      withElement(value.dtype, [&](auto given) {
        store_rows(TensorOf<T>{table.ref}, listed,
                   TileViewOf<decltype(given)>{value.ref}, outside);
      });
      return;
    }
    const auto rows = load_rows(TensorOf<T>{table.ref}, listed, outside);
    Item item;
    item.isBuffer = true;
    item.ref = rows.viewOf(here());
    item.dtype = table.dtype;
    item.shape = {count, table.cols};
    item.range = hull(table.range, {0, 0});
    pool.push_back(item);
  });
}

/// Rows of a tile at an index: a copy of them, or a tile that takes their
/// place.
void Generator::rowsAtIndex() {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < pool.size(); ++i)
    if (pool[i].isMatrix() && pool[i].allRows && pool[i].rows() > 1)
      candidates.push_back(i);
  if (candidates.empty() || counters.empty())
    return;
  Item item = pool[choices.pick(candidates)];
  const std::int64_t size =
      choices.from(1, std::min<std::int64_t>(item.rows(), 5));
  const std::int64_t last = item.rows() - size;
  // The index of a loop or a register, inside the tile.
  const Counter &counter = choices.pick(counters);
  const std::int64_t addend = choices.below(last + 1);
  const std::int64_t factor =
      choices.pick({std::int64_t(1), size, std::int64_t(-1)});
  const Index from = min(max(counter.value * factor + addend, 0), last);
  if (from.isConstant())
    return;
  const bool written = item.written && choices.percent(60);
  if (item.id != dsl::none)
    rec->markViewed(item.ref);
  Item rows = item;
  rows.id = dsl::none;
  rows.written = false;
  rows.ref = rec->slice(item.ref, 0, from.value(), size, 1, here());
  rows.shape = {size, item.cols()};
  budget -= (item.rows() * item.cols() + 4000) * 2 * repeats;
  if (!written) {
    pool.push_back(made(rec->move(OpKind::copy, rows.ref, item.dtype, here()),
                        item.dtype, rows.shape, item.range));
    return;
  }
  const Item value = fitting(operand(size, item.cols()), item);
  assign(rows, value);
}

/// The bits of elements, seen as integers.
Item Generator::bytesTile() {
  const std::int64_t cols = drawCols();
  const Item x = operand(drawRows(), cols);
  const std::int64_t width = isa::sizeInBytes(x.dtype);
  const DType dtype =
      choices.pick({DType::u8, DType::u16, DType::i32, DType::u32, DType::i8});
  const std::int64_t to = isa::sizeInBytes(dtype);
  const std::int64_t bytes = x.cols() * width;
  // Windows may start anywhere: only a copy is known to be contiguous.
  const Id whole = rec->move(OpKind::copy, x.ref, x.dtype, here());
  const Item copied = made(whole, x.dtype, x.shape, x.range);
  if (bytes % to != 0)
    return copied;
  rec->markViewed(copied.ref);
  const ViewRef view = rec->bitcast(copied.ref, dtype, here());
  return made(rec->move(OpKind::copy, view, dtype, here()), dtype,
              {x.rows(), bytes / to}, bitsOf(dtype));
}

/// Changes the signs of floats by their bits.
void Generator::assignBits() {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < pool.size(); ++i)
    if (pool[i].written && pool[i].isMatrix() && pool[i].allRows &&
        (pool[i].dtype == DType::f32 || pool[i].dtype == DType::bf16) &&
        pool[i].range.low <= -pool[i].range.high)
      candidates.push_back(i);
  if (candidates.empty())
    return;
  const Item buffer = pool[choices.pick(candidates)];
  if (buffer.id != dsl::none)
    rec->markViewed(buffer.ref);
  const bool wide = buffer.dtype == DType::f32;
  const DType dtype = wide ? DType::u32 : DType::u16;
  Item bits = buffer;
  bits.id = dsl::none;
  bits.dtype = dtype;
  bits.ref = rec->bitcast(buffer.ref, dtype, here());
  const bool clears = choices.percent(50);
  const std::int64_t sign = wide ? 0x80000000 : 0x8000;
  nc::Call call("tensor_scalar", here());
  call.view("data", {bits.ref})
      .choice("op0", clears ? nc::AluOp::bitwise_and : nc::AluOp::bitwise_xor)
      .integer("operand0", clears ? sign - 1 : sign);
  const Item changed = made(call.apply(dtype, {buffer.rows(), buffer.cols()}),
                            dtype, buffer.shape, bitsOf(dtype));
  assign(bits, changed);
}

/// Functions that are made of several operations.
Item Generator::composedTile() {
  const std::int64_t rows = drawRows(), cols = drawCols();
  Item x = asFloat(operand(rows, cols));
  const auto tile = [&] { return AnyTile{x.ref}; };
  const auto as = [&](Id id, Extents shape, Interval range) {
    return made(id, DType::f32, std::move(shape), range);
  };
  switch (choices.weighted({4, 3, 3, 2, 2, 3, 3})) {
  case 0:
    x = converted(x, DType::f32); // Transposes keep the type.
    return as(
        (choices.percent(50) ? col_max(tile()) : col_min(tile())).temporaryId(),
        {1, cols}, x.range);
  case 1:
    x = within(x, {0.25, 8});
    return as(
        power(tile(), choices.pick({3.0, -2.0, 1.5, 2.0, 0.5})).temporaryId(),
        {rows, cols}, {0, 520});
  case 2: {
    x = within(x, {0.25, 8});
    const Item y = within(asFloat(operand(rows, cols)), {-2, 3});
    return as(power(tile(), AnyTile{y.ref}).temporaryId(), {rows, cols},
              {0, 520});
  }
  case 3:
    x = within(x, {-1, 1});
    return as(tan(tile()).temporaryId(), {rows, cols}, {-1.6, 1.6});
  case 4:
    x = within(x, {-1, 1});
    return as(cumprod(tile()).temporaryId(), {rows, cols}, {-1, 1});
  case 5: {
    x = within(x, {-1000, 1000});
    const auto parts = quantize_rows<f8e4m3>(tile());
    if (choices.percent(50))
      return as(parts.scales.temporaryId(), {rows, 1}, {0, 5});
    return made(parts.data.temporaryId(), DType::f8e4m3, {rows, cols},
                {-240, 240});
  }
  default: {
    const Item mask = maskTile(rows, cols);
    return made(rec->scalar(OpKind::compare, "equal", mask.ref, 0.0, false,
                            DType::u8, here()),
                DType::u8, {rows, cols}, {0, 1});
  }
  }
}

/// Products that a loop adds up in PSUM: the first one writes.
void Generator::summedProducts() {
  // Kiln splits the first iteration off, but not from promises of order.
  if (repeats > 8 || ordered > 0)
    return;
  const std::int64_t m = std::min<std::int64_t>(drawCols(), 128);
  const std::int64_t n = std::min<std::int64_t>(drawCols(), 512);
  const std::int64_t k = std::min<std::int64_t>(drawRows(), 128);
  const std::int64_t trips = choices.from(1, 4);
  const double size = 64.0 * static_cast<double>(k * trips);
  const Item sum = declared(Space::psum, DType::f32, m, n, {-size, size});
  const std::string name = "p" + std::to_string(names++);
  loop(name, trips, [&](const Index &index) {
    nested(trips, [&] {
      counters.push_back({index, 0, trips - 1, false});
      const auto draw = [&](std::int64_t cols) {
        return converted(within(asFloat(chipOperand(k, cols, false)), {-8, 8}),
                         DType::bf16);
      };
      const Item a = draw(m), b = draw(n);
      nc::nc_matmul(AnyTile{sum.ref}, AnyTile{a.ref}, AnyTile{b.ref},
                    {.accumulate = nc::Accumulate::first_writes});
      if (choices.percent(40))
        tileStatement();
    });
  });
  budget -= (k * n * m / 64 + 3000) * trips * repeats;
  pool.push_back(sum);
}

/// A register, or what is computed from it, in memory.
void Generator::storeRegister() {
  std::vector<Tensor> candidates;
  for (const Tensor &tensor : tensors)
    if (tensor.written && tensor.dtype == DType::i32)
      candidates.push_back(tensor);
  if (candidates.empty())
    return;
  const Tensor tensor = choices.pick(candidates);
  std::int64_t low = 0, high = 0;
  Index value = drawRegister(low, high);
  if (choices.percent(60)) {
    const std::int64_t factor = choices.pick({1, 2, 7});
    value = value * factor + choices.from(0, 9);
  }
  const auto view = window(tensor, 1, 1, true);
  if (!view)
    return;
  nc::register_store(TensorOf<i32>{*view}, value);
  budget -= 2000 * repeats;
}

} // namespace kiln::test

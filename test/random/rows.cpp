//===- rows.cpp - Products, reductions, functions of chance ---------------===//
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
Item Generator::reduceTile() {
  Item x = anyOperand();
  const char *op =
      choices.pick({"add", "add", "maximum", "minimum", "multiply"});
  const std::string_view name = op;
  Interval range = x.range;
  if (name == "add") {
    if (!isInteger(x.dtype))
      x = within(x, {-1e5, 1e5});
    const double size = x.range.size() * static_cast<double>(x.cols());
    range = {-size, size};
  } else if (name == "multiply") {
    x = within(x, {-1, 1});
    range = {-1, 1};
  }
  return made(rec->reduce(op, x.ref, DType::f32, here()), DType::f32,
              {x.rows(), 1}, range);
}

/// Of MX floats.
Item Generator::scaledTile() {
  const std::int64_t k = 128 * choices.from(1, 6), m = 2 * choices.from(1, 70);
  const std::int64_t n = std::min<std::int64_t>(drawCols(), 300);
  budget -= k * (m * n / 64 + m + n) * repeats;
  dsl::Id ids[4];
  double size = 1.25 * static_cast<double>(k); // Rounded up at most so much.
  for (int side = 0; side < 2; ++side) {
    Item x = within(asFloat(operand(k, side == 0 ? m : n)), {-32, 32});
    if (x.dtype != DType::f16)
      x = converted(x, DType::bf16);
    const DType dtype = choices.pick(
        {DType::f8e4m3fn_x4, DType::f8e4m3fn_x4, DType::f8e5m2_x4});
    ids[2 * side] = rec->quantize(x.ref, dtype, false, here());
    ids[2 * side + 1] = rec->quantize(x.ref, dtype, true, here());
    size *= x.range.size();
  }
  return made(rec->scaledMatmul(ViewRef::whole(ids[0]), ViewRef::whole(ids[1]),
                                ViewRef::whole(ids[2]), ViewRef::whole(ids[3]),
                                here()),
              DType::f32, {m, n}, {-size, size});
}

Item Generator::productTile() {
  if (settings.generation == isa::Generation::v4 && choices.percent(15))
    return scaledTile();
  const std::int64_t k = drawRows();
  const std::int64_t m = std::min<std::int64_t>(
      choices.percent(50) ? drawCols() : drawRows(), 300);
  const std::int64_t n = std::min<std::int64_t>(drawCols(), 700);
  const bool transposeA = choices.percent(70), transposeB = choices.percent(25);
  const auto draw = [&](std::int64_t rows, std::int64_t cols) {
    return within(asFloat(operand(rows, cols)), {-32, 32});
  };
  Item a = transposeA ? draw(k, m) : draw(m, k);
  Item b = transposeB ? draw(n, k) : draw(k, n);
  if (choices.percent(20)) {
    // From trn2 on, the array takes two rows of 8-bit floats at once.
    a = converted(a, choices.pick({DType::f8e4m3, DType::f8e5m2}));
    b = converted(b, choices.pick({DType::f8e4m3, DType::f8e5m2}));
  } else if (a.dtype != b.dtype && a.dtype != DType::f32 &&
             b.dtype != DType::f32) {
    b = converted(b, a.dtype);
  }
  budget -= k * m * n / 64 * repeats;
  const double size = a.range.size() * b.range.size() * static_cast<double>(k);
  Item result = made(rec->matmul(a.ref, b.ref, transposeA, transposeB, here()),
                     DType::f32, {m, n}, {-size, size});
  // A sum of products in PSUM.
  if (choices.percent(20)) {
    const Id other = rec->matmul(a.ref, b.ref, transposeA, transposeB, here());
    result = made(rec->binary(OpKind::binary, "add", result.ref,
                              ViewRef::whole(other), DType::f32, here()),
                  DType::f32, {m, n}, {-2 * size, 2 * size});
  }
  return result;
}

Item Generator::moveTile() {
  const std::int64_t rows = drawRows(), cols = drawCols();
  Item x = operand(rows, cols);
  switch (choices.weighted({3, 4, 4, 2})) {
  case 0:
    return made(rec->move(OpKind::transpose, x.ref, x.dtype, here()), x.dtype,
                {cols, rows}, x.range);
  case 1: {
    const DType dtype = drawType();
    x = within(x, limitsOf(dtype));
    if (dtype != DType::f8e4m3 || settings.generation == isa::Generation::v4 ||
        choices.percent(40))
      return converted(x, dtype);
    // Before trn3 f8e4m3fn is moved, and nothing computes with it.
    x = converted(x, DType::f8e4m3fn);
    if (choices.percent(50))
      x = made(rec->move(OpKind::copy, x.ref, x.dtype, here()), x.dtype,
               x.shape, x.range);
    return converted(x, DType::f32);
  }
  case 2:
    x = seenOtherwise(x);
    return made(rec->move(OpKind::copy, x.ref, x.dtype, here()), x.dtype,
                x.shape, x.range);
  default: {
    // A column for all columns.
    Item column = operand(rows, 1);
    const ViewRef wide = rec->broadcast(column.ref, 1, cols, here());
    if (column.id != dsl::none)
      rec->markViewed(column.ref);
    return made(rec->move(OpKind::copy, wide, column.dtype, here()),
                column.dtype, {rows, cols}, column.range);
  }
  }
}

/// Along rows, with instructions that search or accumulate.
Item Generator::rowsTile() {
  const std::int64_t rows = drawRows();
  const std::int64_t cols = std::max<std::int64_t>(drawCols(), 8);
  Item x = asFloat(operand(rows, cols));
  x = within(x, {-1000, 1000});
  const AnyTile tile{x.ref};
  const double size = x.range.size();
  const auto place = static_cast<double>(cols - 1);
  switch (choices.weighted({3, 3, 3, 3, 3, 2})) {
  case 0: {
    const auto values = row_max8(tile);
    return made(values.temporaryId(), DType::f32, {rows, 8}, x.range);
  }
  case 1: {
    const auto places = row_argmax(tile);
    return made(places.temporaryId(), DType::u32, {rows, 1}, {0, place});
  }
  case 2: {
    const std::int64_t k = choices.from(1, std::min<std::int64_t>(cols, 11));
    const auto best = top_k(tile, k);
    if (choices.percent(50))
      return made(best.values.temporaryId(), DType::f32, {rows, k},
                  hull(x.range, {0, 0}));
    return made(best.places.temporaryId(), DType::u32, {rows, k}, {0, place});
  }
  case 3: {
    const double sum = size * static_cast<double>(cols);
    return made(cumsum(tile).temporaryId(), DType::f32, {rows, cols},
                {-sum, sum});
  }
  case 4:
    return made(
        (choices.percent(50) ? cummax(tile) : cummin(tile)).temporaryId(),
        DType::f32, {rows, cols}, x.range);
  default: {
    const Item a = within(asFloat(operand(rows, cols)), {-1, 1});
    const double sum = size * static_cast<double>(cols + 1);
    return made(scan(AnyTile{a.ref}, tile, 1.0).temporaryId(), DType::f32,
                {rows, cols}, {-sum, sum});
  }
  }
}

Item Generator::functionTile() {
  const std::int64_t rows = drawRows(), cols = drawCols();
  Item x = asFloat(operand(rows, cols));
  const double size = x.range.size();
  const auto tile = [&] { return AnyTile{x.ref}; };
  const auto as = [&](Id id, Interval range) {
    return made(id, DType::f32, {rows, cols}, range);
  };
  switch (choices.weighted({3, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2})) {
  case 0:
    switch (choices.below(4)) {
    case 0:
      return as(round(tile()).temporaryId(), {-size - 1, size + 1});
    case 1:
      return as(floor(tile()).temporaryId(), {-size - 1, size + 1});
    case 2:
      return as(ceil(tile()).temporaryId(), {-size - 1, size + 1});
    default:
      return as(trunc(tile()).temporaryId(), {-size - 1, size + 1});
    }
  case 1:
    x = within(x, {-1e4, 1e4});
    return choices.percent(50) ? as(mod(tile(), 4.0).temporaryId(), {0, 4})
                               : as(fmod(tile(), 2.0).temporaryId(), {-2, 2});
  case 2:
    x = within(x, {-20, 20});
    return as(softmax(tile()).temporaryId(), {0, 1});
  case 3: {
    const Item w = within(asFloat(operand(1, cols)), {-32, 32});
    const double most = 32 * std::sqrt(static_cast<double>(cols)) + 1;
    x = within(x, {-1000, 1000});
    return as(rms_norm(tile(), AnyTile{w.ref}).temporaryId(), {-most, most});
  }
  case 4:
    x = within(x, {-1000, 1000});
    return made(row_mean(tile()).temporaryId(), DType::f32, {rows, 1}, x.range);
  case 5:
    x = within(x, {-100, 100});
    return made(row_var(tile()).temporaryId(), DType::f32, {rows, 1}, {0, 4e4});
  case 6: {
    x = within(x, {-1000, 1000});
    const double sum = 1000 * static_cast<double>(rows);
    return made(col_sum(tile()).temporaryId(), DType::f32, {1, cols},
                {-sum, sum});
  }
  case 7: {
    const std::int64_t n = std::min<std::int64_t>(rows, 140);
    return made(identity<f32>(n).temporaryId(), DType::f32, {n, n}, {0, 1});
  }
  case 8:
    return as(prelu(tile(), 0.25).temporaryId(), {-size, size});
  case 9:
    x = within(x, {-1000, 1000});
    return as((choices.percent(50) ? sin(tile()) : cos(tile())).temporaryId(),
              {-1.01, 1.01});
  default: {
    const Item y = asFloat(operand(rows, cols));
    const Interval range =
        hull({-size, size}, {-y.range.size(), y.range.size()});
    return as((choices.percent(50) ? abs_max(tile(), AnyTile{y.ref})
                                   : abs_min(tile(), AnyTile{y.ref}))
                  .temporaryId(),
              range);
  }
  }
}

Item Generator::gatherTile() {
  const std::int64_t rows = drawRows(), cols = drawCols();
  const Item x = operand(rows, cols);
  const std::int64_t count = drawCols();
  Item places = typedOperand(rows, count, true);
  places =
      converted(within(places, {0, static_cast<double>(cols - 1)}), DType::u32);
  nc::Call call("nc_n_gather", here());
  call.view("data", {x.ref}).view("indices", {places.ref});
  return made(call.apply(x.dtype, {rows, count}), x.dtype, {rows, count},
              x.range);
}

/// Drawn in the order of the program, from a seed.
Item Generator::randomTile() {
  const std::int64_t rows = drawRows(), cols = drawCols();
  const Tensor &numbers = tensors.front();
  const Index at = start(numbers.cols, 1, 1, true);
  ViewRef seed = rec->slice(numbers.ref, 0, {0}, 1, 1, here());
  seed = rec->slice(seed, 1, at.value(), 1, 1, here());
  const Id loaded = rec->move(OpKind::load, seed, numbers.dtype, here());
  random_seed(AnyTile{ViewRef::whole(loaded)});
  if (choices.percent(60))
    return made(rand(rows, cols).temporaryId(), DType::f32, {rows, cols},
                {0, 1});
  const Item x = operand(rows, cols);
  nc::Call call("dropout", here());
  call.view("data", {x.ref}).scalar("prob", nc::ScalarOrTile(0.25));
  return made(call.apply(x.dtype, {rows, cols}), x.dtype, {rows, cols},
              hull(x.range, {0, 0}));
}

Item Generator::newTile() {
  switch (choices.weighted(
      {10, 4, 10, 16, 10, 9, 6, 8, 9, 9, 6, 5, 4, 3, 6, 4, 1})) {
  case 0: {
    const std::int64_t cols = drawCols();
    return loadTile(drawRows(), cols);
  }
  case 1: {
    const std::int64_t cols = drawCols();
    return fillTile(drawRows(), cols);
  }
  case 2:
    return unaryTile();
  case 3:
    return binaryTile();
  case 4:
    return scalarTile();
  case 5:
    return selectTile();
  case 6:
    return keepTile();
  case 7:
    return reduceTile();
  case 8:
    return productTile();
  case 9:
    return moveTile();
  case 10:
    return rowsTile();
  case 11:
    return functionTile();
  case 12:
    return bitsTile();
  case 13:
    return gatherTile();
  case 14:
    return composedTile();
  case 15:
    return bytesTile();
  default:
    return randomTile();
  }
}

void Generator::tileStatement() { keepItem(newTile()); }

} // namespace kiln::test

//===- whole.cpp - Whole tensors in one expression ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tall and wide tensors, without a loop: the compiler takes stores of what is
// made of them apart. Some are stored to where they were loaded from, or to a
// window that overlaps it.
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>

namespace kiln::test {
namespace {

/// Elements of a tensor: the interpreter looks at each of them some ten times.
constexpr std::int64_t mostElements = 1'000'000;
/// With fewer, nothing is worth taking apart.
constexpr std::int64_t fewElements = 150'000;

} // namespace

void Generator::drawWholeTensors() {
  std::int64_t rows = 0, cols = 0;
  const std::int64_t least = choices.percent(90) ? fewElements : 1;
  do {
    rows = choices.pick({1, 5, 127, 128, 129, 300, 640, 1500, 5000, 9000});
    cols = choices.pick({1, 7, 127, 1000, 2049, 4097, 9000, 20000, 70000});
  } while (rows * cols > mostElements || rows * cols < least);
  rowPalette = {rows};
  colPalette = {cols};
  budget = 30 * mostElements;
  const auto add = [&](const char *name, program::ArgumentKind kind,
                       Extents shape) {
    arguments.push_back({name, kind, drawType(), std::move(shape)});
  };
  using Kind = program::ArgumentKind;
  add("n", Kind::input, {2, 4});
  arguments.back().dtype = DType::i32;
  add("a", Kind::input, {rows, cols});
  if (choices.percent(50))
    add("b", Kind::input, {1, cols});
  if (choices.percent(30))
    add("c", Kind::input, {rows, 1});
  add("x", Kind::output, {rows, cols});
  // Windows of it lie side by side.
  if (choices.percent(60))
    add("z", Kind::inout,
        {rows + choices.pick({0, 0, 1, 128}), cols + choices.pick({0, 0, 1})});
}

Item Generator::wholeStep() {
  switch (choices.weighted({6, 8, 6, 3, 3, 4, 3})) {
  case 0:
    return unaryTile();
  case 1:
    return binaryTile();
  case 2:
    return scalarTile();
  case 3:
    return selectTile();
  case 4:
    return keepTile();
  case 5:
    return reduceTile();
  default:
    return functionTile();
  }
}

void Generator::wholeStatements() {
  const std::int64_t rows = rowPalette.front(), cols = colPalette.front();
  for (const Tensor &tensor : tensors) {
    if (!tensor.written)
      continue;
    const std::int64_t stores = choices.percent(75) ? 1 : 2;
    for (std::int64_t i = 0; i < stores; ++i) {
      // What another store was made of is usually loaded again.
      if (choices.percent(70))
        pool.clear();
      const std::int64_t right = tensor.cols - cols, down = tensor.rows - rows;
      const auto window = [&] {
        const std::int64_t row = choices.percent(50) ? down : 0;
        const std::int64_t col = choices.from(0, right);
        const ViewRef part = rec->slice(tensor.ref, 0, {row}, rows, 1, here());
        return rec->slice(part, 1, {col}, cols, 1, here());
      };
      if (tensor.read) {
        const ViewRef from = window();
        keepItem(made(rec->move(OpKind::load, from, tensor.dtype, here()),
                      tensor.dtype, {rows, cols}, tensor.range));
      }
      const std::int64_t steps = choices.from(1, 5);
      for (std::int64_t step = 0; step < steps; ++step)
        keepItem(wholeStep());
      const ViewRef to = window();
      const Item value = within(operand(rows, cols), tensor.range);
      rec->store(to, value.ref, here());
    }
  }
}

} // namespace kiln::test

//===- gathers.cpp - Places by index, scaled products, tokens -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>

namespace kiln::test {
Item Generator::declared(Space space, DType dtype, std::int64_t rows,
                         std::int64_t cols, Interval range) {
  Item buffer;
  buffer.isBuffer = true;
  buffer.space = space;
  buffer.dtype = dtype;
  buffer.shape = {rows, cols};
  buffer.range = range;
  buffer.ref = ViewRef::whole(
      rec->declare(space, dtype, {rows, cols}, Placement(), here()));
  return buffer;
}

/// Memory that is written, for what comes from rows of a table or goes there.
Item Generator::blockFor(const Tensor &table, bool comes) {
  const auto holds = [](const Interval &a, const Interval &b) {
    return a.low <= b.low && b.high <= a.high;
  };
  for (int attempt = 0; attempt < 3; ++attempt)
    if (const Item *memory = drawMemory(false);
        memory && memory->dtype == table.dtype &&
        memory->cols() <= table.cols && memory->rows() <= table.rows &&
        (comes ? holds(memory->range, table.range)
               : holds(table.range, memory->range)))
      return *memory;
  const std::int64_t rows =
      std::min({drawRows(), table.rows, std::int64_t{128}});
  Item block = declared(Space::sbuf, table.dtype, rows,
                        std::min(drawCols(), table.cols), table.range);
  block.written = true;
  initialise(block);
  pool.push_back(block);
  return block;
}

/// Rows of a table that an index lists.
void Generator::gatherRows() {
  if (settings.generation == isa::Generation::v2)
    return;
  const Tensor *table = drawTensor(false);
  if (!table)
    return;
  const Tensor source = *table;
  const Item buffer = blockFor(source, true);
  ViewRef view = source.ref;
  if (source.cols != buffer.cols()) {
    // No register beside an index in one address (KILN-C177).
    view = rec->slice(view, 1, {choices.below(source.cols - buffer.cols() + 1)},
                      buffer.cols(), 1, here());
  }
  Item index = chipOperand(buffer.rows(), 1, false);
  index = within(index, {0, static_cast<double>(source.rows - 1)});
  if (index.dtype == DType::u32)
    index = converted(index, DType::f32);
  index = converted(index, DType::i32);
  rec->markWritten(buffer.ref);
  nc::DmaCopyOptions options;
  options.src_index = nc::TileSource(AnyTile{index.ref});
  nc::dma_copy(AnyTile{buffer.ref}, AnyTensor{view}, options);
}

/// To rows of a table, each to one of its own.
void Generator::scatterRows() {
  if (settings.generation == isa::Generation::v2)
    return;
  const Tensor *table = drawTensor(true);
  if (!table || !table->written)
    return;
  const Tensor target = *table;
  const Item source = blockFor(target, false);
  const std::int64_t rows = source.rows();
  ViewRef view = target.ref;
  if (target.cols != source.cols())
    view = rec->slice(view, 1, {choices.below(target.cols - source.cols() + 1)},
                      source.cols(), 1, here());
  // In steps, up or down.
  const std::int64_t step =
      rows == 1 ? 1 : choices.from(1, (target.rows - 1) / (rows - 1));
  const std::int64_t reach = (rows - 1) * step;
  const std::int64_t first = choices.below(target.rows - reach);
  const bool down = choices.percent(40);
  const Item index =
      declared(Space::sbuf, DType::i32, rows, 1, {0, target.rows - 1.0});
  nc::iota(
      AnyTile{index.ref}, nc::Pattern{{1, 1}},
      {.offset = static_cast<std::int32_t>(down ? first + reach : first),
       .channel_multiplier = static_cast<std::int32_t>(down ? -step : step)});
  nc::DmaCopyOptions options;
  options.dst_index = nc::TileSource(AnyTile{index.ref});
  nc::dma_copy(AnyTensor{view}, AnyTile{source.ref}, options);
}

/// One list of places for each 16 rows.
void Generator::gatherColumns() {
  const std::int64_t rows = choices.pick({16, 32, 64, 128});
  const std::int64_t each = choices.pick({1, 1, 2, 4});
  const std::int64_t cols = std::max(drawCols(), each);
  const Item source = chipOperand(rows, cols, false);
  const std::int64_t lists = choices.from(1, 3);
  const std::int64_t used = choices.from(1, 16 * lists);
  const Item places = converted(within(chipOperand(rows, lists, false),
                                       {0, static_cast<double>(cols - each)}),
                                DType::u16);
  const Item dst =
      declared(Space::sbuf, source.dtype, rows, used * each, source.range);
  nc::local_gather(AnyTile{dst.ref}, AnyTile{source.ref}, AnyTile{places.ref},
                   {.num_elem_per_idx = static_cast<std::int32_t>(each),
                    .num_valid_indices = static_cast<std::int32_t>(used)});
  budget -= (rows * used * each + 2000) * repeats;
  pool.push_back(dst);
}

/// A product of elements with a scale for each group of 32.
void Generator::scaledProduct() {
  if (settings.generation != isa::Generation::v4)
    return;
  const std::int64_t k = 32 * choices.from(1, 4), m = 2 * choices.from(1, 16);
  const std::int64_t n = choices.from(1, 40);
  const std::int64_t scaleRows = 32 * ((k / 8 - 1) / 4) + 4;
  const auto draw = [&](std::int64_t cols) {
    const Item item = converted(
        within(asFloat(chipOperand(k, 4 * cols, false)), {-8, 8}), DType::bf16);
    const Item packed = declared(
        Space::sbuf, choices.pick({DType::f8e5m2_x4, DType::f8e4m3fn_x4}), k,
        cols, {-448, 448});
    const Item scale =
        declared(Space::sbuf, DType::u8, scaleRows, cols, {0, 255});
    nc::memset(AnyTile{scale.ref}, 127.0);
    nc::quantize_mx(AnyTile{packed.ref}, AnyTile{item.ref}, AnyTile{scale.ref});
    return std::pair(packed, scale);
  };
  const auto [a, aScale] = draw(m);
  const auto [b, bScale] = draw(n);
  const double size = static_cast<double>(4 * k) * 100;
  const Item dst = declared(Space::psum, DType::f32, m, n, {-size, size});
  nc::nc_matmul_mx(AnyTile{dst.ref}, AnyTile{a.ref}, AnyTile{b.ref},
                   AnyTile{aScale.ref}, AnyTile{bScale.ref});
  budget -= (k * n * m / 16 + 3000) * repeats;
  pool.push_back(dst);
}

/// Tokens of a semaphore of its own, taken in the body that gives them.
void Generator::tokenStatement() {
  if (semaphores == 12)
    return;
  const Semaphore tokens = semaphore("t" + std::to_string(semaphores++));
  const auto drawEngine = [&] {
    return choices.pick({nc::Engine::vector, nc::Engine::scalar,
                         nc::Engine::gpsimd, nc::Engine::sync,
                         nc::Engine::tensor});
  };
  const std::int64_t count = choices.from(1, 3);
  const Item *memory = drawMemory(false);
  if (memory && choices.percent(60)) {
    const Item buffer = *memory;
    rec->markWritten(buffer.ref);
    nc::memset(AnyTile{buffer.ref}, static_cast<double>(choices.from(0, 5)))
        .signal(tokens, count);
    statements(choices.from(0, 2));
    if (choices.percent(50)) {
      nc::memset(AnyTile{buffer.ref}, static_cast<double>(choices.from(0, 5)))
          .wait(tokens, count);
      return;
    }
  } else {
    nc::semaphore_signal(drawEngine(), tokens, count);
    statements(choices.from(0, 2));
  }
  nc::semaphore_wait(drawEngine(), tokens, count);
}

} // namespace kiln::test

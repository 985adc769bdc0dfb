//===- instructions.cpp - Instruction calls of chance ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include <algorithm>

namespace kiln::test {
namespace {

/// What an instruction computes with, so that its result fits everywhere.
Interval smallFor(DType dtype) {
  return isa::isFloat(dtype) || isa::info(dtype).isSigned ? Interval{-5, 5}
                                                          : Interval{0, 5};
}

} // namespace

/// A buffer, or a tile that becomes one by being written.
const Item *Generator::drawMemory(bool psumToo) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const Item &item = pool[i];
    if (item.written && item.allRows && item.isMatrix() && item.rows() <= 128 &&
        (psumToo || item.space == Space::sbuf))
      candidates.push_back(i);
  }
  return candidates.empty() ? nullptr : &pool[choices.pick(candidates)];
}

/// What an engine reads: from the first row of its memory on.
Item Generator::chipOperand(std::int64_t rows, std::int64_t cols,
                            bool psumToo) {
  for (int attempt = 0; attempt < 5 && !pool.empty(); ++attempt) {
    const Item item = *drawItem();
    if (item.isMatrix() && item.allRows && item.rows() == rows &&
        item.cols() >= cols && (psumToo || item.space == Space::sbuf))
      return part(item, rows, cols);
  }
  return choices.percent(80) ? loadTile(rows, cols) : fillTile(rows, cols);
}

void Generator::elementwise(const Item &dst) {
  const std::int64_t rows = dst.rows(), cols = dst.cols();
  const bool floats = isa::isFloat(dst.dtype);
  const Interval small = smallFor(dst.dtype);
  const bool inPsum = dst.space == Space::psum;
  const AnyTile to{dst.ref};
  const auto source = [&](std::int64_t width, bool psumToo) {
    return within(chipOperand(rows, width, psumToo), small);
  };
  const auto floatSource = [&](std::int64_t width, bool psumToo) {
    return asFloat(source(width, psumToo));
  };
  // One that may be idle, or the compiler's choice.
  const auto engine = [&](bool psum) -> std::optional<nc::Engine> {
    if (choices.percent(60))
      return std::nullopt;
    return psum || choices.percent(60) ? nc::Engine::vector
                                       : nc::Engine::gpsimd;
  };
  switch (choices.weighted({6, 5, 4, 6, 3, 3, 3, 2, 3, 2, 2})) {
  case 0: { // One operator or two.
    const Item x = floats ? floatSource(cols, true) : source(cols, true);
    nc::TensorScalarOptions options;
    if (choices.percent(30))
      options.engine = nc::Engine::vector;
    const nc::AluOp second =
        choices.pick({nc::AluOp::maximum, nc::AluOp::minimum, nc::AluOp::add});
    if (choices.percent(50)) {
      options.op1 = second;
      options.operand1 = nc::ScalarOrTile(1.0);
    }
    const nc::AluOp first =
        choices.pick({nc::AluOp::add, nc::AluOp::multiply, nc::AluOp::maximum});
    if (choices.percent(25)) {
      const Item column = within(
          converted(within(chipOperand(rows, 1, false), small), DType::f32),
          small);
      nc::tensor_scalar(to, AnyTile{x.ref}, first, AnyTile{column.ref},
                        options);
    } else {
      nc::tensor_scalar(
          to, AnyTile{x.ref}, first,
          nc::ScalarOrTile(static_cast<double>(choices.from(0, 3))), options);
    }
    return;
  }
  case 1: {
    const Item a = source(cols, true);
    const Item b = source(cols, a.space != Space::psum);
    nc::TensorTensorOptions options;
    options.engine =
        engine(inPsum || a.space == Space::psum || b.space == Space::psum);
    nc::tensor_tensor(to, AnyTile{a.ref}, AnyTile{b.ref},
                      choices.pick({nc::AluOp::multiply, nc::AluOp::maximum,
                                    nc::AluOp::minimum}),
                      options);
    return;
  }
  case 2:
    nc::memset(to, static_cast<double>(choices.from(0, 7)));
    return;
  case 3: {
    const Item x = within(chipOperand(rows, cols, true), dst.range);
    nc::tensor_copy(to, AnyTile{x.ref});
    return;
  }
  case 4: {
    const Item x = floatSource(cols, true);
    const auto function = choices.pick(
        {nc::ActivationFunction::copy, nc::ActivationFunction::relu,
         nc::ActivationFunction::abs, nc::ActivationFunction::square,
         nc::ActivationFunction::tanh, nc::ActivationFunction::sigmoid});
    if (!floats && function != nc::ActivationFunction::abs &&
        function != nc::ActivationFunction::square)
      return;
    nc::ActivationOptions options;
    if (choices.percent(30))
      options.scale = nc::ScalarOrTile(choices.pick({0.5, 1.0}));
    nc::activation(to, function, AnyTile{x.ref}, options);
    return;
  }
  case 5: {
    const Item x =
        converted(within(chipOperand(rows, cols, true), dst.range), dst.dtype);
    const Item mask = maskTile(rows, cols);
    nc::tensor_copy_predicated(to, AnyTile{x.ref}, AnyTile{mask.ref});
    return;
  }
  case 6: {
    if (inPsum)
      return;
    const Item x = floatSource(cols, false);
    nc::AffineSelectOptions options;
    options.cmp_op = choices.pick(
        {nc::AluOp::greater_equal, nc::AluOp::less, nc::AluOp::equal});
    options.offset = choices.from(-9, 9);
    const auto multiplier = static_cast<std::int32_t>(choices.pick({1, -1, 0}));
    nc::affine_select(to, nc::Pattern{{choices.pick({1, -1, 2}), cols}},
                      multiplier, AnyTile{x.ref}, 3.0, options);
    return;
  }
  case 7:
    if (cols + rows < 90 && !inPsum)
      nc::iota(to, nc::Pattern{{1, cols}},
               {.channel_multiplier = floats ? 0 : 1});
    return;
  case 8: {
    const Item x = floatSource(cols, true);
    const Item y = floatSource(cols, x.space != Space::psum);
    nc::scalar_tensor_tensor(to, AnyTile{x.ref}, nc::AluOp::maximum, 1.0,
                             nc::AluOp::multiply, AnyTile{y.ref});
    return;
  }
  case 9: { // Into one column.
    const Item x = floatSource(choices.from(1, 40), true);
    const Item column = part(dst, rows, 1, true);
    nc::tensor_reduce(AnyTile{column.ref},
                      choices.pick({nc::AluOp::maximum, nc::AluOp::minimum}),
                      AnyTile{x.ref});
    return;
  }
  default: {
    if (!floats)
      return;
    const Item x = floatSource(cols, false);
    nc::tensor_scalar_cumulative(to, AnyTile{x.ref}, nc::AluOp::multiply,
                                 nc::AluOp::maximum, 1.0);
  }
  }
}

/// A product, or a sum of two, into a part of a buffer in PSUM.
void Generator::product() {
  std::vector<Item> candidates;
  for (const Item &item : pool)
    if (item.isBuffer && item.space == Space::psum && item.allRows)
      candidates.push_back(item);
  if (candidates.empty())
    return;
  const Item &buffer = choices.pick(candidates);
  const std::int64_t m = buffer.rows();
  const std::int64_t n =
      choices.percent(50) ? buffer.cols() : choices.from(1, buffer.cols());
  const Item dst = part(buffer, m, n, true);
  const std::int64_t k = std::min<std::int64_t>(drawRows(), 128);
  const auto draw = [&](std::int64_t cols, DType like) {
    Item item = within(asFloat(chipOperand(k, cols, false)), {-8, 8});
    if (like != DType::i32 && item.dtype != like)
      item = converted(item, like);
    return item;
  };
  const Item a = draw(m, DType::i32);
  const Item b = draw(n, a.dtype);
  nc::nc_matmul(AnyTile{dst.ref}, AnyTile{a.ref}, AnyTile{b.ref});
  if (choices.percent(30)) {
    const Item c = draw(n, a.dtype);
    nc::nc_matmul(AnyTile{dst.ref}, AnyTile{a.ref}, AnyTile{c.ref},
                  {.accumulate = true});
  }
  budget -= (k * n * m / 64 + 3000) * repeats;
}

/// DMA between HBM and memory on chip, both ways, and within HBM.
void Generator::transfer() {
  const Tensor *drawn = drawTensor(choices.percent(50));
  if (!drawn)
    return;
  const Tensor tensor = *drawn;
  const auto inside = [](const Interval &a, const Interval &b) {
    return a.low >= b.low && a.high <= b.high;
  };
  for (int attempt = 0; attempt < 6; ++attempt) {
    const Item *item = drawMemory(false);
    if (!item || item->dtype != tensor.dtype)
      continue;
    const std::int64_t rows =
        choices.percent(50) ? item->rows() : choices.from(1, item->rows());
    const std::int64_t cols =
        choices.percent(50) ? item->cols() : choices.from(1, item->cols());
    // DMA may start at any row.
    const Item buffer = part(*item, rows, cols, true);
    nc::DmaCopyOptions options;
    if (choices.percent(30))
      options.queue = static_cast<std::int32_t>(choices.below(4));
    if (tensor.written && (!tensor.read || choices.percent(50))) {
      if (!inside(item->range, tensor.range))
        continue;
      if (const auto view = window(tensor, rows, cols, true))
        nc::dma_copy(AnyTensor{*view}, AnyTile{buffer.ref}, options);
      return;
    }
    if (!inside(tensor.range, item->range))
      continue;
    if (const auto view = window(tensor, rows, cols, false)) {
      rec->markWritten(buffer.ref);
      nc::dma_copy(AnyTile{buffer.ref}, AnyTensor{*view}, options);
    }
    return;
  }
  const Tensor *other = drawTensor(false);
  if (!tensor.written || !other || other->ref.id == tensor.ref.id ||
      other->dtype != tensor.dtype || !inside(other->range, tensor.range))
    return;
  const Tensor source = *other;
  const std::int64_t rows = std::min(tensor.rows, choices.from(1, source.rows));
  const std::int64_t cols = std::min(tensor.cols, choices.from(1, source.cols));
  const auto to = window(tensor, rows, cols, true);
  const auto from = window(source, rows, cols, false);
  if (to && from)
    nc::dma_copy(AnyTensor{*to}, AnyTensor{*from});
}

void Generator::instructionStatement() {
  switch (choices.weighted({14, 5, 6, 2, 2, 1, 1, 5, 4, 3, 2})) {
  case 0: {
    const Item *memory = drawMemory(true);
    if (!memory) {
      bufferStatement();
      return;
    }
    const Item item = *memory;
    const std::int64_t cols =
        choices.percent(45) ? item.cols() : choices.from(1, item.cols());
    const Item dst = part(item, item.rows(), cols, true);
    budget -= (item.rows() * cols + 2000) * repeats;
    elementwise(dst);
    return;
  }
  case 1:
    product();
    return;
  case 2:
    transfer();
    return;
  case 3:
    gatherRows();
    return;
  case 4:
    scatterRows();
    return;
  case 5:
    gatherColumns();
    return;
  case 6:
    scaledProduct();
    return;
  case 7:
    listedRows();
    return;
  case 8:
    summedProducts();
    return;
  case 9:
    storeRegister();
    return;
  default:
    tokenStatement();
  }
}

} // namespace kiln::test

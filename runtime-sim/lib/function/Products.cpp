//===- Products.cpp - Matrix products that run together -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace kiln::sim {

namespace {

/// Less than this is done before another thread has started.
constexpr std::size_t worthSharing = std::size_t{1} << 17;
/// Packed operands stay in the second-level cache of a thread's core.
constexpr std::size_t packedBytes = std::size_t{256} << 10;
constexpr std::size_t mostAtOnce = 16;
/// Rows of the result are lanes: those that a thread has made, it also
/// computes with, where instructions share out their lanes.
constexpr std::size_t fewestRows = 32;
/// A thread that is done early takes over some columns of another's rows.
constexpr std::size_t fewestColumns = 2 * Kernels::panelColumns;

std::size_t roundUp(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

Kernels::Rows along(Kernels::Rows operand, std::size_t first) {
  const std::size_t size =
      operand.isBf16 ? sizeof(std::uint16_t) : sizeof(float);
  operand.data = static_cast<const std::uint8_t *>(operand.data) + first * size;
  return operand;
}

/// True if two outputs of this shape are one, or have no place in common.
bool apart(const float *a, const float *b, const Products::Shape &shape) {
  if (a == b)
    return true;
  const auto low = std::min(reinterpret_cast<std::uintptr_t>(a),
                            reinterpret_cast<std::uintptr_t>(b));
  const auto high = std::max(reinterpret_cast<std::uintptr_t>(a),
                             reinterpret_cast<std::uintptr_t>(b));
  const std::size_t distance = (high - low) / sizeof(float);
  if (distance / shape.outStride >= shape.m)
    return true;
  // Rows of one begin between rows of the other.
  const std::size_t shift = distance % shape.outStride;
  return shift >= shape.n && shape.outStride - shift >= shape.n;
}

/// How products are cut: parts of rows, and of columns of each.
struct Cut {
  std::size_t rowParts, columnParts, rows, columns;

  Cut(const Products::Shape &shape, std::size_t workers)
      : rowParts(std::clamp<std::size_t>(shape.m / fewestRows, 1, workers)),
        columnParts(std::max((workers + rowParts - 1) / rowParts,
                             workers == 1 ? 1 : shape.n / fewestColumns)),
        rows(roundUp((shape.m + rowParts - 1) / rowParts, 8)),
        columns(roundUp((shape.n + columnParts - 1) / columnParts,
                        Kernels::panelColumns)) {}
};

} // namespace

bool Products::mayJoin(const Operands &product, const Shape &other) const {
  if (shape != other || waiting.size() == mostAtOnce)
    return false;
  const Cut cut(shape, panels.size());
  const std::size_t bytes =
      kernels.packedSize(std::min(cut.rows, shape.m), shape.depth) *
      sizeof(float);
  return (waiting.size() + 1) * bytes <= packedBytes &&
         std::all_of(waiting.begin(), waiting.end(),
                     [&](const Operands &before) {
                       return apart(before.out, product.out, shape);
                     });
}

void Products::add(const Operands &product, const Shape &its) {
  if (!waiting.empty() && !mayJoin(product, its))
    make();
  shape = its;
  waiting.push_back(product);
}

void Products::make() {
  const std::size_t count = waiting.size();
  const bool shares =
      pool && count * shape.m * shape.n * shape.depth >= worthSharing;
  const Cut cut(shape, shares ? panels.size() : 1);
  const std::size_t packedSize = kernels.packedSize(cut.rows, shape.depth);
  float *packed = packing.get<float>(cut.rowParts * count * packedSize);
  std::array<std::once_flag, Pool::maxThreads> packedRows;
  const auto task = [&](unsigned i, unsigned worker) {
    const std::size_t part = i / cut.columnParts;
    const std::size_t row = part * cut.rows;
    const std::size_t column = i % cut.columnParts * cut.columns;
    if (row >= shape.m || column >= shape.n)
      return;
    Shape piece = shape;
    piece.m = std::min(cut.rows, shape.m - row);
    piece.n = std::min(cut.columns, shape.n - column);
    std::array<Kernels::Product, mostAtOnce> products;
    float *next = packed + part * count * packedSize;
    for (std::size_t p = 0; p < count; ++p, next += packedSize) {
      const Operands &whole = waiting[p];
      products[p] = {next, along(whole.moving, column),
                     whole.out + row * shape.outStride + column,
                     whole.accumulate};
    }
    // Who comes first to some rows packs them for all.
    std::call_once(packedRows[part], [&] {
      float *to = packed + part * count * packedSize;
      for (std::size_t p = 0; p < count; ++p, to += packedSize)
        kernels.pack(along(waiting[p].stationary, row), piece.m, shape.depth,
                     to);
    });
    kernels.matmul(
        products.data(), count, piece,
        panels[worker].get<float>(shape.depth * Kernels::panelColumns));
  };
  const auto tasks = static_cast<unsigned>(cut.rowParts * cut.columnParts);
  if (shares)
    pool->run(tasks, task);
  else
    for (unsigned i = 0; i < tasks; ++i)
      task(i, 0);
  waiting.clear();
}

} // namespace kiln::sim

//===- Products.cpp - Matrix products that run together -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace kiln::sim {

namespace {

/// A thread finishes less than this before another has started.
constexpr std::size_t productsWorthSharing = std::size_t{1} << 17;
/// Packed operands stay in the second-level cache of a thread's core.
constexpr std::size_t packedBytes = std::size_t{256} << 10;
constexpr std::size_t mostAtOnce = 256, mostOutputs = 32;
/// Rows of the result are lanes: a thread also processes the lanes that it has
/// computed when instructions are split by lane.
constexpr std::size_t fewestRows = 32;
/// A thread that finishes early takes over some columns of the rows of another.
constexpr std::size_t fewestColumns = 2 * Kernels::panelColumns;

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
        columnParts(std::max(isa::ceilDiv(workers, rowParts),
                             workers == 1 ? 1 : shape.n / fewestColumns)),
        rows(isa::roundUp(isa::ceilDiv(shape.m, rowParts), 8)),
        columns(isa::roundUp(isa::ceilDiv(shape.n, columnParts),
                             Kernels::panelColumns)) {}
};

std::size_t panelSize(const Products::Shape &shape) {
  return shape.depth * Kernels::panelColumns;
}

} // namespace

/// Products in their order, cut for threads. Each row part goes through the
/// groups on its own, mostly in one thread: packs what a group needs, then
/// computes one column part after the other. Threads without rows help others.
class Products::Work {
public:
  Work(Products &all, const Cut &cut, float *packed)
      : all(all), cut(cut), packed(packed),
        packedSize(all.kernels.packedSize(cut.rows, all.shape.depth)),
        partSize(packedSize * mostPacks(all.kernels, all.shape, cut)),
        numUnits(all.order.numGroups() * cut.columnParts) {}

  /// Stationary operands of a row part that are packed at once.
  static std::size_t mostPacks(const Kernels &kernels, const Shape &shape,
                               const Cut &cut) {
    const std::size_t bytes =
        kernels.packedSize(cut.rows, shape.depth) * sizeof(float);
    return std::max<std::size_t>(1,
                                 packedBytes / std::max<std::size_t>(1, bytes));
  }

  void help(unsigned worker) {
    for (std::size_t i = 0; i < cut.rowParts; ++i) {
      const std::size_t part = (worker + i) % cut.rowParts;
      std::size_t unit;
      while ((unit = parts[part].next.fetch_add(1)) < numUnits)
        make(part, unit, all.desks[worker]);
    }
  }

private:
  /// Units are taken in order, so none waits for one that was not taken.
  struct alignas(64) Part {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> finished{0};
    std::atomic<std::size_t> packedGroups{0};
  };

  static void await(std::atomic<std::size_t> &value, std::size_t enough) {
    for (std::size_t seen;
         (seen = value.load(std::memory_order_acquire)) < enough;)
      value.wait(seen, std::memory_order_acquire);
  }
  static void raise(std::atomic<std::size_t> &value) {
    value.fetch_add(1, std::memory_order_acq_rel);
    value.notify_all();
  }

  void make(std::size_t part, std::size_t unit, Desk &desk) {
    const Shape &shape = all.shape;
    const std::size_t groupIndex = unit / cut.columnParts;
    const std::size_t row = part * cut.rows;
    const std::size_t column = unit % cut.columnParts * cut.columns;
    const ProductOrder::Group group = all.order.group(groupIndex);
    Part &state = parts[part];
    Shape piece = shape;
    piece.m = row < shape.m ? std::min(cut.rows, shape.m - row) : 0;
    piece.n = column < shape.n ? std::min(cut.columns, shape.n - column) : 0;
    float *const first = packed + part * partSize;
    if (unit % cut.columnParts == 0) {
      // The group before has to be done with what is packed.
      await(state.finished, unit);
      if (piece.m > 0)
        for (std::size_t p = 0; p < group.packs.size(); ++p)
          all.kernels.pack(along(all.waiting[group.packs[p]].stationary, row),
                           piece.m, shape.depth, first + p * packedSize);
      raise(state.packedGroups);
    } else {
      await(state.packedGroups, groupIndex + 1);
    }
    if (piece.m > 0 && piece.n > 0) {
      desk.products.clear();
      for (const ProductOrder::Step &step : group.steps) {
        const Operands &whole = all.waiting[step.product];
        desk.products.push_back(
            {first + step.pack * packedSize, along(whole.moving, column),
             whole.out + row * shape.outStride + column, whole.accumulate});
      }
      all.kernels.matmul(desk.products.data(), desk.products.size(), piece,
                         desk.panel.get<float>(panelSize(shape)));
    }
    raise(state.finished);
  }

  Products &all;
  const Cut &cut;
  float *packed;
  std::size_t packedSize, partSize;
  std::size_t numUnits; ///< Of each row part.
  std::array<Part, Pool::maxThreads> parts;
};

bool Products::mayJoin(const Operands &product, const Shape &other) const {
  if (shape != other || waiting.size() == mostAtOnce)
    return false;
  bool isNew = true;
  for (const float *out : outputs) {
    if (!apart(out, product.out, shape))
      return false;
    isNew &= out != product.out;
  }
  return !isNew || outputs.size() < mostOutputs;
}

void Products::add(const Operands &product, const Shape &its) {
  if (!waiting.empty() && !mayJoin(product, its))
    make();
  shape = its;
  waiting.push_back(product);
  if (std::find(outputs.begin(), outputs.end(), product.out) == outputs.end())
    outputs.push_back(product.out);
}

void Products::make() {
  const bool shares =
      pool &&
      waiting.size() * shape.m * shape.n * shape.depth >= productsWorthSharing;
  const Cut cut(shape, shares ? desks.size() : 1);
  const std::size_t mostPacks = Work::mostPacks(kernels, shape, cut);
  order.find(waiting, mostPacks);
  // All memory is taken before threads begin to wait for each other.
  float *packed = packing.get<float>(cut.rowParts * mostPacks *
                                     kernels.packedSize(cut.rows, shape.depth));
  for (Desk &desk : desks) {
    desk.panel.get<float>(panelSize(shape));
    desk.products.reserve(mostAtOnce);
  }
  Work work(*this, cut, packed);
  if (shares)
    pool->run(pool->size(),
              [&](unsigned, unsigned worker) { work.help(worker); });
  else
    work.help(0);
  waiting.clear();
  outputs.clear();
}

} // namespace kiln::sim

//===- Shape.cpp - The bytes of an access in a normal form ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shape.h"

#include "kiln/isa/rounding.h"

#include "Decisions.h"

#include <algorithm>

namespace kiln::problems::checker {

Normal normalise(std::int64_t run, std::vector<Shape::Stride> strides) {
  Normal normal;
  for (Shape::Stride &stride : strides)
    if (stride.bytes < 0) {
      normal.base += stride.bytes * (stride.count - 1);
      stride.bytes = -stride.bytes;
    }
  std::erase_if(strides, [](const Shape::Stride &stride) {
    return stride.bytes == 0 || stride.count <= 1;
  });
  std::sort(strides.begin(), strides.end(),
            [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
  Shape &shape = normal.shape;
  shape.run = run;
  std::size_t solid = 0;
  while (solid < strides.size() && strides[solid].bytes <= shape.run) {
    shape.run += strides[solid].bytes * (strides[solid].count - 1);
    ++solid;
  }
  shape.strides.assign(strides.rbegin(),
                       strides.rend() - static_cast<std::ptrdiff_t>(solid));
  shape.extent = shape.run;
  for (const Shape::Stride &stride : shape.strides)
    shape.extent += stride.bytes * (stride.count - 1);
  return normal;
}

std::uint32_t Shapes::numberOf(Shape shape) {
  key.assign(1, shape.run);
  for (const Shape::Stride &stride : shape.strides) {
    key.push_back(stride.bytes);
    key.push_back(stride.count);
  }
  const auto [entry, fresh] =
      numbers.try_emplace(key, static_cast<std::uint32_t>(list.size()));
  if (fresh)
    list.push_back(std::move(shape));
  return entry->second;
}

NormalForms::Form NormalForms::of(std::int64_t run,
                                  std::span<const Shape::Stride> strides) {
  auto key = static_cast<std::uint64_t>(run);
  for (const Shape::Stride &stride : strides)
    key = mix(key, mix(static_cast<std::uint64_t>(stride.bytes),
                       static_cast<std::uint64_t>(stride.count)));
  Known &known = table[mix(key, 0) % table.size()];
  if (known.run != run || !std::ranges::equal(known.strides, strides)) {
    known.run = run;
    known.strides.assign(strides.begin(), strides.end());
    Normal normal = normalise(run, known.strides);
    known.form = {normal.base, shapes.numberOf(std::move(normal.shape))};
  }
  return known.form;
}

namespace {

/// A shape at an address, from dimension `depth` on.
struct Piece {
  const Shape *shape;
  std::int64_t address;
  std::size_t depth = 0;
  std::int64_t extent;

  bool solid() const { return depth == shape->strides.size(); }
};

bool meetPieces(const Piece &a, const Piece &b) {
  if (a.address >= b.address + b.extent || b.address >= a.address + a.extent)
    return false;
  if (a.solid() && b.solid())
    return true;
  const bool cutA = !a.solid() && (b.solid() || a.extent >= b.extent);
  const Piece &whole = cutA ? a : b, &other = cutA ? b : a;
  const Shape::Stride &stride = whole.shape->strides[whole.depth];
  const std::int64_t inner = whole.extent - stride.bytes * (stride.count - 1);
  // Slices that can reach the other piece.
  const std::int64_t low = other.address - whole.address - inner + 1;
  const std::int64_t high = other.address + other.extent - whole.address - 1;
  const std::int64_t first = low <= 0 ? 0 : isa::ceilDiv(low, stride.bytes);
  const std::int64_t last = std::min(stride.count - 1, high / stride.bytes);
  for (std::int64_t i = first; i <= last; ++i)
    if (meetPieces({whole.shape, whole.address + i * stride.bytes,
                    whole.depth + 1, inner},
                   other))
      return true;
  return false;
}

} // namespace

bool meet(const Shape &a, const Shape &b, std::int64_t distance) {
  return meetPieces({&a, 0, 0, a.extent}, {&b, distance, 0, b.extent});
}

} // namespace kiln::problems::checker

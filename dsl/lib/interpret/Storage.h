//===- Storage.h - Memory of the interpreter -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor in HBM, a tile or a buffer is an array of numbers, not of bytes; a
// view of it is a Window.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_STORAGE_H
#define KILN_INTERPRET_STORAGE_H

#include "kiln/interpret.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kiln::interpret {

/// A number that was never written. Only in memory: reads give unknown().
constexpr Number unwritten() {
  return {0, std::numeric_limits<double>::quiet_NaN()};
}
constexpr bool isUnwritten(const Number &n) { return n.bound != n.bound; }

struct Storage {
  Storage(DType dtype, std::vector<std::int64_t> shape, bool onChip);

  DType dtype;
  std::vector<std::int64_t> shape;
  bool onChip;
  /// Row-major; `perElement` for each element.
  std::vector<Number> numbers;
  std::size_t perElement;
  std::int64_t elements; ///< In all.
  std::int64_t rowSize; ///< Elements of a row: of all dimensions but the first.
  /// A product over many rows is a sum of so many that a machine may add, one
  /// by one, to what it is added to.
  std::int64_t partialSums = 1;
  /// Buffers pinned to some of the same bytes: writing one invalidates the
  /// others.
  std::vector<std::weak_ptr<Storage>> overlapping;
  /// Numbers of which views of other types wrote a part: their bits, by number.
  std::map<std::size_t, std::array<std::int8_t, 8>> partial;
  /// The memory whose bytes this one sees as elements of another type; it has
  /// no numbers then.
  Storage *seenOf = nullptr;
  std::map<DType, std::unique_ptr<Storage>> seen;

  /// The same bytes as elements of type `as`.
  Storage &seenAs(DType as);
};

/// A copy of what a view shows, in row-major order of its sizes. Of packed
/// types four numbers for each element.
struct Array {
  DType dtype = DType::f32;
  std::vector<std::int64_t> sizes;
  std::vector<Number> numbers;

  std::int64_t rows() const { return sizes.empty() ? 1 : sizes.front(); }
  /// Elements of a row.
  std::int64_t cols() const;
  Number &at(std::int64_t row, std::int64_t col) {
    return numbers[static_cast<std::size_t>(row * cols() + col)];
  }
  const Number &at(std::int64_t row, std::int64_t col) const {
    return numbers[static_cast<std::size_t>(row * cols() + col)];
  }
};
Array makeArray(DType dtype, std::vector<std::int64_t> sizes);
std::int64_t countOf(std::span<const std::int64_t> sizes);

/// A view whose offset is a number: elements of a storage.
struct Window {
  Storage *storage = nullptr;
  std::int64_t offset = 0;
  std::int64_t row = 0; ///< On chip: the first row.
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;

  DType dtype() const { return storage->dtype; }
  std::int64_t elements() const { return countOf(sizes); }
  /// The element of `storage` at a place of the window, or -1 outside of it.
  std::int64_t element(std::span<const std::int64_t> place) const;
  /// The elements of all places, in row-major order; -1 outside.
  std::vector<std::int64_t> list() const;
  /// Rows `first` to `first + count - 1` of it.
  Window rows(std::int64_t first, std::int64_t count) const;
  std::string text() const;
};

} // namespace kiln::interpret

#endif // KILN_INTERPRET_STORAGE_H

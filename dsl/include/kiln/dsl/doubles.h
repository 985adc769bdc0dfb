//===- doubles.h - Tensors as a kernel's reference sees them -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may have its own reference for `kiln run --reference`: plain loops
// that say what it computes, in a member with operator()'s parameters in
// doubles.
//
//   void reference(Doubles x, Doubles y) const {
//     for (std::size_t i = 0; i < x.size(); ++i)
//       y[i] = factor * x[i];
//   }
//
// The reference of a kernel that exchanges data with other ranks computes the
// results of all of them: its parameters are DoublesOfRanks.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_DOUBLES_H
#define KILN_DSL_DOUBLES_H

#include "kiln/dsl/error.h"

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace kiln {

/// A tensor in row-major order. Inputs hold what the kernel reads, rounded to
/// its element type; outputs are 0. A tensor that `describe` leaves out is
/// empty: its size and rank are 0, and nothing else can be asked of it.
class Doubles {
public:
  Doubles() = default;
  Doubles(double *values, const std::int64_t *shape, std::size_t rank)
      : values(values), shape(shape), dims(rank) {}

  std::size_t rank() const { return dims; }
  std::int64_t dim(std::size_t i) const {
    if (i >= dims) [[unlikely]]
      failAbsent();
    return shape[i];
  }
  std::size_t size() const {
    std::size_t count = dims > 0 ? 1 : 0;
    for (std::size_t i = 0; i < dims; ++i)
      count *= static_cast<std::size_t>(shape[i]);
    return count;
  }
  double *begin() const { return values; }
  double *end() const { return values + size(); }

  double &operator[](std::size_t i) const {
    if (!values) [[unlikely]]
      failAbsent();
    return values[i];
  }
  /// The element at a position, given as one index per dimension.
  template <std::integral... I> double &operator()(I... place) const {
    if (!values) [[unlikely]]
      failAbsent();
    std::int64_t at = 0;
    std::size_t dim = 0;
    ((at = at * shape[dim++] + static_cast<std::int64_t>(place)), ...);
    return values[at];
  }

private:
  [[noreturn]] KILN_COLD static void failAbsent() {
    dsl::fail("KILN-A034",
              "the reference uses a tensor, or a dimension, that is absent "
              "with these parameters",
              "ask size() or rank() first", dsl::Where());
  }

  double *values = nullptr;
  const std::int64_t *shape = nullptr;
  std::size_t dims = 0;
};

/// One tensor of each rank of a launch.
class DoublesOfRanks {
public:
  /// Rank r's is `first[r * stride]`.
  DoublesOfRanks(const Doubles *first, std::size_t stride, std::size_t ranks)
      : first(first), stride(stride), ranks(ranks) {}

  std::size_t size() const { return ranks; }
  const Doubles &operator[](std::size_t rank) const {
    return first[rank * stride];
  }

private:
  const Doubles *first;
  std::size_t stride, ranks;
};

} // namespace kiln

#endif // KILN_DSL_DOUBLES_H

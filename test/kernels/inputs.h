//===- inputs.h - Deterministic input distributions -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_KERNELS_INPUTS_H
#define KILN_TEST_KERNELS_INPUTS_H

#include "kiln/isa/split_mix.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln::test {

/// The same numbers on every host: integers and exact halvings only.
class Random {
public:
  explicit Random(std::uint64_t seed) : state(seed) {}

  /// Uniform in [0, 1), a multiple of 2^-24.
  double uniform() {
    return static_cast<double>(isa::splitMix(state) >> 40) / (1 << 24);
  }
  /// Close to standard normal.
  double normal();

private:
  std::uint64_t state;
};

/// What a kernel's first tensor of floats holds; all others are normal, so that
/// the error of a logit stays that of one large factor, not of a product of
/// two.
enum class Distribution {
  normal,        ///< Mean 0, variance 1.
  largeLogits,   ///< Variance 400: exponentials span the whole range.
  hotRow,        ///< Normal, one row of equal large values.
  constant,      ///< All 1: every mean and maximum is a tie.
  largeMean,     ///< Mean 10000, variance 1.
  outliers,      ///< Normal, one number of 97 a thousand times as large.
  nan,           ///< Normal, the middle row has one NaN.
  infinity,      ///< Normal, the middle row has one infinity.
  minusInfinity, ///< The same, negative.
  nanRow,        ///< Normal, the middle row has nothing but NaN.
};

std::vector<double> inputs(std::size_t rows, std::size_t cols,
                           Distribution distribution, std::uint64_t seed);

} // namespace kiln::test

#endif // KILN_TEST_KERNELS_INPUTS_H

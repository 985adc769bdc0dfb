//===- RandomState.h - The random generators of an engine -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_RANDOMSTATE_H
#define KILN_SIM_LIB_FUNCTION_RANDOMSTATE_H

#include "kiln/isa/dtype.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kiln::sim {

/// Marsaglia's XORWOW: five words of a linear generator and a counter.
struct Xorwow {
  static constexpr unsigned words = 6;
  /// x, y, z, w, v, d: the order in which the instructions load and store them.
  std::array<std::uint32_t, words> state{};

  std::uint32_t next() {
    auto &[x, y, z, w, v, d] = state;
    const std::uint32_t t = x ^ (x >> 2);
    x = y;
    y = z;
    z = w;
    w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437;
    return d + v;
  }
};

/// One or several generators in each lane; element i of a row takes the next
/// number of generator i mod `width`.
class RandomState {
public:
  explicit RandomState(unsigned width = 1)
      : width(width), generators(std::size_t{width} * isa::maxPartitions) {
    seed(0);
  }

  /// Initialises every state from one number.
  void seed(std::uint32_t number);
  Xorwow &generator(unsigned lane, std::uint64_t element) {
    return generators[lane * width + element % width];
  }
  unsigned wordsPerLane() const { return width * Xorwow::words; }

private:
  unsigned width;
  std::vector<Xorwow> generators;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_RANDOMSTATE_H

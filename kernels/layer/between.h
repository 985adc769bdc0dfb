//===- between.h - A tensor between two references ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_BETWEEN_H
#define KILN_KERNELS_LAYER_BETWEEN_H

#include "kiln/kiln.h"
#include "support/list.h"
#include "support/rounded.h"

#include <array>
#include <cstdint>

namespace kiln::kernels {

/// What the reference of one part of a layer gives to that of the next: a
/// tensor in HBM, whose type rounds.
template <std::size_t Rank> struct Between {
  std::array<std::int64_t, Rank> shape;
  List<double> values;

  explicit Between(std::array<std::int64_t, Rank> extents) : shape(extents) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape)
      count *= static_cast<std::size_t>(extent);
    values = List<double>(count);
  }
  Doubles view() { return {values.data(), shape.data(), Rank}; }
};

/// `count` heads of qkv [tokens, columns] from head `first`: [tokens, count,
/// d], or [count, tokens, d].
inline Between<3> headsOf(Between<2> &qkv, std::int64_t first,
                          std::int64_t count, std::int64_t d,
                          bool isHeadMajor) {
  const std::int64_t tokens = qkv.shape[0];
  Between<3> result(isHeadMajor ? std::array{count, tokens, d}
                                : std::array{tokens, count, d});
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t h = 0; h < count; ++h)
      for (std::int64_t i = 0; i < d; ++i)
        (isHeadMajor ? result.view()(h, t, i) : result.view()(t, h, i)) =
            qkv.view()(t, (first + h) * d + i);
  return result;
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_BETWEEN_H

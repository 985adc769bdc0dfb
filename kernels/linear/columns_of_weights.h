//===- columns_of_weights.h - How many columns of weights are on chip -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_COLUMNS_OF_WEIGHTS_H
#define KILN_KERNELS_LINEAR_COLUMNS_OF_WEIGHTS_H

#include "kiln/kiln.h"
#include "support/list.h"

#include <cstdint>

namespace kiln::kernels {

/// Columns of x, transposed: what a product takes before it is quantized.
using PiecesOfRows = List<Tile<bf16, -1, -1>>;

/// How many columns of w meet `rows` rows of x at a time. Transfers bind where
/// these are few, and long rows of w take less time.
inline std::int64_t columnsOfWeights(std::int64_t rows, std::int64_t depth) {
  return rows <= 128 && 1024 * depth <= std::int64_t(1) << 23 ? 1024 : 512;
}

/// Likewise, of wider types: as many as have room in 128 KiB of each partition.
template <class T>
std::int64_t columnsOfWideWeights(std::int64_t rows, std::int64_t depth) {
  std::int64_t columns = rows <= 128 ? 2048 : 512;
  while (columns > 512 &&
         columns * depth * isa::sizeInBytes(T::dtype) > std::int64_t(128) << 17)
    columns /= 2;
  return columns;
}

/// Likewise, if pieces of w stream by: rows of `bytes`, if all of these columns
/// have room.
template <class T>
std::int64_t columnsOfStream(std::int64_t depth, std::int64_t bytes) {
  constexpr std::int64_t size = isa::sizeInBytes(T::dtype);
  std::int64_t columns = bytes / size;
  while (columns > 512 && columns * depth * size > std::int64_t(112) << 17)
    columns /= 2;
  return columns;
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_COLUMNS_OF_WEIGHTS_H

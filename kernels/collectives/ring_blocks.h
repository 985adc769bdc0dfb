//===- ring_blocks.h - Products beside transfers around a ring ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_RING_BLOCKS_H
#define KILN_KERNELS_COLLECTIVES_RING_BLOCKS_H

#include "linear/blocked_product.h"
#include "support/list.h"
#include "support/plain.h"

namespace kiln::kernels {

/// Columns of w stay on chip, all of K, while blocks of rows pass by.
template <class T> class KeptColumns {
public:
  static constexpr std::int64_t bytes = isa::sizeInBytes(T::dtype);
  static constexpr std::int64_t piece = 512, wide = 1024;
  using Block = Tile<T, -1, -1>;

  /// How many columns have room: 128 KiB of each partition.
  static std::int64_t most(std::int64_t k) {
    const std::int64_t room = (128 << 10) / (isa::ceilDiv(k, 128) * bytes);
    return plain::max<std::int64_t>(128, room / 128 * 128);
  }

  KeptColumns(In<T, 2> w, Index first, std::int64_t count) {
    BlockedProduct<T>::forPieces(
        count, wide, [&](std::int64_t n, std::int64_t cols) {
          auto &column = tiles.push_back(List<Block>());
          forK(w.dim(0), [&](std::int64_t k, std::int64_t size) {
            column.push_back(load(w.rows_at(k, size).cols_at(first + n, cols)));
          });
        });
  }

  /// Rows of x, transposed, in pieces of K.
  static List<Block> rowsOf(const auto &x) {
    List<Block> rows;
    forK(x.dim(1), [&](std::int64_t k, std::int64_t size) {
      rows.push_back(load_transposed(x.cols_at(k, size)));
    });
    return rows;
  }

  /// Calls use(row, column, sum of products) for tiles of rows times w.
  void multiply(const List<Block> &rows, auto use) const {
    for (std::size_t n = 0; n < tiles.size(); ++n)
      BlockedProduct<T>::forPieces(
          tiles[n][0].dim(1), 512, [&](std::int64_t c, std::int64_t cols) {
            BlockedProduct<T>::forPieces(
                rows[0].dim(1), 128, [&](std::int64_t r, std::int64_t height) {
                  const auto part = [&](std::size_t k) {
                    return matmul(rows[k].cols_at(r, height),
                                  tiles[n][k].cols_at(c, cols));
                  };
                  auto sum = part(0);
                  for (std::size_t k = 1; k < rows.size(); ++k)
                    sum = sum + part(k);
                  use(r, static_cast<std::int64_t>(n) * wide + c, sum);
                });
          });
  }

private:
  static void forK(std::int64_t k, auto use) {
    BlockedProduct<T>::forPieces(k, piece, use);
  }
  List<List<Block>> tiles; ///< By columns, then by pieces of K.
};

/// The rows of each rank in blocks of equal size, numbered step by step around
/// the ring. If they do not divide the rows, the last two overlap.
struct RingBlocks {
  std::int64_t rows, count, size; ///< Of a rank, its blocks, of a block.
  std::int64_t rowBytes;          ///< Of what is sent.

  /// With few columns on chip, loading the rows of a block takes longer than
  /// multiplying them, unless they are many.
  RingBlocks(std::int64_t rows, std::int64_t columns, std::int64_t rowBytes)
      : rows(rows), rowBytes(rowBytes) {
    const std::int64_t usual = columns >= 2048 ? 128 : 256;
    count = isa::ceilDiv(rows, usual);
    size = isa::ceilDiv(rows, count);
  }
  /// The first row of block t among the rows of all steps.
  Index start(const Index &t) const {
    if (count * size == rows)
      return t * size;
    return t / count * rows + min(t % count * size, Index(rows - size));
  }
  /// The same among the rows of its rank.
  Index within(const Index &t) const {
    return count == 1 ? Index(0) : min(t % count * size, Index(rows - size));
  }

  /// Sends rows to the next rank, in pieces of so many bytes, but no more than
  /// 16: an engine that moves a long piece keeps loads waiting.
  void send(const auto &from, const auto &to, const nc::ReplicaGroup &ring,
            std::int64_t bytes) const {
    BlockedProduct<bf16>::forPieces(
        size, plain::max((size + 15) / 16, bytes / rowBytes),
        [&](std::int64_t r, std::int64_t some) {
          nc::collective_permute_implicit(from.rows_at(r, some),
                                          to.rows_at(r, some), ring);
        });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_RING_BLOCKS_H

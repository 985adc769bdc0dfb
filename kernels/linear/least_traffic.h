//===- least_traffic.h - y = x w, with few loads --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As many rows of x as fit stay on chip, a block, while columns of w stream
// past them in chunks of K. PSUM holds the sums of all of these rows for all of
// K, so w is loaded once for each block, and x once.
//
// With the last columns of w, each chunk of x is dead as soon as it has been
// multiplied, and that of the next block comes in its place. These products are
// written out, like those with the first columns: so each waits for its own
// chunk. Where columns change, the first sums have long left PSUM when the last
// ones are complete.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_LEAST_TRAFFIC_H
#define KILN_KERNELS_LINEAR_LEAST_TRAFFIC_H

#include "kiln/kiln.h"
#include "linear/blocked_product.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>

namespace kiln::kernels {

template <class T> struct LeastTraffic {
  In<T, 2> x;
  In<T, 2> w;
  Epilogue<Product<T>> after;
  Out<Product<T>, 2> y;

  static constexpr std::int64_t bytes = isa::sizeInBytes(T::dtype);
  static constexpr std::int64_t lanes = isa::maxPartitions;
  static constexpr std::int64_t bank = isa::psumBankSums, banks = 8;
  /// Bytes of a partition for x, on every target; the rest is for chunks of w
  /// and for results.
  static constexpr std::int64_t room = 176 * 1024;
  /// Sums of 256 columns are two in a bank. Few sums have room for 512, whose
  /// products are a little more efficient.
  static constexpr std::int64_t most = 2 * banks, few = 7;
  /// Instructions that the tensor engine fetches once for all iterations.
  static constexpr std::int64_t fetched = 232;
  /// Blocks of x before the last one, from which those in the middle are a
  /// loop.
  static constexpr std::int64_t leastLooped = 4;
  /// Columns that are multiplied while a chunk of w arrives.
  static constexpr std::int64_t ahead = 100 * 256;
  /// Of a chunk of w, pieces of 128 rows; chunks, which have queues of their
  /// own, beside the first one; and bytes of a partition for all.
  static constexpr std::int64_t mostSlots = 8, mostCopies = 9;
  static constexpr std::int64_t roomOfRight = 16 * 1024;

  /// Pieces of 128 rows of K, and as many tiles of x for each as fit.
  static std::int64_t slotsOf(std::int64_t k) { return isa::ceilDiv(k, lanes); }
  static std::int64_t tilesThatFit(std::int64_t k) {
    return plain::min(most, room / (slotsOf(k) * lanes * bytes));
  }
  static constexpr std::int64_t longestK = room / bytes;
  /// Where it takes about as long as blocks of c, or less: a K that these
  /// contract in parts, and enough rows and columns. With fewer than four tiles
  /// of x on chip, it would load as much as they do.
  static constexpr std::int64_t longK = 4096, large = 2048, enough = 4;
  static bool suits(std::int64_t m, std::int64_t k, std::int64_t n) {
    return k > longK && m >= large && n >= large && tilesThatFit(k) >= enough;
  }

  void run() const {
    const std::int64_t m = x.dim(0), tiles = isa::ceilDiv(m, lanes);
    const std::int64_t tall =
        isa::ceilDiv(tiles, isa::ceilDiv(tiles, tilesThatFit(x.dim(1))));
    const std::int64_t height = tall * lanes,
                       last = isa::ceilDiv(tiles, tall) - 1;
    const auto block = [&](Index i, std::int64_t rows) {
      return Block{i * height, rows};
    };
    Streams streams(*this, tall);
    no_reorder keep;
    const Block end = block(last, m - last * height);
    streams.loadAtOnce = true;
    if (last < leastLooped) {
      for (std::int64_t i = 0; i < last; ++i)
        streams.multiply(block(i, height),
                         i + 1 < last ? block(i + 1, height) : end);
    } else {
      streams.multiply(block(0, height), block(1, height));
      loop("m", 1, last - 1, [&](Index i) {
        streams.multiply(block(i, height), block(i + 1, height));
      });
      streams.multiply(block(last - 1, height), end);
    }
    streams.multiply(end, {end.row, 0});
  }

  /// Rows of x.
  struct Block {
    Index row;
    std::int64_t rows;

    std::int64_t tiles() const { return isa::ceilDiv(rows, lanes); }
    std::int64_t rowsOf(std::int64_t tile) const {
      return plain::min(lanes, rows - tile * lanes);
    }
  };
  /// How K is cut: the first chunk, a loop over `copies` chunks at a time, and
  /// what is left of it.
  struct Chunks {
    std::int64_t slots, copies, trips = 0, left = 0;

    Chunks(std::int64_t slots, std::int64_t copies, std::int64_t k)
        : slots(slots), copies(copies) {
      trips = plain::max<std::int64_t>(k / (slots * lanes) - 1, 0) / copies;
      left = isa::ceilDiv(k, slots * lanes) - 1 - trips * copies;
    }
    std::int64_t written() const { return (1 + copies + left) * slots; }
    std::int64_t bytesOfRight(std::int64_t width) const {
      return (1 + copies) * slots * width * bytes;
    }
    /// Columns that are multiplied while a chunk arrives, as far as it matters.
    std::int64_t aheadOf(std::int64_t tiles, std::int64_t width) const {
      return plain::min(copies * slots * tiles * width, ahead);
    }
    bool isBetterThan(const Chunks &other, std::int64_t tiles,
                      std::int64_t width) const {
      const std::int64_t own = aheadOf(tiles, width),
                         others = other.aheadOf(tiles, width);
      const bool isLong = written() * tiles > fetched,
                 isOtherLong = other.written() * tiles > fetched;
      if (own != others)
        return own > others;
      if (isLong != isOtherLong)
        return isOtherLong;
      return left != other.left ? left < other.left
                                : copies * slots > other.copies * other.slots;
    }
  };

  static Chunks chunksOf(std::int64_t k, std::int64_t tiles,
                         std::int64_t width) {
    Chunks best(1, 1, k);
    for (std::int64_t copies = 1; copies <= mostCopies; ++copies)
      for (std::int64_t slots = 1; slots <= mostSlots; ++slots)
        if (const Chunks chunks(slots, copies, k);
            chunks.bytesOfRight(width) <= roomOfRight &&
            chunks.isBetterThan(best, tiles, width))
          best = chunks;
    return best;
  }

  struct Streams {
    In<T, 2> x, w;
    Epilogue<Product<T>> after;
    Out<Product<T>, 2> y;
    using Memory = decltype(sbuf<T>(128_c, std::int64_t{1}));

    std::int64_t k, n, tall; ///< Tiles of a block.
    std::int64_t width;
    Chunks chunks;
    Memory left;
    List<Memory> right;
    decltype(psum<f32>(128_c, 4096_c)) sums =
        psum<f32>(128_c, 4096_c, kiln::bank(0));
    std::int64_t turn = 0, loads = 0;
    bool loadAtOnce = false; ///< No block is on chip yet.

    Streams(const LeastTraffic &of, std::int64_t tall)
        : x(of.x), w(of.w), after(of.after), y(of.y), k(of.x.dim(1)),
          n(of.w.dim(1)), tall(tall), width(tall <= few ? bank : bank / 2),
          chunks(chunksOf(k, tall, width)),
          left(sbuf<T>(128_c, slotsOf(k) * tall * lanes)) {
      for (std::int64_t i = 0; i <= chunks.copies; ++i)
        right.push_back(sbuf<T>(128_c, chunks.slots * width));
    }

    std::int64_t depth() const { return chunks.slots * lanes; }
    std::int64_t chunkCount() const { return isa::ceilDiv(k, depth()); }
    std::int64_t sizeOf(std::int64_t chunk) const {
      return plain::min(depth(), k - chunk * depth());
    }
    /// Where a chunk of w is.
    std::size_t copyOf(std::int64_t chunk) const {
      return static_cast<std::size_t>(
          chunk == 0 ? 0 : 1 + (chunk - 1) % chunks.copies);
    }
    /// Rows of a block, turned: of a slot of a chunk.
    auto turned(Index chunk, std::int64_t slot, std::int64_t depth,
                std::int64_t row, std::int64_t rows) const {
      return left.rows_at(0, depth).cols_at(
          (chunk * chunks.slots + slot) * (tall * lanes) + row, rows);
    }
    /// Neighbouring sums are in different banks: two engines empty them.
    auto sumOf(std::int64_t i, std::int64_t rows, std::int64_t cols) const {
      const std::int64_t place = i % (banks * bank / width);
      return sums.rows_at(0, rows).cols_at(
          place % banks * bank + place / banks * width, cols);
    }
    void loadLeft(const Block &block, std::int64_t chunk) {
      const auto load = [&](std::int64_t at, std::int64_t size) {
        const int queue = 1 + static_cast<int>(loads++ % 4);
        const auto to = turned(chunk, at / lanes, size, 0, block.rows);
        nc::dma_transpose(to,
                          x.rows_at(block.row, block.rows)
                              .cols_at(chunk * depth() + at, size),
                          {.queue = queue, .engine = nc::Engine::gpsimd});
      };
      BlockedProduct<T>::forPieces(sizeOf(chunk), lanes, load);
    }
    /// Whole pieces of 128 rows in one transfer, and what is left of them.
    void loadRight(Index col, std::int64_t cols, Index chunk, std::size_t copy,
                   std::int64_t size) {
      const int queue = 5 + static_cast<int>(copy);
      const std::int64_t whole = size / lanes, rest = size % lanes;
      const auto from = w.rows_at(chunk * depth(), size).cols_at(col, cols);
      if (whole > 0)
        nc::dma_copy(right[copy]
                         .cols_at(0, whole * width)
                         .reshape(128_c, whole, width)
                         .slice(2, 0, cols),
                     from.rows_at(0, whole * lanes)
                         .reshape(whole, 128_c, cols)
                         .permute(1, 0, 2),
                     {.queue = queue, .engine = nc::Engine::sync});
      if (rest > 0)
        nc::dma_copy(right[copy].rows_at(0, rest).cols_at(whole * width, cols),
                     from.rows_at(whole * lanes, rest),
                     {.queue = queue, .engine = nc::Engine::sync});
    }
    void addChunk(const Block &block, Index chunk, std::size_t copy,
                  std::int64_t size, std::int64_t cols, bool isFirst) {
      const auto add = [&](std::int64_t at, std::int64_t deep) {
        const std::int64_t slot = at / lanes;
        const auto moving =
            right[copy].rows_at(0, deep).cols_at(slot * width, cols);
        for (std::int64_t i = 0; i < block.tiles(); ++i) {
          const std::int64_t rows = block.rowsOf(i);
          nc::nc_matmul(sumOf(turn + i, rows, cols),
                        turned(chunk, slot, deep, i * lanes, rows), moving,
                        {.accumulate = !isFirst || at > 0});
        }
      };
      BlockedProduct<T>::forPieces(size, lanes, add);
    }
    void chunk(const Block &block, Index col, std::int64_t cols,
               std::int64_t i) {
      loadRight(col, cols, i, copyOf(i), sizeOf(i));
      addChunk(block, i, copyOf(i), sizeOf(i), cols, i == 0);
    }
    void put(const Block &block, Index col, std::int64_t cols) {
      for (std::int64_t i = 0; i < block.tiles(); ++i)
        after.put(y, block.row + i * lanes, col,
                  sumOf(turn + i, block.rowsOf(i), cols));
      turn += block.tiles();
    }

    /// With columns of w beside which rows of x are loaded.
    void straight(const Block &block, std::int64_t col, const Block &next) {
      const std::int64_t cols = plain::min(width, n - col);
      for (std::int64_t i = 0; i < chunkCount(); ++i) {
        if (loadAtOnce)
          loadLeft(block, i);
        chunk(block, col, cols, i);
        if (col + cols == n && next.rows > 0)
          loadLeft(next, i);
      }
      loadAtOnce = false;
      put(block, col, cols);
    }
    /// With columns of w between the first and the last ones.
    void between(const Block &block, Index col) {
      chunk(block, col, width, 0);
      loop("k", chunks.trips, [&](Index trip) {
        for (std::int64_t i = 0; i < chunks.copies; ++i) {
          const Index at = trip * chunks.copies + (1 + i);
          const std::size_t copy = copyOf(1 + i);
          loadRight(col, width, at, copy, depth());
          addChunk(block, at, copy, depth(), width, false);
        }
      });
      for (std::int64_t i = 1 + chunks.trips * chunks.copies; i < chunkCount();
           ++i)
        chunk(block, col, width, i);
      put(block, col, width);
    }
    /// A block; the next one is on chip when it is done.
    void multiply(const Block &block, const Block &next) {
      const std::int64_t count = isa::ceilDiv(n, width);
      turn = 0;
      straight(block, 0, next);
      loop("n", count - 2, [&](Index i) { between(block, (i + 1) * width); });
      if (count > 1)
        straight(block, (count - 1) * width, next);
    }
  };
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_LEAST_TRAFFIC_H

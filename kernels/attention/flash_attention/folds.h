//===- folds.h - Which tiles of queries go together -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a causal mask, each tile of queries sees a different number of blocks of
// keys. A fold is 1024 queries, in shares of a half or a quarter. The early
// shares of a fold go with the late ones of a fold that is as far from the end:
// both together see the same number of whole blocks, whichever pair it is.
//
// A ragged last fold has fewer tiles. They are dealt to its shares in order.
// Its early tiles still go with late ones of the first fold, and its late ones
// with early ones of the first fold. What is left of the first fold sees no
// whole block, so it needs no partner.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_FOLDS_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_FOLDS_H

#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// The tiles of the queries of some heads. Place p of an early share is tile
/// p % tiles() of fold p / tiles(); those of a late share count the folds from
/// the end. The state of each tile has a column. Those of the same place of all
/// heads lie side by side, so that columns of a share that go with those of
/// another one are not interrupted.
struct QueryFolds {
  static constexpr int tile = 128, fold = 1024; ///< Queries.

  int heads, rows; ///< Rows: queries of a head.
  int share;       ///< Queries.
  int clear;       ///< Blocks that all tiles see.

  int folds() const { return isa::ceilDiv(rows, fold); }
  int last() const { return folds() - 1; }
  int tiles() const { return share / tile; }
  int shares() const { return fold / share; }
  int early() const { return shares() / 2; } ///< As many as late ones.
  bool isRagged() const { return rows % fold != 0; }

  /// Tiles of the last fold. A fold that is alone has copies of the last tile,
  /// as the first and last fold must not be one. So has one whose partners see
  /// blocks: each of them needs a partner.
  int lastTiles() const {
    const bool isFull = last() == 0 || clear > 0;
    return isFull ? fold / tile : isa::ceilDiv(rows - last() * fold, tile);
  }
  /// Tiles of the last fold that share x has.
  int count(int x) const {
    const int pair = x % early(), isLate = x / early();
    // Of the early share `pair` and the late one that goes with it.
    const int both = (lastTiles() + early() - 1 - pair) / early();
    return (both + 1 - isLate) / 2;
  }
  /// The first of them.
  int first(int x) const {
    int tiles = 0;
    for (int i = 0; i < x; ++i)
      tiles += count(i);
    return tiles;
  }
  int shareOf(bool isLast, int i) const {
    int x = isLast ? shares() - 1 : i / tiles();
    while (isLast && first(x) > i)
      --x;
    return x;
  }
  /// First places of share x without a partner in the other share: a tile
  /// where early ones are one more, and what the last fold does not use.
  int ahead(int x) const {
    return x < early() ? count(x) - count(x + early()) : tiles() - count(x);
  }
  /// Places of a head in share x and in the one that goes with it.
  int paired(int x) const {
    return tiles() * last() + count(x % early() + early());
  }
  /// The first column of share x. Those of first tiles are behind all of them.
  int base(int x) const {
    int columns = 0;
    for (int i = 0; i < x; ++i)
      columns += heads * paired(i);
    return columns;
  }
  int columns() const { return base(shares()) + early() * heads; }
  /// The columns up to the last one that is used. Of those of first tiles, one
  /// before it may be unused.
  int used() const {
    int x = early();
    while (x > 0 && ahead(x - 1) == 0)
      --x;
    return base(shares()) + x * heads;
  }

  /// The fold of a place.
  Index foldOf(Index p, int x) const {
    return x < early() ? p / tiles() : last() - p / tiles();
  }
  /// The first query of its tile, in the head. The last tile ends with the last
  /// query.
  Index rowOf(Index p, int x) const {
    const Index f = foldOf(p, x);
    const int unused = x < early() ? 0 : ahead(x);
    Index row = f * fold + p % tiles() * tile + x * share;
    if (const int skip = x * tiles() + unused - first(x);
        skip > 0 && last() > 0)
      row = row - f / last() * (skip * tile);
    return isRagged() ? min(row, rows - tile) : row;
  }
  /// The column of tile i of a whole fold or of the last one.
  Index columnOf(Index h, Index f, bool isLast, int i) const {
    const int x = shareOf(isLast, i), unused = x < early() ? 0 : ahead(x);
    const int from = isLast ? first(x) - unused : x * tiles();
    const Index g = x < early() ? f : last() - f;
    const Index c = (g * tiles() + (i - from - ahead(x))) * heads + h + base(x);
    if (!isFirst(isLast, i))
      return c;
    const Index behind = min(g, 1) * columns();
    return max(c, h + (base(shares()) + x * heads) - behind);
  }
  /// Whether it has no partner in the first fold.
  bool isFirst(bool isLast, int i) const {
    const int x = shareOf(isLast, i);
    return !isLast && i % tiles() == 0 && x < early() && ahead(x) > 0;
  }
  /// Whether tiles i and i + 1 are as far apart as neighbours of a share.
  bool isJoined(bool isLast, int i) const {
    return shareOf(isLast, i) == shareOf(isLast, i + 1) && !isFirst(isLast, i);
  }

  /// Calls begin(head, place, column, share) for all tiles, for pairs of them
  /// in a loop.
  void forDiagonal(auto begin) const {
    for (int x = 0; x < early(); ++x) {
      const int late = x + early();
      if (ahead(x) > 0)
        loop("kv first", heads, [&](Index h) {
          begin(h, Index(0), h + (base(shares()) + x * heads), x);
        });
      loop("kv diagonal", heads * paired(x), [&](Index i) {
        begin(i % heads, i / heads + ahead(x), i + base(x), x);
        begin(i % heads, i / heads + ahead(late), i + base(late), late);
      });
    }
  }

  /// Pairs of tiles that see whole blocks.
  int pairs(int x) const {
    return heads * (tiles() * (last() - 1) + count(x) + count(x + early()));
  }
  /// Calls step(column, block): the tile sees the whole block.
  void forBlocks(auto step) const {
    const bool isEven = pairs(0) == pairs(early() - 1);
    for (int x = 0; x < (isEven ? 1 : early()); ++x) {
      const int shares = isEven ? early() : 1, n = pairs(x) * shares;
      const int unused = ahead(x + early()) * heads;
      const int skip = unused - ahead(x) * heads;
      loop("kv", n * (last() + 2 * clear), [&](Index t) {
        const Index j = t / n, i = t % n;
        const Index own = shares > 1 ? i % pairs(x) : i;
        const int gap = shares > 1 ? base(1) - pairs(x) : 0;
        const Index first = gap > 0 ? i + i / pairs(x) * gap : i;
        const Index f = (own + unused) / (tiles() * heads) + clear;
        const Index c = first + (base(x) + skip) +
                        min(max(j - f + 1, 0), 1) * (base(early()) - skip);
        step(c, max(f - 1 - j, j - f));
      });
    }
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_FOLDS_H

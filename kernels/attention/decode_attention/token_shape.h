//===- token_shape.h - What new tokens attend to --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_SHAPE_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_SHAPE_H

#include "attention/decode_attention/cache_rows.h"
#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// What is read and how: a pair is a sequence and one of its kv-heads. Its
/// queries are a group: the new tokens of its first head, then of the next one.
struct TokenShape {
  std::int64_t batch, kv_heads, tokens; ///< New tokens of each sequence.
  std::int64_t group, d;
  std::int64_t rows, per, steps; ///< A step has rows * per keys.
  std::int64_t stacked; ///< Keys of a row on one another in a tile of keys.
  double scale;
  std::int64_t sharers; ///< Ranks or cores that have keys of the same queries.
  std::int64_t core, cores, all; ///< Cores take turns at all steps.

  std::int64_t pairs() const { return batch * kv_heads; }
  std::int64_t width() const { return per * group; } ///< Scores of a row.
  std::int64_t keys() const { return rows * per; }   ///< Of a step.
  /// Among all of them. The one behind the last full step of a core may be one
  /// of another core: its keys are hidden.
  Index placeOf(Index j) const {
    return cores > 1 ? min(j * cores + core, all - 1) : j;
  }
  /// Full steps of this core, of all of a sequence.
  Index fullOf(Index full) const {
    return cores > 1 ? (full + (cores - 1 - core)) / cores : full;
  }
  /// Columns of the PE array for the queries of a group.
  std::int64_t lane() const {
    return group <= 32 ? 32 : group <= 64 ? 64 : 128;
  }
  /// Pairs whose maxima are found together: of about 16 steps, if there is room
  /// on chip and in one transpose. On trn1, a transpose spreads NaN.
  std::int64_t pairsOfSet() const {
    const std::int64_t bytes = 2 * steps * width() * 4, room = 64 * 1024;
    const std::int64_t most =
        plain::min(plain::min(128 / group, room / bytes), (15 + steps) / steps);
    return target().generation == nc::Generation::v2
               ? 1
               : divisorUpTo(pairs(), plain::max<std::int64_t>(most, 1));
  }
};

/// Where the steps come from: keys(i, j, use) calls use(tile, next, stride)
/// with the keys of step j of pair i in columns. Key c of row r is in column
/// c / stacked * next + r * stride, number c % stacked from the top.
/// keyRows(i, j, into) and values(i, j, into) load [rows, per * d]. length(i)
/// is how many keys there are. `spreads`: keys() also turns neighbours of a NaN
/// into NaN.
template <class Keys, class KeyRows, class Values, class Length>
struct StepSource {
  Keys keys;
  KeyRows keyRows;
  Values values;
  Length length;
  bool spreads;
};
template <class Keys, class KeyRows, class Values, class Length>
StepSource(Keys, KeyRows, Values, Length, bool)
    -> StepSource<Keys, KeyRows, Values, Length>;

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_SHAPE_H

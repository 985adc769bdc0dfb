//===- sections.h - Attention with a section of the keys on chip ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where not all keys fit in SBUF beside the state of a few tiles of queries,
// the state of many tiles stays, and sections of the keys come one after the
// other. A section and so many queries keep the engines busy for a millisecond,
// so it matters little that each section fills and drains them.
//
// With a causal mask, a part of the queries begins with its own keys, as in
// resident.h. All keys before these are seen by all of the part. There are as
// many keys in a section as queries in a part, so that the number of sections
// grows by one from part to part: the code does not depend on the length.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_SECTIONS_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_SECTIONS_H

#include "attention/flash_attention/resident.h"

namespace kiln::kernels {

/// Of one head.
template <class T> struct SectionedAttention {
  int seq_q, seq_k, head_dim;
  bool causal;
  double scale, lowest;
  int section; ///< Keys, and queries of a part: whole blocks.

  using Resident = ResidentAttention<T>;
  static constexpr int tile = 128, block = 1024;

  /// Some queries and some keys; their own keys, with a mask.
  Resident over(int rows, int keys, bool masked = false) const {
    return {1, 1, rows, keys, head_dim, masked, scale, lowest, block};
  }
  /// Fills half of SBUF, with the state and the keys on their way.
  static constexpr int usual = 16 * 1024 / isa::sizeInBytes(T::dtype);

  /// Queries of the first part, which takes what is left over of whole ones: a
  /// tile or more, and with a mask as many as can be folded.
  int firstPart() const {
    const int least = causal ? Resident::fold / 4 * 3 + 1 : tile;
    return (seq_q - least) % section + least;
  }
  bool pays() const {
    return causal ? over(seq_q, seq_k, true).canFold() : seq_q >= tile;
  }

  void operator()(auto q, auto k, auto v, auto o) const {
    const auto attend = [&](const Index &row, int rows, int keys,
                            const Index &parts) {
      auto mine = q.rows_at(row, rows);
      auto out = o.rows_at(row, rows);
      if (causal)
        attendCausal(mine, k, v, out, rows, row, keys, parts);
      else
        attendAll(mine, k, v, out, rows);
    };
    const int first = firstPart(), done = first == section ? 0 : first;
    const int shift = seq_k - seq_q;
    if (done > 0)
      attend(0, first, shift, 0);
    loop("queries", (seq_q - done) / section, [&](Index i) {
      attend(i * section + done, section, shift + done, i);
    });
  }

private:
  /// The state of some queries.
  struct State {
    Buffer<T, Shape<dynamic, dynamic>> qT;
    Buffer<f32, Shape<dynamic, dynamic>> m, acc, unused;
  };
  State stateOf(const Resident &queries) const {
    const int n = queries.queryTiles();
    // Braces, so that one comes after the other with every compiler.
    return {sbuf<T>(head_dim, n * tile), sbuf<f32>(tile, n),
            sbuf<f32>(tile, n * queries.wide()), sbuf<f32>(tile, 1)};
  }
  /// The queries with the keys that are on chip. Before there are any, and
  /// after the last ones, their place is taken by something that is not read.
  auto headsOf(const State &state, const auto &kT, const auto &vs, auto q,
               auto o) const {
    const auto noSums = [] { return Out<f32, 2>({}); };
    return ResidentHeads<T, decltype(q), decltype(o), decltype(noSums)>{
        head_dim,     block,     scale,        lowest, state.qT, kT,    vs,
        state.m,      state.acc, state.unused, q,      o,        false, false,
        state.unused, 0,         noSums};
  }
  auto headsOf(const State &state, auto q, auto o) const {
    return headsOf(state, state.qT, state.qT, q, o);
  }
  /// step(heads) with all keys of `some` on chip, which begin with `first`.
  void withKeys(const Resident &some, const State &state, auto q, auto o,
                auto k, auto v, const Index &first, auto step) const {
    auto [kT, vs] = some.keysAndValues();
    some.setOnes(vs);
    some.loadKeys(k.rows_at(first, some.seq_k), v.rows_at(first, some.seq_k),
                  kT, vs);
    step(headsOf(state, kT, vs, q, o));
  }

  /// The first keys, and sections of further ones, which the first n columns
  /// see.
  void stepAll(const State &state, auto q, auto o, auto k, auto v, int n,
               int rest, const Index &sections) const {
    const auto step = [&](const Index &first, int keys) {
      const Resident some = over(tile, keys);
      withKeys(some, state, q, o, k, v, first,
               [&](const auto &heads) { some.stepAll(heads, n); });
    };
    if (rest > 0)
      step(0, rest);
    loop("section", sections,
         [&](Index s) { step(s * section + rest, section); });
  }

  void attendAll(auto q, auto k, auto v, auto o, int rows) const {
    const Resident all = over(rows, section);
    const State state = stateOf(all);
    const int n = all.queryTiles();
    const auto heads = headsOf(state, q, o);
    all.loadQueries(heads);
    all.beginEmpty(heads, 0, n);
    stepAll(state, q, o, k, v, n, seq_k % section, seq_k / section);
    all.finishTiles(heads);
  }

  /// Before the keys of the queries from `row` on, which are as many, there are
  /// `keys` and a section for each of so many parts.
  void attendCausal(auto q, auto k, auto v, auto o, int rows, const Index &row,
                    int keys, const Index &parts) const {
    const Resident own = over(rows, rows, true);
    const State state = stateOf(own);
    const QueryFolds folds = own.foldsOf(1);
    const int paired = folds.base(folds.shares()), used = folds.used();
    auto unit = identity<T>(tile);
    auto hidden = own.mask(1);
    withKeys(own, state, q, o, k, v, row + (seq_k - seq_q),
             [&](const auto &heads) {
               if (paired < used) {
                 heads.qT.cols_at(paired * tile, (used - paired) * tile) =
                     zeros<T>(head_dim, (used - paired) * tile);
                 own.beginEmpty(heads, paired, used);
               }
               own.beginFolded(heads, 1, unit, hidden);
             });
    stepAll(state, q, o, k, v, used, keys % section, parts + keys / section);
    own.finishFolded(headsOf(state, q, o), 1);
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_SECTIONS_H

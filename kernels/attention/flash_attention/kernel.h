//===- kernel.h - Attention with online softmax ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// O = softmax(scale Q K^T) V without ever storing the scores (Dao et al. 2022,
// algorithm 1). Every 128 queries go through the keys block by block. m is
// the running row maximum, l the running sum of exponentials and acc the
// running output, which is rescaled whenever the maximum grows.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_KERNEL_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_KERNEL_H

#include "attention/flash_attention/sections.h"
#include "attention/prefill_attention/window.h"
#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {
/// o = softmax(scale q k^T) v for each head; causal if asked for.
template <class T> struct FlashAttention {
  BOOST_HANA_DEFINE_STRUCT(FlashAttention, (int, heads), (int, kv_heads),
                           (int, seq_q), (int, seq_k), (int, head_dim),
                           (bool, causal), (float, scale), (int, block),
                           (int, section));

  static FlashAttention defaults() {
    return {1, 1, 1024, 1024, 128, false, 0.0f, 0, 0};
  }

  void describe(Signature &s) const {
    s.summary("attention with online softmax and grouped heads");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("seq-q", "queries");
    s.doc("seq-k", "keys");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("causal", "query i sees keys up to i + seq-k - seq-q");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.doc("block", "keys of a block; 0 is 512 or 1024, by their number");
    s.doc("section", "keys on chip at a time, a multiple of 1024; 0 is all of "
                     "them, or 8192 of 16 bits if there is no room");
    s.tunable("block", {256, 512, 1024, 2048});
    s.argument("q", {heads, seq_q, head_dim});
    s.argument("k", {kv_heads, seq_k, head_dim});
    s.argument("v", {kv_heads, seq_k, head_dim});
    s.argument("o", {heads, seq_q, head_dim});
    s.flops(4.0 * heads * visiblePairs() * head_dim);
  }

  /// Wider blocks cost less where there are enough of them to overlap and none
  /// is left over, or so few that those of several queries overlap.
  std::int64_t keysOfBlock() const {
    if (block > 0)
      return block;
    const bool few = seq_k > 1024 && seq_k <= 2 * 1024;
    const bool many = seq_k >= 8 * 1024 && seq_k % 1024 == 0;
    return !causal && (few || many) ? 1024 : 512;
  }
  /// Keys of a block where all is on chip. Without a mask, blocks are equal, or
  /// all but one where that is fewer keys and there are enough of them to
  /// overlap.
  int residentBlock() const {
    const auto up = [](int n) { return isa::ceilDiv(n, 128) * 128; };
    const int most = 1024, count = isa::ceilDiv(seq_k, most);
    const int equal = up(isa::ceilDiv(seq_k, count));
    return block > 0                                            ? block
           : causal || (count > 3 && count * equal > up(seq_k)) ? most
                                                                : equal;
  }
  double factor() const {
    return scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  }
  /// Stands for -infinity, but its differences are numbers. It is a power of
  /// two, so its product with the scale is exact and a row that sees no key
  /// holds exp(0), not infinity. A product with the identity, which is how trn1
  /// transposes, would spread infinity over all rows.
  static constexpr double lowest = -0x1p127;

  void operator()(In<T, 3> q, In<T, 3> k, In<T, 3> v, Out<T, 3> o) const {
    require(head_dim <= 128,
            {"head-dim is <|", head_dim, "|>, expected [|at most 128|]"});
    require(heads % kv_heads == 0,
            {"heads is <|", heads, "|>, no [|multiple of kv-heads, which is ",
             kv_heads, "|]"});
    require(block >= 0, {"block is <|", block, "|>, expected [|0 or more|]"},
            "give 0 to leave it to the kernel");
    require(section >= 0 && section % 1024 == 0,
            {"section is <|", section, "|>, expected [|a multiple of 1024|]"},
            "give 0 to leave it to the kernel");
    require(scale >= 0, {"scale is <|", scale, "|>, expected [|0 or more|]"},
            "negate q instead");
    // Whole tiles of queries that see no key are neither loaded nor computed.
    const int none = causal ? plain::max(seq_q - seq_k, 0) / 128 * 128 : 0;
    if (none > 0)
      storeZeros(o, none);
    FlashAttention seeing = *this;
    seeing.seq_q -= none;
    seeing.attendAll(part(q, none, seeing.seq_q), k, v,
                     part(o, none, seeing.seq_q), none > 0 && heads > 1);
  }

  /// The first queries of all heads, whole tiles.
  void storeZeros(auto o, int count) const {
    const int most = 1024, width = plain::min(most, count) / 128 * head_dim;
    auto out = sbuf<T>(128, width);
    out = zeros<T>(128, width);
    loop("head", heads, [&](Index h) {
      tiles("no keys", count, most, [&](Index row, auto n) {
        storeTiles(o[h], row, int(dsl::extentValue(n)), out, head_dim);
      });
    });
  }

  /// Apart: heads of q and o do not lie one below the other.
  void attendAll(auto q, auto k, auto v, auto o, bool apart) const {
    // Without a mask, the queries of heads with the same keys may be those of
    // one head, or of several.
    const int group = heads / kv_heads, rows = causal ? seq_q : group * seq_q;
    for (int parts = 1; section == 0 && !apart &&
                        (parts == 1 || (!causal && parts * 1024 <= rows));
         ++parts) {
      const int count = causal ? heads : kv_heads * parts;
      const ResidentAttention<T> resident = {
          count,  kv_heads, rows / parts, seq_k,          head_dim,
          causal, factor(), lowest,       residentBlock()};
      if (rows % parts != 0 || resident.headsAtOnce() == 0)
        continue;
      const auto all = [&](auto x) {
        return part(x.reshape(count, rows / parts, head_dim), 0, rows / parts);
      };
      resident(all(q), k, v, all(o));
      return;
    }
    using Sectioned = SectionedAttention<T>;
    const Sectioned sectioned = {seq_q,
                                 seq_k,
                                 head_dim,
                                 causal,
                                 factor(),
                                 lowest,
                                 section > 0 ? section : Sectioned::usual};
    const bool inSections =
        (block == 0 || block == Sectioned::block) && sectioned.pays();
    require(section == 0 || inSections,
            {"section is <|", section, "|>, expected [|0|] for a block of ",
             block, " keys and ", seq_q, " queries"},
            "give 1024 keys or 0 as block, and at least 128 queries that see a "
            "key; 769, with a mask");
    if (inSections) {
      loop("head", heads, [&](Index h) {
        const Index g = h / group;
        sectioned(q[h], k[g], v[g], o[h]);
      });
      return;
    }
    // A window of all keys: every query looks at all of them.
    const WindowAttention<T> wide = {heads,    kv_heads, seq_q, seq_k - seq_q,
                                     head_dim, seq_k,    false, false,
                                     factor(), lowest};
    if (!apart && causal && block == 0 && seq_k >= seq_q && wide.pays() &&
        wide.fits()) {
      wide(q, k, v, In<f32, 2>({}), o, Out<f32, 3>({}));
      return;
    }
    loop("kv_head", kv_heads, [&](Index g) {
      loop("group", group, [&](Index i) {
        const Index h = g * group + i;
        tiles("q", seq_q, 128, [&](Index start, auto n) {
          attend(start, n, q[h], k[g], v[g], o[h]);
        });
      });
    });
  }

  /// Some of the queries. Always a slice: one type is compiled once.
  static auto part(auto x, int first, int count) {
    return x.slice(1_c, first, count);
  }

  /// The output of queries start .. start + n - 1 of one head.
  void attend(Index start, auto n, auto q, auto k, auto v, auto o) const {
    const double s0 = factor();
    const std::int64_t shift = seq_k - seq_q; // query i sees keys <= i + shift
    auto qT = load_transposed(q.rows_at(start, n)); // [d, n]
    auto m = full<f32>(lowest, n, 1_c);
    auto l = zeros<f32>(n, 1_c);
    auto acc = zeros<f32>(n, head_dim);
    forVisibleKeys(start, n, [&](Index key, auto size, bool masked) {
      auto s = matmul(qT, load_transposed(k.rows_at(key, size))); // [n, size]
      if (masked)
        s = keep(s, row_at(start) + shift >= col_at(key), lowest);
      auto m_new = max(m, s0 * row_max(s));
      auto p = cast<T>(exp(s0 * s - m_new));
      auto alpha = exp(m - m_new);
      l = alpha * l + row_sum(p);
      auto pT = transpose(p); // [size, n]
      acc = alpha * acc + matmul(pT, load(v.rows_at(key, size)));
      m = m_new;
    });
    if (causal && shift < 0) // the first queries see no key: zeros
      store(o.rows_at(start, n),
            keep(acc / max(l, 1.0e-30), row_at(start) + shift >= 0, 0.0));
    else
      store(o.rows_at(start, n), acc / l);
  }

  /// step(key, size, masked) for every block of keys that some query of start
  /// .. start + n - 1 sees; masked where not all of them see all of it.
  void forVisibleKeys(Index start, auto n, auto step) const {
    if (!causal) {
      tiles("kv", seq_k, keysOfBlock(),
            [&](Index key, auto n) { step(key, n, false); });
      return;
    }
    // Blocks before `clear` are seen by every query, those from `seen` on by
    // none; only the ones between need a mask.
    const std::int64_t size = keysOfBlock();
    const std::int64_t blocks = seq_k / size, tail = seq_k % size;
    const std::int64_t shift = seq_k - seq_q;
    const Index last = start + (dsl::extentValue(n) - 1 + shift);
    const Index seen = max(last / size + 1, 0);
    const Index clear = max(min((start + (shift + 1)) / size, blocks), 0);
    if (blocks > 0) {
      loop("kv", clear, [&](Index j) { step(j * size, size, false); });
      loop("kv diagonal", clear, min(seen, blocks),
           [&](Index j) { step(j * size, size, true); });
    }
    if (tail > 0)
      loop("kv tail", blocks, min(seen, blocks + 1),
           [&](Index) { step(blocks * size, tail, true); });
  }

  /// Pairs of a query and a key that it sees, per head.
  double visiblePairs() const {
    if (!causal)
      return double(seq_q) * seq_k;
    const double shift = double(seq_k) - seq_q;
    const double first = plain::max(0.0, -shift); // first query that sees a key
    const double count = plain::max(0.0, seq_q - first);
    return count * (first + shift + 1 + seq_q + shift) / 2;
  }

  void reference(Doubles q, Doubles k, Doubles v,
                 Doubles o) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_KERNEL_H

//===- kernel.h - Causal attention and its variants -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_KERNEL_H
#define KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_KERNEL_H

#include "attention/flash_attention/resident.h"
#include "attention/prefill_attention/chunk.h"
#include "attention/prefill_attention/oriented.h"
#include "attention/prefill_attention/sequence_bounds.h"
#include "attention/prefill_attention/window.h"
#include "support/list.h"
#include "support/optional_argument.h"
#include "support/plain.h"

#include <optional>

namespace kiln::kernels {

/// Causal attention of `tokens` new queries to `prior` cached keys and to those
/// of the queries, with what models add to it: a window, a sink, sequences in
/// one batch, grouped heads.
template <class T> struct PrefillAttention {
  BOOST_HANA_DEFINE_STRUCT(PrefillAttention, (int, heads), (int, kv_heads),
                           (int, tokens), (int, prior), (int, head_dim),
                           (int, window), (bool, sink), (bool, packed),
                           (bool, lse), (float, scale), (bool, chunked),
                           (bool, causal), (bool, q_transposed),
                           (bool, keys_transposed), (bool, o_transposed));
  /// Heads of q and o are views that do not lie one below the other.
  bool apart = false;

  static PrefillAttention defaults() {
    return {1,     1,    1024,  0,    128,   0,     false, false,
            false, 0.0f, false, true, false, false, false};
  }

  void describe(Signature &s) const {
    s.summary("attention: causal, window, sink, prefix, packed sequences");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("tokens", "queries, and new keys");
    s.doc("prior", "keys before them: a prefix, or earlier chunks");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("window", "keys that a query sees, itself the last; 0 is all");
    s.doc("sink", "each head has a logit that takes weight and gives no value");
    s.doc("packed", "a query sees keys whose number of a sequence is its own");
    s.doc("lse", "also store the logarithm of each sum of exponentials");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.doc("chunked", "used tells how many of the prior keys count");
    s.doc("causal", "a query sees no later keys; else also window - 1 of them");
    s.doc("q-transposed", "q is [heads, head-dim, tokens]");
    s.doc("keys-transposed", "k is [kv-heads, head-dim, keys]");
    s.doc("o-transposed", "o is [heads, head-dim, tokens]");
    const auto tensor = [&](std::string_view name, bool isTransposed,
                            std::int64_t count, std::int64_t rows) {
      if (isTransposed)
        s.argument(name, {count, head_dim, rows});
      else
        s.argument(name, {count, rows, head_dim});
    };
    tensor("q", q_transposed, heads, tokens);
    tensor("k", keys_transposed, kv_heads, keys());
    s.argument("v", {kv_heads, keys(), head_dim});
    optionalArgument(s, sink, "sinks", {heads, 1});
    optionalArgument(s, packed, "sequence", {keys()});
    optionalArgument(s, chunked, "used", {1, 1});
    tensor("o", o_transposed, heads, tokens);
    optionalArgument(s, lse, "sums", {heads, tokens, 1});
    s.flops(4.0 * heads * visiblePairs() * head_dim);
  }

  std::int64_t keys() const { return std::int64_t(prior) + tokens; }
  /// Pairs of a query and a key that it sees, per head.
  double visiblePairs() const {
    double pairs = 0;
    for (std::int64_t own = prior; own < keys(); ++own) {
      const std::int64_t first =
          window > 0 ? plain::max<std::int64_t>(own - window + 1, 0) : 0;
      pairs += double(plain::min(own + ahead() + 1, keys()) - first);
    }
    return pairs;
  }
  /// Keys behind its own that a query sees.
  std::int64_t ahead() const {
    return causal ? 0 : window > 0 ? window - 1 : keys();
  }

  double factor() const {
    return scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  }
  static constexpr double lowest = -0x1p127; ///< As in flash_attention.
  static constexpr std::int64_t block = 512;

  void operator()(In<T, 3> queries, In<T, 3> k, In<T, 3> v, In<f32, 2> sinks,
                  In<i32, 1> sequence, In<i32, 2> used, Out<T, 3> outputs,
                  Out<f32, 3> sums) const {
    check();
    const auto q = oriented(queries, q_transposed);
    const auto keysOf = oriented(k, keys_transposed);
    const auto o = oriented(outputs, o_transposed);
    if (chunked)
      return ChunkAttention<T>{heads, kv_heads, tokens,   prior,  head_dim,
                               sink,  lse,      factor(), lowest, window}(
          q, keysOf, v, sinks, used, o, sums);
    const bool isApart = apart || q_transposed || o_transposed;
    const std::int64_t seen = window > 0 ? window : keys();
    // Without a mask, the queries of heads with the same keys are those of one.
    const int group = heads / kv_heads;
    const bool isOne =
        !causal && !sink && !lse && window == 0 && (!isApart || group == 1);
    const int all = isOne ? kv_heads : heads,
              rows = isOne ? group * tokens : tokens;
    const ResidentAttention<T> resident = {
        all,    kv_heads, rows,   int(keys()),     head_dim,
        causal, factor(), lowest, residentBlock(), isApart,
        sink,   lse};
    if (!packed && (causal || isOne) && seen >= keys() &&
        resident.headsAtOnce() > 0) {
      resident(q.reshape(all, rows, head_dim), keysOf, v,
               o.reshape(all, rows, head_dim), sinks, sums);
      return;
    }
    const WindowAttention<T> windowed = {
        heads, kv_heads, tokens,   prior, head_dim, plain::min(seen, keys()),
        sink,  lse,      factor(), lowest};
    const bool pays = causal && (seen < keys() || windowed.pays());
    if (!packed && !isApart && pays && windowed.fits()) {
      windowed(queries, keysOf, v, sinks, outputs, sums);
      return;
    }
    const SequenceBounds sequences{prior, tokens, block};
    std::optional<decltype(sequences.find(sequence))> bounds;
    if (packed && sequences.blocks() > 0)
      bounds.emplace(sequences.find(sequence));
    const auto boundOf = [&](Index start, std::int64_t which) {
      return nc::register_load(bounds->cols_at(start / 128 * 2 + which, 1_c));
    };
    loop("kv_head", kv_heads, [&](Index g) {
      loop("group", group / together(), [&](Index i) {
        const Index h = g * group + i * together();
        tiles("q", tokens, 128, [&](Index start, auto n) {
          const Index low = bounds ? boundOf(start, 0) : Index(0);
          const Index high =
              bounds && !causal ? boundOf(start, 1) : Index(keys());
          attend(h, start, n, q, keysOf[g], v[g], sinks, sequence, o, sums, low,
                 high);
        });
      });
    });
  }
  /// Heads whose tiles go through the keys side by side. Loops whose bounds are
  /// read do not overlap, so that the heads have to.
  int together() const {
    int some = packed ? plain::min(heads / kv_heads, 4) : 1;
    while (heads / kv_heads % some != 0)
      --some;
    return some;
  }

  void check() const {
    require(head_dim <= 128,
            {"head-dim is <|", head_dim, "|>, expected [|at most 128|]"});
    require(heads % kv_heads == 0,
            {"heads is <|", heads, "|>, no [|multiple of kv-heads, which is ",
             kv_heads, "|]"});
    require(window >= 0, {"window is <|", window, "|>, expected [|0 or more|]"},
            "give 0 for all keys");
    require(prior >= 0, {"prior is <|", prior, "|>, expected [|0 or more|]"});
    require(scale >= 0, {"scale is <|", scale, "|>, expected [|0 or more|]"},
            "negate q instead");
    require(!chunked || !packed, "chunked has no packed sequences",
            "give each sequence chunks of its own");
    require(!chunked || causal, "chunked is causal",
            "leave out --chunked if all keys are there");
  }
  /// As in flash_attention: without a mask, blocks are equal.
  int residentBlock() const {
    const int all = int(keys()), most = 1024;
    const int equal = isa::ceilDiv(all, isa::ceilDiv(all, most));
    return causal ? most : isa::ceilDiv(equal, 128) * 128;
  }

  /// The output of queries start .. start + n - 1 of some heads from h.
  void attend(Index h, Index start, auto n, auto q, auto k, auto v, auto sinks,
              auto sequence, auto o, auto sums, Index low, Index high) const {
    const double s0 = factor();
    const auto queries = [&](int x) { // [d, n]
      return load_transposed(q[h + x].rows_at(start, n));
    };
    List<decltype(queries(0))> qT;
    List<decltype(full<f32>(lowest, n, 1_c))> m, l;
    List<decltype(zeros<f32>(n, head_dim))> acc;
    for (int x = 0; x < together(); ++x) {
      qT.push_back(queries(x));
      m.push_back(full<f32>(lowest, n, 1_c));
      l.push_back(full<f32>(sink ? 1 : 0, n, 1_c)); // exp(sink - m)
      acc.push_back(zeros<f32>(n, head_dim));
      if (sink)
        m.back() = copy(load(sinks.rows_at(h + x, 1_c).broadcast(0_c, n)));
    }
    const auto own = [&] {
      return cast<f32>(
          load(sequence.reshape(keys(), 1_c).rows_at(start + prior, n)));
    };
    const auto add = [&](std::size_t x, Index key, auto size, bool masked) {
      auto s = matmul(qT[x], load_transposed(k.rows_at(key, size)));
      if (masked && (causal || window > 0))
        s = keep(s, row_at(start) + (prior + ahead()) >= col_at(key), lowest);
      if (masked && window > 0)
        s = keep(s, row_at(start) + (prior - window) < col_at(key), lowest);
      if (packed) {
        auto theirs = load(sequence.reshape(1_c, keys()).cols_at(key, size));
        s = where(equal(own(), cast<f32>(theirs)), s, lowest);
      }
      auto m_new = max(m[x], s0 * row_max(s));
      auto e = exp(s0 * s - m_new);
      auto alpha = exp(m[x] - m_new);
      l[x] = alpha * l[x] + row_sum(e);
      auto pT = transpose(cast<T>(e)); // [size, n]
      acc[x] = alpha * acc[x] + matmul(pT, load(v.rows_at(key, size)));
      m[x] = m_new;
    };
    forVisibleKeys(start, n, low, high, [&](Index key, auto size, bool masked) {
      for (std::size_t x = 0; x < qT.size(); ++x)
        add(x, key, size, masked);
    });
    for (int x = 0; x < together(); ++x) {
      const auto at = static_cast<std::size_t>(x);
      store(o[h + x].rows_at(start, n), acc[at] / l[at]);
      if (lse)
        store(sums[h + x].rows_at(start, n), m[at] + log(l[at]));
    }
  }

  /// step(key, size, masked) for every block of keys from `low` to `high` that
  /// some query of start .. start + n - 1 sees, and for the keys behind whole
  /// blocks; masked where not all queries see all of it.
  void forVisibleKeys(Index start, auto n, Index low, Index high,
                      auto step) const {
    const std::int64_t blocks = keys() / block, tail = keys() % block;
    const std::int64_t count = dsl::extentValue(n);
    // Blocks before `first` and from `seen` on are seen by no query, those from
    // `whole` to `clear` by every one. `low` is at most `clear`.
    const Index seen = (start + (count - 1 + prior + ahead())) / block + 1;
    const Index clear = within((start + (prior + 1 + ahead())) / block, high);
    const Index first =
        window > 0 ? max(start + (prior - window + 1), 0) / block : Index(0);
    const Index whole =
        window > 0
            ? min(max(start + (count + prior - window), 0) / block + 1, clear)
            : Index(0);
    const auto from = [&](const Index &i) { return packed ? max(i, low) : i; };
    const auto masked = [&](Index j) { step(j * block, block, true); };
    if (blocks > 0 && window > 0)
      loop("kv window", from(first), max(whole, first), masked);
    if (blocks > 0) {
      loop("kv", from(max(whole, first)), max(clear, first),
           [&](Index j) { step(j * block, block, false); });
      if (causal || window > 0)
        loop("kv diagonal", max(clear, first), within(seen, high), masked);
    }
    if (tail > 0)
      loop("kv tail", max(blocks, first), min(seen, blocks + 1),
           [&](Index) { step(blocks * block, tail, true); });
  }
  /// The bounds of packed sequences are registers.
  Index within(Index i, Index high) const {
    const Index some = min(i, keys() / block);
    return packed && !causal ? min(some, high) : some;
  }

  void reference(Doubles q, Doubles k, Doubles v, Doubles sinks,
                 Doubles sequence, Doubles used, Doubles o,
                 Doubles sums) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_KERNEL_H

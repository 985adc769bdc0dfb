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
#include "attention/prefill_attention/window.h"
#include "support/optional_argument.h"
#include "support/plain.h"

namespace kiln::kernels {

/// Causal attention of `tokens` new queries to `prior` cached keys and to those
/// of the queries, with what models add to it: a window, a sink, sequences in
/// one batch, grouped heads.
template <class T> struct PrefillAttention {
  BOOST_HANA_DEFINE_STRUCT(PrefillAttention, (int, heads), (int, kv_heads),
                           (int, tokens), (int, prior), (int, head_dim),
                           (int, window), (bool, sink), (bool, packed),
                           (bool, lse), (float, scale), (bool, chunked));
  /// Heads of q and o are views that do not lie one below the other.
  bool apart = false;

  static PrefillAttention defaults() {
    return {1, 1, 1024, 0, 128, 0, false, false, false, 0.0f, false};
  }

  void describe(Signature &s) const {
    s.summary("causal attention: window, sink, prefix, packed sequences");
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
    s.argument("q", {heads, tokens, head_dim});
    s.argument("k", {kv_heads, keys(), head_dim});
    s.argument("v", {kv_heads, keys(), head_dim});
    optionalArgument(s, sink, "sinks", {heads, 1});
    optionalArgument(s, packed, "sequence", {keys()});
    optionalArgument(s, chunked, "used", {1, 1});
    s.argument("o", {heads, tokens, head_dim});
    optionalArgument(s, lse, "sums", {heads, tokens, 1});
    s.flops(4.0 * heads * visiblePairs() * head_dim);
  }

  std::int64_t keys() const { return std::int64_t(prior) + tokens; }
  /// Pairs of a query and a key that it sees, per head.
  double visiblePairs() const {
    double pairs = 0;
    for (std::int64_t i = 0; i < tokens; ++i)
      pairs +=
          double(window > 0 ? plain::min<std::int64_t>(window, i + prior + 1)
                            : i + prior + 1);
    return pairs;
  }

  double factor() const {
    return scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  }
  static constexpr double lowest = -0x1p127; ///< As in flash_attention.
  static constexpr std::int64_t block = 512;

  void operator()(In<T, 3> q, In<T, 3> k, In<T, 3> v, In<f32, 2> sinks,
                  In<i32, 1> sequence, In<i32, 2> used, Out<T, 3> o,
                  Out<f32, 3> sums) const {
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
    require(!chunked || window == 0,
            {"window is <|", window, "|>, expected [|0 with chunked|]"});
    require(!chunked || !packed, "chunked has no packed sequences");
    if (chunked)
      return ChunkAttention<T>{heads, kv_heads, tokens,   prior, head_dim,
                               sink,  lse,      factor(), lowest}(
          q, k, v, sinks, used, o, sums);
    const std::int64_t seen = window > 0 ? window : keys();
    const ResidentAttention<T> resident = {
        heads,    kv_heads, tokens, int(keys()), head_dim, true,
        factor(), lowest,   1024,   apart,       sink,     lse};
    const WindowAttention<T> windowed = {
        heads, kv_heads, tokens,   prior, head_dim, plain::min(seen, keys()),
        sink,  lse,      factor(), lowest};
    if (!packed && seen >= keys() && resident.headsAtOnce() > 0) {
      resident(q, k, v, o, sinks, sums);
      return;
    }
    const bool pays = seen < keys() || windowed.pays();
    if (!packed && !apart && pays && windowed.fits()) {
      windowed(q, k, v, sinks, o, sums);
      return;
    }
    const int group = heads / kv_heads;
    loop("kv_head", kv_heads, [&](Index g) {
      loop("group", group, [&](Index i) {
        const Index h = g * group + i;
        tiles("q", tokens, 128, [&](Index start, auto n) {
          attend(h, start, n, q[h], k[g], v[g], sinks, sequence, o[h], sums);
        });
      });
    });
  }

  /// The output of queries start .. start + n - 1 of head h.
  void attend(Index h, Index start, auto n, auto q, auto k, auto v, auto sinks,
              auto sequence, auto o, auto sums) const {
    const double s0 = factor();
    auto qT = load_transposed(q.rows_at(start, n)); // [d, n]
    auto m = full<f32>(lowest, n, 1_c);
    auto l = full<f32>(sink ? 1 : 0, n, 1_c); // exp(sink - m)
    auto acc = zeros<f32>(n, head_dim);
    if (sink)
      m = copy(load(sinks.rows_at(h, 1_c).broadcast(0_c, n)));
    const auto own = [&] {
      return cast<f32>(
          load(sequence.reshape(keys(), 1_c).rows_at(start + prior, n)));
    };
    forVisibleKeys(start, n, [&](Index key, auto size, bool masked) {
      auto s = matmul(qT, load_transposed(k.rows_at(key, size))); // [n, size]
      if (masked)
        s = keep(s, row_at(start) + prior >= col_at(key), lowest);
      if (masked && window > 0)
        s = keep(s, row_at(start) + (prior - window) < col_at(key), lowest);
      if (packed) {
        auto theirs = load(sequence.reshape(1_c, keys()).cols_at(key, size));
        s = where(equal(own(), cast<f32>(theirs)), s, lowest);
      }
      auto m_new = max(m, s0 * row_max(s));
      auto e = exp(s0 * s - m_new);
      auto alpha = exp(m - m_new);
      l = alpha * l + row_sum(e);
      auto pT = transpose(cast<T>(e)); // [size, n]
      acc = alpha * acc + matmul(pT, load(v.rows_at(key, size)));
      m = m_new;
    });
    store(o.rows_at(start, n), acc / l);
    if (lse)
      store(sums[h].rows_at(start, n), m + log(l));
  }

  /// step(key, size, masked) for every block of keys that some query of start
  /// .. start + n - 1 sees; masked where not all of them see all of it.
  void forVisibleKeys(Index start, auto n, auto step) const {
    const std::int64_t blocks = keys() / block, tail = keys() % block;
    const std::int64_t count = dsl::extentValue(n);
    // Blocks before `first` and from `seen` on are seen by no query, those from
    // `whole` to `clear` by every one.
    const Index seen = (start + (count - 1 + prior)) / block + 1;
    const Index clear = min((start + (prior + 1)) / block, blocks);
    const Index first =
        window > 0 ? max(start + (prior - window + 1), 0) / block : Index(0);
    const Index whole =
        window > 0
            ? min(max(start + (count + prior - window), 0) / block + 1, clear)
            : Index(0);
    const auto masked = [&](Index j) { step(j * block, block, true); };
    if (blocks > 0 && window > 0)
      loop("kv window", first, max(whole, first), masked);
    if (blocks > 0) {
      loop("kv", max(whole, first), max(clear, first),
           [&](Index j) { step(j * block, block, false); });
      loop("kv diagonal", max(clear, first), min(seen, blocks), masked);
    }
    if (tail > 0)
      loop("kv tail", max(blocks, first), min(seen, blocks + 1),
           [&](Index) { step(blocks * block, tail, true); });
  }

  void reference(Doubles q, Doubles k, Doubles v, Doubles sinks,
                 Doubles sequence, Doubles used, Doubles o,
                 Doubles sums) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_KERNEL_H

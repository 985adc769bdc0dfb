//===- kernel.h - Causal attention with the tokens divided among ranks ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_PREFILL_KERNEL_H
#define KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_PREFILL_KERNEL_H

#include "attention/prefill_attention/chunk.h"
#include "collectives/group.h"
#include "support/optional_argument.h"

namespace kiln::kernels {

/// Causal attention of a sequence whose tokens are divided among ranks: a query
/// sees the keys of all ranks up to its own place in the sequence.
template <class T> struct ContextParallelPrefill {
  BOOST_HANA_DEFINE_STRUCT(ContextParallelPrefill, (int, group), (int, heads),
                           (int, kv_heads), (int, tokens), (int, head_dim),
                           (bool, balanced), (bool, sink), (bool, lse),
                           (float, scale));

  static ContextParallelPrefill defaults() {
    return {1, 1, 1, 1024, 128, true, false, false, 0.0f};
  }

  void describe(Signature &s) const {
    s.summary("causal attention, with the tokens divided among ranks");
    s.doc("group", "ranks, from 0 on; run with as many (--ranks)");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("tokens", "of each rank; even, if balanced");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("balanced", "rank r has parts r and 2 group - 1 - r of the sequence");
    s.doc("sink", "each head has a logit that takes weight and gives no value");
    s.doc("lse", "also store the logarithm of each sum of exponentials");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.argument("q", {heads, tokens, head_dim});
    s.argument("k", {kv_heads, tokens, head_dim});
    s.argument("v", {kv_heads, tokens, head_dim});
    optionalArgument(s, sink, "sinks", {heads, 1});
    s.argument("o", {heads, tokens, head_dim});
    optionalArgument(s, lse, "sums", {heads, tokens, 1});
    // Of one rank, on average.
    const double all = double(group) * tokens;
    s.flops(4.0 * heads * head_dim * all * (all + 1) / 2 / group);
    s.tokens(tokens);
  }

  /// Parts of a rank, and their tokens.
  std::int64_t parts() const { return balanced ? 2 : 1; }
  std::int64_t part() const { return tokens / parts(); }
  /// Tokens before part i of the last rank that has so many.
  std::int64_t before(std::int64_t i) const {
    return part() * ((i + 1) * group - 1);
  }

  void operator()(In<T, 3> q, In<T, 3> k, In<T, 3> v, In<f32, 2> sinks,
                  Out<T, 3> o, Out<f32, 3> sums) const {
    check();
    // In the order of the sequence.
    const std::int64_t rows = parts() * group * part();
    auto keys = hbm<T>("keys", kv_heads, rows, head_dim);
    auto values = hbm<T>("values", kv_heads, rows, head_dim);
    auto used = hbm<i32>("used", parts(), 1);
    for (std::int64_t i = 0; i < parts(); ++i)
      gather(i, k, v, keys, values);
    for (std::int64_t i = 0; i < parts(); ++i)
      attend(i, q, k, v, keys, values, sinks, used.rows_at(i, 1), o, sums);
  }

  void check() const {
    requireGroup(group);
    require(num_programs() == 1,
            {"cores is <|", num_programs(), "|>, expected [|1 core|]"},
            "give each core a rank of its own");
    require(head_dim <= 128,
            {"head-dim is <|", head_dim, "|>, expected [|at most 128|]"});
    require(heads % kv_heads == 0,
            {"heads is <|", heads, "|>, no [|multiple of kv-heads, which is ",
             kv_heads, "|]"});
    require(scale >= 0, {"scale is <|", scale, "|>, expected [|0 or more|]"},
            "negate q instead");
    require(!balanced || tokens % 2 == 0,
            {"tokens is <|", tokens, "|>, expected [|an even number|]"},
            "give each rank one part (--balanced=false)");
  }

  /// Part i of the keys and values of all ranks. The second parts follow each
  /// other from the last rank to the first one.
  void gather(std::int64_t i, auto k, auto v, auto keys, auto values) const {
    nc::ReplicaGroup order;
    order.begin_list();
    for (std::int64_t rank = 0; rank < group; ++rank)
      order.add(i == 0 ? rank : group - 1 - rank);
    const std::int64_t all = group * part();
    for (std::int64_t g = 0; g < kv_heads; ++g) {
      const auto own = [&](auto x) { return x[g].rows_at(i * part(), part()); };
      const auto to = [&](auto x) { return x[g].rows_at(i * all, all); };
      nc::all_gather({own(k), own(v)}, {to(keys), to(values)}, order, 0);
    }
  }

  /// The output of part i of this rank.
  void attend(std::int64_t i, auto q, auto k, auto v, auto keys, auto values,
              auto sinks, auto used, auto o, auto sums) const {
    const Index rank = nc::rank_id();
    nc::register_store(
        used, (i == 0 ? rank : 2 * std::int64_t{group} - 1 - rank) * part());
    const auto own = [&](auto x) { return x.slice(1_c, i * part(), part()); };
    ChunkAttention<T>{heads, kv_heads, part(),   before(i), head_dim,
                      sink,  lse,      factor(), lowest}
        .run(own(q), keys, values, own(k), own(v), sinks, used, own(o),
             lse ? own(sums) : sums);
  }

  double factor() const {
    return scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  }
  static constexpr double lowest = -0x1p127; ///< As in flash_attention.

  void reference(const DoublesOfRanks &q, const DoublesOfRanks &k,
                 const DoublesOfRanks &v, const DoublesOfRanks &sinks,
                 const DoublesOfRanks &o,
                 const DoublesOfRanks &sums) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_PREFILL_KERNEL_H

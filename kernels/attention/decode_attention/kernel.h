//===- kernel.h - Attention of new tokens ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_KERNEL_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_KERNEL_H

#include "kiln/kiln.h"
#include "support/optional_argument.h"

#include <cmath>

namespace kiln::kernels {

/// One new token of each sequence attends to the keys in its cache and to
/// itself, and is written behind them. lengths[b] is what the cache of sequence
/// b holds, read when the kernel runs and kept within 0 .. max_keys - 1.
template <class T> struct DecodeAttention {
  BOOST_HANA_DEFINE_STRUCT(DecodeAttention, (int, batch), (int, heads),
                           (int, kv_heads), (int, head_dim), (int, max_keys),
                           (int, block), (bool, paged), (int, pages),
                           (bool, slotted), (float, scale));

  static DecodeAttention defaults() {
    return {2, 8, 1, 128, 2048, 1024, false, 0, false, 0.0f};
  }

  void describe(Signature &s) const {
    s.summary("attention of one new token of each sequence, with its cache");
    s.doc("batch", "sequences");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("max-keys", "the most keys of a sequence, a multiple of block");
    s.doc("block", "keys of a block; of a page, if paged");
    s.doc("paged", "a table names the pages of each sequence");
    s.doc("pages", "pages in the cache; 0 is as many as all sequences fill");
    s.doc("slotted", "slots tell where new keys go; a negative one: nowhere");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.argument("lengths", {batch, 1});
    s.argument("q", {batch, heads, head_dim});
    s.argument("k", {batch, kv_heads, head_dim});
    s.argument("v", {batch, kv_heads, head_dim});
    optionalArgument(s, paged, "table", {batch, max_keys / block});
    optionalArgument(s, slotted, "slots", {batch, 1});
    s.argument("k_cache", {parts(), kv_heads, keysOfPart(), head_dim});
    s.argument("v_cache", {parts(), kv_heads, keysOfPart(), head_dim});
    s.argument("o", {batch, heads, head_dim});
    s.flops(4.0 * batch * heads * (max_keys + 1.0) * head_dim);
  }

  /// The cache has a part for each sequence, or for each page.
  std::int64_t parts() const {
    if (!paged)
      return batch;
    return pages > 0 ? pages : std::int64_t(batch) * (max_keys / block);
  }
  std::int64_t keysOfPart() const { return paged ? block : max_keys; }

  static constexpr double lowest = -0x1p127; ///< As in flash_attention.

  void operator()(In<i32, 2> lengths, In<T, 3> q, In<T, 3> k, In<T, 3> v,
                  In<i32, 2> table, In<i32, 2> slots, InOut<T, 4> k_cache,
                  InOut<T, 4> v_cache, Out<T, 3> o) const {
    require(head_dim <= 128, "head-dim is " + std::to_string(head_dim) +
                                 ", at most 128 is supported");
    require(heads % kv_heads == 0, "heads is no multiple of kv-heads");
    require(block > 0 && max_keys % block == 0,
            "max-keys is no multiple of block");
    const int group = heads / kv_heads;
    const auto within = [](Index i, std::int64_t count) {
      return max(min(i, count - 1), 0);
    };
    const auto lengthOf = [&](Index b) {
      return within(nc::register_load(lengths.rows_at(b, 1_c)), max_keys);
    };
    const auto pageOf = [&](Index b, Index j) {
      return within(nc::register_load(table.rows_at(b, 1_c).cols_at(j, 1_c)),
                    parts());
    };
    loop("sequence", batch, [&](Index b) {
      const Index length = lengthOf(b);
      loop("kv_head", kv_heads, [&](Index g) {
        const auto blockOf = [&](auto cache, Index j) { // [block, d]
          return paged ? cache[pageOf(b, j)][g].rows_at(0, block)
                       : cache[b][g].rows_at(j * block, block);
        };
        attend(
            q[b].rows_at(g * group, group), k[b].rows_at(g, 1_c),
            v[b].rows_at(g, 1_c), length,
            [&](Index j) { return blockOf(k_cache, j); },
            [&](Index j) { return blockOf(v_cache, j); },
            o[b].rows_at(g * group, group));
      });
    });
    loop("write", batch, [&](Index b) { // every sequence has read by now
      const Index at =
          slotted ? nc::register_load(slots.rows_at(b, 1_c)) : lengthOf(b);
      const auto put = [&] {
        const Index part = !paged    ? b
                           : slotted ? within(at / block, parts())
                                     : pageOf(b, at / block);
        const Index row = paged ? at % block : within(at, max_keys);
        store(k_cache[part].select(1, row), load(k[b]));
        store(v_cache[part].select(1, row), load(v[b]));
      };
      if (slotted)
        when("slot", at >= 0, put);
      else
        put();
    });
  }

  void attend(auto q, auto k, auto v, Index length, auto keys, auto values,
              auto o) const {
    const double s0 = scale > 0 ? double(scale) : 1 / std::sqrt(head_dim);
    const std::int64_t group = q.dim(0);
    auto qT = load_transposed(q); // [d, group]
    // The new token begins the online softmax: its weight is exp(0).
    auto m = s0 * matmul(qT, load_transposed(k));
    auto l = ones<f32>(group, 1_c);
    auto acc = copy(cast<f32>(load(v.broadcast(0_c, group))));
    const auto step = [&](Index j, bool masked) {
      auto s = matmul(qT, load_transposed(keys(j))); // [group, block]
      auto rows = load(values(j));
      if (masked) {
        s = keep(s, col_at(j * block) < length, lowest);
        rows = keep(rows, row_at(j * block) < length, 0.0);
      }
      auto m_new = max(m, s0 * row_max(s));
      auto p = cast<T>(exp(s0 * s - m_new));
      auto alpha = exp(m - m_new);
      l = alpha * l + row_sum(p);
      acc = alpha * acc + matmul(transpose(p), rows);
      m = m_new;
    };
    loop("kv", length / block, [&](Index j) { step(j, false); });
    when("rest", length % block > 0, [&] { step(length / block, true); });
    store(o, acc / l);
  }

  void reference(Doubles lengths, Doubles q, Doubles k, Doubles v,
                 Doubles table, Doubles slots, Doubles k_cache, Doubles v_cache,
                 Doubles o) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_KERNEL_H

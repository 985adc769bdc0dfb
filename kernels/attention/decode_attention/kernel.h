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
#include "support/plain.h"

namespace kiln::kernels {

/// One new token of each sequence attends to the keys in its cache and to
/// itself, and is written behind them. lengths[b] is what the cache of sequence
/// b holds, read when the kernel runs and kept within 0 .. max_keys - 1.
template <class T> struct DecodeAttention {
  BOOST_HANA_DEFINE_STRUCT(DecodeAttention, (int, batch), (int, heads),
                           (int, kv_heads), (int, head_dim), (int, max_keys),
                           (int, block), (bool, paged), (int, pages),
                           (bool, slotted), (float, scale),
                           (bool, keys_transposed));

  static DecodeAttention defaults() {
    return {2, 8, 1, 128, 2048, 1024, false, 0, false, 0.0f, false};
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
    s.doc("keys-transposed",
          "a key is a column of its cache: [head-dim, keys]");
    s.argument("lengths", {batch, 1});
    s.argument("q", {batch, heads, head_dim});
    s.argument("k", {batch, kv_heads, head_dim});
    s.argument("v", {batch, kv_heads, head_dim});
    optionalArgument(s, paged, "table", {batch, max_keys / block});
    optionalArgument(s, slotted, "slots", {batch, 1});
    if (keys_transposed)
      s.argument("k_cache", {parts(), kv_heads, head_dim, keysOfPart()});
    else
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
    run(lengths, q, k, v, table, slots, k_cache, v_cache, o, true);
  }

  /// What is new is contiguous in HBM, or each sequence has rows of its own.
  void run(auto lengths, auto q, auto k, auto v, auto table, auto slots,
           auto k_cache, auto v_cache, auto o, bool contiguous) const {
    require(head_dim <= 128,
            {"head-dim is <|", head_dim, "|>, [|at most 128|] is supported"});
    require(heads % kv_heads == 0, "heads is no multiple of kv-heads");
    require(block > 0 && max_keys % block == 0,
            "max-keys is no multiple of block");
    const auto within = [](Index i, std::int64_t count) {
      return max(min(i, count - 1), 0);
    };
    // Registers load from on chip in less time, if the table has room there.
    // An access on chip is bounded, so that it is known what lies behind it.
    const std::int64_t blocks = max_keys / block, entries = batch * blocks;
    const bool near = paged && entries <= 4096;
    auto counts = sbuf<i32>(1_c, batch), pages = sbuf<i32>(1_c, entries);
    nc::dma_copy(counts, lengths.reshape(1_c, batch));
    if (near)
      nc::dma_copy(pages, table.reshape(1_c, entries));
    const auto lengthOf = [&](Index b) {
      return within(nc::register_load(counts.cols_at(b, 1_c)), max_keys);
    };
    const auto pageOf = [&](Index b, Index j) {
      const Index at = b * blocks + min(j, blocks - 1);
      return within(
          near ? nc::register_load(pages.cols_at(at, 1_c))
               : nc::register_load(table.rows_at(b, 1_c).cols_at(j, 1_c)),
          parts());
    };
    attend(
        q, k, v, contiguous, [&](Index i) { return lengthOf(i / kv_heads); },
        [&](auto cache, Index i, Index j, bool columns) { // [block, d]
          const Index b = i / kv_heads, g = i % kv_heads;
          auto part = paged ? cache[pageOf(b, j)][g] : cache[b][g];
          const Index at = paged ? Index(0) : j * block;
          return columns ? part.cols_at(at, block) : part.rows_at(at, block);
        },
        k_cache, v_cache, o);
    loop("write", batch, [&](Index b) { // every sequence has read by now
      const Index at =
          slotted ? nc::register_load(slots.rows_at(b, 1_c)) : lengthOf(b);
      const auto put = [&] {
        const Index part = !paged    ? b
                           : slotted ? within(at / block, parts())
                                     : pageOf(b, at / block);
        const Index row = paged ? at % block : within(at, max_keys);
        nc::dma_copy(k_cache[part].select(keys_transposed ? 2 : 1, row), k[b]);
        nc::dma_copy(v_cache[part].select(1, row), v[b]);
      };
      if (slotted)
        when("slot", at >= 0, put);
      else
        put();
    });
  }

  /// Keys are on partitions: row r of a block has its keys r * per and the next
  /// ones, and a score has a column for each of them and each head. So products
  /// are short, and nothing is transposed. The scores of a whole sequence stay
  /// on chip until their maximum is known. While its values are on their way,
  /// the scores of the next one are computed. The block that the length ends in
  /// comes first, masked; it may be empty.
  void attend(auto q, auto k, auto v, bool contiguous, auto lengthOf,
              auto blockOf, auto k_cache, auto v_cache, auto o) const {
    using enum nc::AluOp;
    const double s0 = scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
    const std::int64_t pairs = std::int64_t(batch) * kv_heads;
    const std::int64_t group = heads / kv_heads, d = head_dim;
    std::int64_t rows = plain::min(block, 128);
    while (block % rows != 0)
      --rows;
    const std::int64_t per = block / rows, width = per * group;
    require(width <= 512, {"a block of ", block, " keys is too long for ",
                           group, " heads of a group"});
    auto qT = sbuf<T>(d, pairs * group);
    auto kT = sbuf<T>(d, pairs), vT = sbuf<T>(d, pairs);
    const auto gather = [&](Index b) { // what is new
      qT.cols_at(b * heads, heads) = load_transposed(q[b]);
      kT.cols_at(b * kv_heads, kv_heads) = load_transposed(k[b]);
      vT.cols_at(b * kv_heads, kv_heads) = load_transposed(v[b]);
    };
    if (contiguous) { // one transfer for all
      qT = load_transposed(q.reshape(pairs * group, d));
      kT = load_transposed(k.reshape(pairs, d));
      vT = load_transposed(v.reshape(pairs, d));
    } else if (batch <= 16) // side by side
      for (int b = 0; b < batch; ++b)
        gather(b);
    else
      loop("new", batch, gather);
    auto ones = sbuf<T>(rows, 1_c);
    nc::memset(ones, 1.0);
    auto line = sbuf<f32>(1_c, 128_c);
    nc::memset(line, 1.0);
    const std::int64_t all = max_keys / block * width;
    auto scores = sbuf<f32>(rows, all);
    auto weights = sbuf<T>(rows, all);
    auto m = sbuf<f32>(rows, group); // The maximum of each head.
    auto mine = sbuf<f32>(1_c, group), own = sbuf<f32>(1_c, group);
    const auto part = [&](auto t, Index j) {
      return t.cols_at((min(j, max_keys / block - 1)) * width, width);
    };
    const auto mask = [&](auto t, std::int64_t columns, Index left, double x) {
      nc::affine_select(t, {{-1, per}, {0, columns}}, -per, t, x,
                        {.cmp_op = greater, .offset = left});
    };
    const auto fold = [&](auto t, nc::AluOp op) { // a column for each head
      for (std::int64_t n = per; n > 1; n = (n + 1) / 2) {
        const std::int64_t half = (n + 1) / 2, w = (n - half) * group;
        nc::tensor_tensor(t.cols_at(0, w), t.cols_at(0, w),
                          t.cols_at(half * group, w), op);
      }
    };
    const auto score = [&](Index i, Index length, Index blocks, auto most) {
      const auto queries = qT.cols_at(i * group, group);
      const auto products = [&](Index j) {
        auto cT = keys_transposed
                      ? load(blockOf(k_cache, i, j, true))
                      : load_transposed(blockOf(k_cache, i, j, false));
        auto s = psum<f32>(rows, width);
        for (std::int64_t c = 0; c < per; ++c)
          nc::nc_matmul(s.cols_at(c * group, group), cT.slice(1, c, rows, per),
                        queries);
        nc::tensor_scalar(part(scores, j), s, multiply, s0);
      };
      const Index last = length / block;
      products(last);
      mask(part(scores, last), group, length % block, lowest);
      nc::tensor_scalar(most, part(scores, last), multiply, 1.0);
      loop("keys", min(last, blocks), [&](Index j) {
        products(j);
        nc::tensor_tensor(most, most, part(scores, j), maximum);
      });
      auto s = psum<f32>(1_c, group);
      nc::nc_matmul(s, kT.cols_at(i, 1_c), queries);
      nc::tensor_scalar(own, s, multiply, s0);
      fold(most, maximum);
    };
    const auto settle = [&](auto most) { // what the weights will need
      auto mT = psum<f32>(group, rows);
      auto large = sbuf<f32>(group, 1_c);
      nc::nc_transpose(mT, most.cols_at(0, group));
      nc::tensor_reduce(large, maximum, mT);
      auto larges = psum<f32>(1_c, group);
      nc::nc_transpose(larges, large);
      nc::tensor_tensor(mine, larges, own, maximum);
      auto spread = psum<f32>(rows, group);
      nc::nc_matmul(spread, line.cols_at(0, rows), mine);
      nc::tensor_copy(m, spread);
    };
    const std::int64_t blocks = max_keys / block;
    loop("first", 1, [&](Index i) {
      auto most = sbuf<f32>(rows, width);
      score(i, lengthOf(i), blocks, most);
      settle(most);
    });
    loop("sequence", pairs, [&](Index i) {
      const Index length = lengthOf(i), b = i / kv_heads, g = i % kv_heads;
      const Index last = length / block;
      loop("weights", last + 1, [&](Index j) {
        auto t = sbuf<f32>(rows, width);
        nc::tensor_tensor(t.reshape(rows, per, group),
                          part(scores, j).reshape(rows, per, group),
                          m.reshape(rows, 1_c, group).broadcast(1_c, per),
                          subtract);
        part(weights, j) = exp(t);
      });
      auto weight = exp(own - mine); // of the new token
      const Index next = min(i + 1, pairs - 1);
      auto most = sbuf<f32>(rows, width);
      score(next, lengthOf(next), (pairs - 1 - i) * blocks, most);
      auto total = psum<f32>(d, group);
      auto parts = psum<f32>(1_c, width);
      const auto add = [&](Index j, auto values) {
        for (std::int64_t c = 0; c < per; ++c)
          nc::nc_matmul(total, values.cols_at(c * d, d),
                        part(weights, j).cols_at(c * group, group),
                        {.accumulate = nc::Accumulate::first_writes});
        nc::nc_matmul(parts, ones, part(weights, j),
                      {.accumulate = nc::Accumulate::first_writes});
      };
      auto values = sbuf<T>(rows, per * d);
      nc::dma_copy(values,
                   blockOf(v_cache, i, last, false).reshape(rows, per * d));
      mask(values, d, length % block, 0.0);
      add(last, values);
      loop("values", last, [&](Index j) {
        add(j, load(blockOf(v_cache, i, j, false).reshape(rows, per * d)));
      });
      settle(most);
      auto acc = sbuf<f32>(d, group);
      auto sum = sbuf<f32>(1_c, width);
      nc::tensor_copy(acc, total);
      nc::tensor_copy(sum, parts);
      fold(sum, nc::AluOp::add);
      auto spread = psum<f32>(d, group);
      nc::nc_matmul(spread, line.cols_at(0, d), weight);
      auto column = cast<f32>(vT.cols_at(i, 1_c));
      nc::scalar_tensor_tensor(acc, spread, multiply, column, nc::AluOp::add,
                               acc);
      store(o[b].rows_at(g * group, group),
            transpose(acc) / transpose(sum.cols_at(0, group) + weight));
    });
  }

  void reference(Doubles lengths, Doubles q, Doubles k, Doubles v,
                 Doubles table, Doubles slots, Doubles k_cache, Doubles v_cache,
                 Doubles o) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_KERNEL_H

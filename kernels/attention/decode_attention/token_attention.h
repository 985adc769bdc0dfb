//===- token_attention.h - One query of each head and many keys -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are on partitions: row r of a step has its keys r * per and the next
// ones, and a score has a column for each of them and each head. So products
// are short, and only keys are transposed. The scores of a whole sequence stay
// on chip until their maximum is known. While its values are on their way, the
// scores of the next one are computed. The step that the length ends in comes
// first, masked; it may be empty.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_ATTENTION_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_ATTENTION_H

#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// What is read and how: a pair is a sequence and one of its kv-heads.
struct TokenShape {
  std::int64_t batch, kv_heads, group, d; ///< group: heads of one kv-head.
  std::int64_t rows, per, steps;          ///< A step has rows * per keys.
  double scale;

  std::int64_t pairs() const { return batch * kv_heads; }
  std::int64_t width() const { return per * group; } ///< Scores of a row.
  std::int64_t keys() const { return rows * per; }   ///< Of a step.
};

/// Where the steps come from: keys(i, j, use) calls use(tile, next, stride)
/// with the keys of step j of pair i in columns. Key c of row r is in column c
/// * next + r * stride. values(i, j, into) loads [rows, per * d]. length(i) is
/// how many keys there are.
template <class Keys, class Values, class Length> struct StepSource {
  Keys keys;
  Values values;
  Length length;
};
template <class Keys, class Values, class Length>
StepSource(Keys, Values, Length) -> StepSource<Keys, Values, Length>;

template <class T> struct TokenAttention : TokenShape {
  template <class E>
  using Matrix = decltype(sbuf<E>(std::int64_t{}, std::int64_t{}));
  template <class E> using Line = decltype(sbuf<E>(1_c, std::int64_t{}));

  /// What is new, a column for each head.
  Matrix<T> qT = sbuf<T>(d, pairs() * group);
  Matrix<T> kT = sbuf<T>(d, pairs()), vT = sbuf<T>(d, pairs());
  decltype(sbuf<T>(std::int64_t{}, 1_c)) ones = sbuf<T>(rows, 1_c);
  decltype(sbuf<f32>(1_c, 128_c)) line = sbuf<f32>(1_c, 128_c);
  /// Of all keys of a sequence.
  Matrix<f32> scores = sbuf<f32>(rows, steps *width());
  Matrix<T> weights = sbuf<T>(rows, steps *width());
  /// The maximum of each head, on each row; of the new token, its score.
  Matrix<f32> m = sbuf<f32>(rows, group);
  Line<f32> mine = sbuf<f32>(1_c, group), own = sbuf<f32>(1_c, group);

  static constexpr double lowest = -0x1p127; ///< As in flash_attention.

  /// `contiguous`: what is new of all sequences lies back to back in HBM.
  void loadNew(auto q, auto k, auto v, bool contiguous) {
    const auto gather = [&](Index b) {
      qT.cols_at(b * kv_heads * group, kv_heads * group) =
          load_transposed(q[b]);
      kT.cols_at(b * kv_heads, kv_heads) = load_transposed(k[b]);
      vT.cols_at(b * kv_heads, kv_heads) = load_transposed(v[b]);
    };
    if (contiguous) { // one transfer for all
      qT = load_transposed(q.reshape(pairs() * group, d));
      kT = load_transposed(k.reshape(pairs(), d));
      vT = load_transposed(v.reshape(pairs(), d));
    } else if (batch <= 16) // side by side
      for (std::int64_t b = 0; b < batch; ++b)
        gather(b);
    else
      loop("new", batch, gather);
    nc::memset(ones, 1.0);
    nc::memset(line, 1.0);
  }

  auto part(auto t, Index j) const { // of step j
    return t.cols_at(min(j, steps - 1) * width(), width());
  }
  /// Keys from `left` on get x; each has `columns` columns of t.
  void mask(auto t, std::int64_t columns, Index left, double x) const {
    nc::affine_select(t, {{-1, per}, {0, columns}}, -per, t, x,
                      {.cmp_op = nc::AluOp::greater, .offset = left});
  }
  /// The columns of each head become one.
  void fold(auto t, nc::AluOp op) const {
    for (std::int64_t n = per; n > 1; n = (n + 1) / 2) {
      const std::int64_t half = (n + 1) / 2, w = (n - half) * group;
      nc::tensor_tensor(t.cols_at(0, w), t.cols_at(0, w),
                        t.cols_at(half * group, w), op);
    }
  }

  void products(Index i, Index j, const auto &cache) {
    const auto queries = qT.cols_at(i * group, group);
    cache.keys(i, j, [&](auto cT, std::int64_t next, std::int64_t stride) {
      auto s = psum<f32>(rows, width());
      for (std::int64_t c = 0; c < per; ++c)
        nc::nc_matmul(s.cols_at(c * group, group),
                      cT.slice(1, c * next, rows, stride), queries);
      nc::tensor_scalar(part(scores, j), s, nc::AluOp::multiply, scale);
    });
  }
  /// All scores of pair i, and their maxima. No step if `active` is 0, but the
  /// one that the length ends in.
  void score(Index i, Index active, const auto &cache, auto most) {
    const Index length = cache.length(i), last = length / keys();
    products(i, last, cache);
    mask(part(scores, last), group, length % keys(), lowest);
    nc::tensor_scalar(most, part(scores, last), nc::AluOp::multiply, 1.0);
    loop("keys", min(last, active), [&](Index j) {
      products(i, j, cache);
      nc::tensor_tensor(most, most, part(scores, j), nc::AluOp::maximum);
    });
    auto s = psum<f32>(1_c, group);
    nc::nc_matmul(s, kT.cols_at(i, 1_c), qT.cols_at(i * group, group));
    nc::tensor_scalar(own, s, nc::AluOp::multiply, scale);
    fold(most, nc::AluOp::maximum);
  }
  /// The maximum of each head, on each row.
  void settle(auto most) {
    auto mT = psum<f32>(group, rows);
    auto large = sbuf<f32>(group, 1_c);
    nc::nc_transpose(mT, most.cols_at(0, group));
    nc::tensor_reduce(large, nc::AluOp::maximum, mT);
    auto larges = psum<f32>(1_c, group);
    nc::nc_transpose(larges, large);
    nc::tensor_tensor(mine, larges, own, nc::AluOp::maximum);
    auto spread = psum<f32>(rows, group);
    nc::nc_matmul(spread, line.cols_at(0, rows), mine);
    nc::tensor_copy(m, spread);
  }
  void weigh(Index j) { // step j
    auto t = sbuf<f32>(rows, width());
    nc::tensor_tensor(
        t.reshape(rows, per, group), part(scores, j).reshape(rows, per, group),
        m.reshape(rows, 1_c, group).broadcast(1_c, per), nc::AluOp::subtract);
    part(weights, j) = exp(t);
  }
  /// total += values * weights, parts += sums of weights, of all steps.
  void addValues(Index i, const auto &cache, auto total, auto parts) {
    const Index length = cache.length(i), last = length / keys();
    const auto add = [&](Index j, auto values) {
      for (std::int64_t c = 0; c < per; ++c)
        nc::nc_matmul(total, values.cols_at(c * d, d),
                      part(weights, j).cols_at(c * group, group),
                      {.accumulate = nc::Accumulate::first_writes});
      nc::nc_matmul(parts, ones, part(weights, j),
                    {.accumulate = nc::Accumulate::first_writes});
    };
    auto values = sbuf<T>(rows, per * d);
    cache.values(i, last, values);
    mask(values, d, length % keys(), 0.0);
    add(last, values);
    loop("values", last, [&](Index j) {
      auto more = sbuf<T>(rows, per * d);
      cache.values(i, j, more);
      add(j, more);
    });
  }

  /// o: [batch, heads, d].
  void attend(const auto &cache, auto o) {
    loop("first", 1, [&](Index i) {
      auto most = sbuf<f32>(rows, width());
      score(i, steps, cache, most);
      settle(most);
    });
    loop("sequence", pairs(), [&](Index i) {
      const Index last = cache.length(i) / keys();
      loop("weights", last + 1, [&](Index j) { weigh(j); });
      auto weight = exp(own - mine); // of the new token
      const Index next = min(i + 1, pairs() - 1);
      auto most = sbuf<f32>(rows, width());
      score(next, (pairs() - 1 - i) * steps, cache, most);
      auto total = psum<f32>(d, group);
      auto parts = psum<f32>(1_c, width());
      addValues(i, cache, total, parts);
      settle(most);
      auto acc = sbuf<f32>(d, group);
      auto sum = sbuf<f32>(1_c, width());
      nc::tensor_copy(acc, total);
      nc::tensor_copy(sum, parts);
      fold(sum, nc::AluOp::add);
      auto spread = psum<f32>(d, group);
      nc::nc_matmul(spread, line.cols_at(0, d), weight);
      auto column = cast<f32>(vT.cols_at(i, 1_c));
      nc::scalar_tensor_tensor(acc, spread, nc::AluOp::multiply, column,
                               nc::AluOp::add, acc);
      store(o[i / kv_heads].rows_at(i % kv_heads * group, group),
            transpose(acc) / transpose(sum.cols_at(0, group) + weight));
    });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_ATTENTION_H

//===- token_attention.h - Few queries of each head and many keys ---------===//
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
// on chip until their maximum is known; those of several sequences, a set, are
// found together. While their values are on their way, the scores of the next
// set are computed. The step that the length ends in is masked; it may be
// empty. Its scores come first, and its values last.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_ATTENTION_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_ATTENTION_H

#include "attention/decode_attention/shared_keys.h"
#include "attention/decode_attention/token_shape.h"
#include "kiln/kiln.h"
#include "support/plain.h"

#include <optional>

namespace kiln::kernels {

template <class T> struct TokenAttention : TokenShape {
  template <class E>
  using Matrix = decltype(sbuf<E>(std::int64_t{}, std::int64_t{}));

  std::int64_t together = pairsOfSet(), sets = pairs() / together;
  std::int64_t columns = together * group; ///< Queries of a set.
  std::int64_t lanes = plain::max(rows, d);
  /// Products of weights and values then run side by side, in lanes of the PE
  /// array. Adding up the lanes takes as long as the products of a few steps;
  /// f32 takes four passes, and wide products fill the array. On trn1, it would
  /// spread NaN.
  bool inLanes = target().generation != nc::Generation::v2 && steps >= 4 &&
                 tokens == 1 &&
                 per * (isa::sizeInBytes(T::dtype) > 2 ? 4 : 1) >= 16;

  /// What is new, a column for each query, or for each new token.
  Matrix<T> qT = sbuf<T>(stacked * d, pairs() * group); ///< Each repeated.
  Matrix<T> kT = sbuf<T>(d, pairs() * tokens),
            vT = sbuf<T>(d, pairs() * tokens);
  Matrix<T> ones = sbuf<T>(rows, d),
            zeros = sbuf<T>(rows, plain::max<std::int64_t>(width(), 128));
  /// The weight of the new tokens; of all keys, values * weights and weights.
  Matrix<f32> fresh = sbuf<f32>(d, pairs() * group);
  Matrix<f32> totals = sbuf<f32>(d, pairs() * group);
  Matrix<f32> sums = sbuf<f32>(d, pairs() * group);
  /// Of all keys of two sets.
  Matrix<f32> scores = sbuf<f32>(rows, 2 * together * steps * width());
  /// Of each query of a set: its maximum on each row; of two sets: the maximum
  /// of all, and the score of each new token.
  Matrix<f32> tops = sbuf<f32>(rows, columns);
  Matrix<f32> m = psum<f32>(lanes, 2 * columns);
  Matrix<f32> own = sbuf<f32>(lanes, 2 * tokens * columns);

  /// The maximum of each query, if others have keys of it.
  std::optional<Matrix<f32>> largest = std::nullopt;
  /// Which keys of the step that a length ends in are past its end.
  Matrix<u8> past = sbuf<u8>(rows, batch *per);

  static constexpr double lowest = -0x1p127; ///< As in flash_attention.

  /// `contiguous`: what is new of all sequences lies back to back in HBM.
  void loadNew(auto q, auto k, auto v, bool contiguous) {
    if (sharers > 1)
      largest.emplace(sbuf<f32>(d, pairs() * group));
    const auto gather = [&](Index b) {
      for (std::int64_t n = 0; n < stacked; ++n)
        qT.rows_at(n * d, d).cols_at(b * kv_heads * group, kv_heads * group) =
            load_transposed(q[b]);
      const std::int64_t n = kv_heads * tokens;
      kT.cols_at(b * n, n) = load_transposed(k[b]);
      vT.cols_at(b * n, n) = load_transposed(v[b]);
    };
    if (contiguous) { // one transfer for all
      for (std::int64_t n = 0; n < stacked; ++n)
        qT.rows_at(n * d, d) = load_transposed(q.reshape(pairs() * group, d));
      kT = load_transposed(k.reshape(pairs() * tokens, d));
      vT = load_transposed(v.reshape(pairs() * tokens, d));
    } else if (batch <= 16) // side by side
      for (std::int64_t b = 0; b < batch; ++b)
        gather(b);
    else
      loop("new", batch, gather);
    nc::memset(ones, 1.0);
    nc::memset(zeros, 0.0);
  }

  /// lengths: [batch, 1] in HBM.
  void findEnds(auto lengths) {
    auto numbers = sbuf<f32>(rows, per);
    nc::iota(numbers, {{1, per}}, {.channel_multiplier = int(per)});
    auto counts = sbuf<i32>(rows, batch);
    nc::dma_copy(counts, lengths.reshape(1_c, batch).broadcast(0, rows));
    auto length =
        max(min(cast<f32>(counts), double(all * keys() - tokens)), 0.0);
    const double one = 1.0 / double(keys());
    auto full = cast<i32>((length + 0.5) * one - 0.5); // steps: rounds down
    auto left = length - cast<f32>(full) * double(keys());
    if (cores > 1) // the end is in a step of one of them
      left = where(equal(mod(cast<f32>(full), double(cores)), double(core)),
                   left, 0.0);
    nc::tensor_tensor(past.reshape(rows, batch, per),
                      numbers.reshape(rows, 1_c, per).broadcast(1, batch),
                      left.reshape(rows, batch, 1_c).broadcast(2, per),
                      nc::AluOp::greater_equal);
  }
  auto pastOf(Index i) const { return past.cols_at(i / kv_heads * per, per); }

  /// Of pair i, of two sets.
  Index slot(Index i) const { return i % (2 * together); }
  auto part(auto t, Index i, Index j) const { // of step j
    return t.cols_at((slot(i) * steps + min(j, steps - 1)) * width(), width());
  }
  auto headsOf(auto t, Index p) const { return t.cols_at(p * group, group); }
  /// The scores of new key n, of the set or the pair in place `at`.
  auto ownOf(Index at, std::int64_t n, std::int64_t width) const {
    return own.cols_at((n * 2 * columns) + at * width, width);
  }
  /// Of the queries in t, those that see new key n.
  auto seeing(auto t, std::int64_t n) const {
    return t.reshape(t.dim(0), t.dim(1) / tokens, tokens)
        .slice(2, n, tokens - n);
  }
  /// Keys that `hidden` marks get x; each has some columns of t.
  void mask(auto t, auto hidden, double x) const {
    const std::int64_t wide = t.dim(1) / per;
    nc::tensor_copy_predicated(
        t.reshape(rows, per, wide), x,
        hidden.reshape(rows, per, 1_c).broadcast(2, wide));
  }
  /// The columns of each head become one.
  void fold(auto to, nc::AluOp op, auto t) const {
    nc::tensor_reduce(to, op, t.reshape(t.dim(0), per, group).permute(0, 2, 1));
  }

  /// The keys of step j that count, in columns c * rows + r.
  auto keysOfEnd(Index i, Index j, const auto &cache) {
    auto turned = sbuf<T>(d, per * rows), keyRows = sbuf<T>(rows, per * d);
    cache.keyRows(i, j, keyRows);
    auto hidden = psum<u8>(rows, per);
    nc::tensor_copy(hidden, pastOf(i));
    hide(hidden, keyRows);
    for (std::int64_t first = 0; first < per; first += 8) { // of one bank
      const std::int64_t n = plain::min<std::int64_t>(per - first, 8);
      auto bank = psum<T>(d, n * rows);
      for (std::int64_t c = 0; c < n; ++c)
        nc::nc_transpose(bank.cols_at(c * rows, rows),
                         keyRows.cols_at((first + c) * d, d));
      nc::tensor_copy(turned.cols_at(first * rows, n * rows), bank);
    }
    return turned;
  }
  /// use(scores of step j)
  void products(Index i, Index j, bool isEnd, const auto &cache, auto use) {
    const auto queries = headsOf(qT, i);
    const auto multiply = [&](auto cT, std::int64_t next, std::int64_t stride) {
      auto s = psum<f32>(rows, width());
      for (std::int64_t c = 0; c < per; ++c) {
        const auto to = s.cols_at(c * group, group);
        const std::int64_t at = c % stacked * d;
        const auto some = cT.slice(1, c / stacked * next, rows, stride);
        if (stacked > 1) // side by side in the PE array
          nc::nc_matmul(to, some.rows_at(at, d), queries.rows_at(at, d),
                        {.tile_position = nc::Pair(int(at), 0),
                         .tile_size = nc::Pair(int(d), 128)});
        else
          nc::nc_matmul(to, some, queries);
      }
      use(s);
      nc::tensor_scalar(part(scores, i, j), s, nc::AluOp::multiply, scale);
    };
    if (isEnd && cache.spreads)
      multiply(keysOfEnd(i, j, cache), rows, 1);
    else
      cache.keys(i, j, multiply);
  }
  /// All scores of pair i, and their maxima.
  void score(Index i, const auto &cache) {
    const Index last = fullOf(cache.length(i) / keys());
    auto most = sbuf<f32>(rows, width());
    products(i, last, true, cache, [&](auto s) {
      mask(s, pastOf(i), lowest);
      nc::tensor_copy(most, s);
    });
    loop("keys", last, [&](Index j) {
      products(i, j, false, cache, [&](auto s) {
        nc::tensor_tensor(most, most, s, nc::AluOp::maximum);
      });
    });
    fold(headsOf(tops, i % together), nc::AluOp::maximum, most);
  }
  /// The maximum of each query of set s.
  void settle(Index s) {
    const std::int64_t parts = plain::min<std::int64_t>(tokens, 2);
    auto bank = psum<f32>(128_c, (parts + 1) * columns + rows);
    const auto part = [&](std::int64_t n) { // of all products here
      return bank.rows_at(0, lanes).cols_at(n * columns, columns);
    };
    auto larges = part(parts);
    auto topsT = bank.rows_at(0, columns).cols_at((parts + 1) * columns, rows);
    for (std::int64_t n = 0; n < tokens; ++n) {
      for (std::int64_t p = 0; p < together; ++p)
        nc::nc_matmul(headsOf(part(n % parts), p),
                      kT.cols_at((s * together + p) * tokens + n, 1_c)
                          .broadcast(1_c, lanes),
                      headsOf(qT.rows_at(0, d), s * together + p));
      nc::tensor_scalar(ownOf(s % 2, n, columns), part(n % parts),
                        nc::AluOp::multiply, scale);
    }
    auto large = sbuf<f32>(columns, 1_c);
    nc::nc_transpose(topsT, tops);
    nc::tensor_reduce(large, nc::AluOp::maximum, topsT);
    nc::nc_transpose(larges, large.broadcast(1_c, lanes));
    auto most = m.cols_at(s % 2 * columns, columns);
    nc::scalar_tensor_tensor(most, larges, nc::AluOp::multiply, scale,
                             nc::AluOp::maximum, ownOf(s % 2, 0, columns));
    for (std::int64_t n = 1; n < tokens; ++n)
      nc::tensor_tensor(seeing(most, n), seeing(most, n),
                        seeing(ownOf(s % 2, n, columns), n),
                        nc::AluOp::maximum);
    if (largest)
      nc::tensor_copy(largest->cols_at(s * columns, columns),
                      most.rows_at(0, d));
  }
  auto weigh(Index i, Index j) { // step j
    auto t = sbuf<f32>(rows, width());
    auto weights = sbuf<T>(rows, width());
    nc::tensor_tensor(t.reshape(rows, per, group),
                      part(scores, i, j).reshape(rows, per, group),
                      headsOf(m.rows_at(0, rows), slot(i))
                          .reshape(rows, 1_c, group)
                          .broadcast(1_c, per),
                      nc::AluOp::subtract);
    weights = exp(t);
    return weights;
  }
  /// sum += values * weights, parts += weights. In lanes, a row of sum is a
  /// query, and keys next to each other take different lanes.
  void add(auto values, auto weights, auto sum, auto parts) {
    for (std::int64_t c = 0; c < per; ++c) {
      const auto value = values.cols_at(c * d, d);
      const auto weight = weights.cols_at(c * group, group);
      const auto at = static_cast<std::int32_t>(c * lane() % 128);
      const auto wide = static_cast<std::int32_t>(lane());
      if (inLanes)
        nc::nc_matmul(sum.rows_at(at, group), weight, value,
                      {.accumulate = true,
                       .tile_position = nc::Pair(0, at),
                       .tile_size = nc::Pair(128, wide)});
      else
        nc::nc_matmul(sum, value, weight, {.accumulate = true});
    }
    nc::nc_matmul(parts, ones, weights, {.accumulate = true});
  }
  /// The sums of pair i.
  void addValues(Index i, const auto &cache) {
    const Index last = fullOf(cache.length(i) / keys());
    const std::int64_t lines = inLanes ? 128 : d;
    const std::int64_t wide = inLanes ? d : group;
    const bool fits = wide + width() <= 512; // in one bank
    auto bank = psum<f32>(lines, fits ? wide + width() : wide);
    auto sum = bank.cols_at(0, wide);
    auto parts = fits ? bank.rows_at(0, d).cols_at(wide, width())
                      : psum<f32>(d, width()).cols_at(0, width());
    auto values = sbuf<T>(rows, per * d);
    cache.values(i, last, values);
    nc::nc_matmul(sum, zeros.cols_at(0, lines), zeros.cols_at(0, wide));
    nc::nc_matmul(parts, ones, zeros.cols_at(0, width()));
    auto hidden = psum<u8>(rows, per); // so that two memories are read
    if (inLanes) {                     // the end of a pair waits for less
      nc::tensor_copy(hidden, pastOf(i));
      weighNew(i);
    }
    loop("values", last, [&](Index j) {
      auto more = sbuf<T>(rows, per * d);
      cache.values(i, j, more);
      add(more, weigh(i, j), sum, parts);
    });
    auto weights = weigh(i, last);
    if (!inLanes)
      nc::tensor_copy(hidden, pastOf(i));
    hide(hidden, values);
    add(values, weights, sum, parts);
    fold(headsOf(sums, i), nc::AluOp::add, parts);
    if (inLanes)
      return addNew(i, addUp(sum));
    weighNew(i);
    addNew(i, sum);
  }
  /// The weight of the first new token.
  void weighNew(Index i) {
    auto mine = headsOf(fresh, i);
    mine = exp(ownOf(slot(i), 0, group).rows_at(0, d) -
               headsOf(m.rows_at(0, d), slot(i)));
    shareWeight(mine, sharers);
  }
  /// Of each query, a column: what the lanes have in rows.
  auto addUp(auto sum) {
    auto rowsOf = sbuf<f32>(128_c, d);
    auto all = psum<f32>(d, 128_c);
    auto result = sbuf<f32>(d, group);
    nc::tensor_copy(rowsOf, sum);
    nc::nc_transpose(all, rowsOf);
    nc::tensor_reduce(result, nc::AluOp::add,
                      all.reshape(d, 128 / lane(), lane())
                          .slice(2, 0, group)
                          .permute(0, 2, 1));
    return result;
  }
  /// With the new tokens of pair i.
  void addNew(Index i, auto sum) {
    auto value = cast<f32>(vT.cols_at(i * tokens, tokens));
    auto all = headsOf(totals, i), mine = headsOf(fresh, i);
    nc::scalar_tensor_tensor(all, mine, nc::AluOp::multiply,
                             value.cols_at(0, 1_c), nc::AluOp::add, sum);
    for (std::int64_t n = 1; n < tokens; ++n) {
      auto weight = sbuf<f32>(d, group);
      auto seen = seeing(weight, n);
      nc::tensor_tensor(seen, seeing(ownOf(slot(i), n, group).rows_at(0, d), n),
                        seeing(headsOf(m.rows_at(0, d), slot(i)), n),
                        nc::AluOp::subtract);
      nc::activation(seen, nc::ActivationFunction::exp, seen);
      shareWeight(seen, sharers);
      nc::tensor_tensor(seeing(mine, n), seeing(mine, n), seen, nc::AluOp::add);
      nc::scalar_tensor_tensor(seeing(all, n), seen, nc::AluOp::multiply,
                               value.cols_at(n, 1_c), nc::AluOp::add,
                               seeing(all, n));
    }
  }
  /// What memory holds of keys past the end becomes 0: it may be NaN.
  void hide(auto hidden, auto values) {
    if (d * isa::sizeInBytes(T::dtype) % 4 == 0)
      mask(bitcast<u32>(values), hidden, 0.0);
    else
      mask(values, hidden, 0.0);
  }

  /// o: [batch, heads, d]. prepare() returns what is called when all has been
  /// read.
  void attend(const auto &cache, auto o, auto prepare, const auto &meet) {
    const auto begin = [&] {
      loop("first", together, [&](Index p) { score(p, cache); });
    };
    // The first loads of many steps should not wait for what is prepared, and
    // the first weights of few steps should not.
    const bool isLong = steps >= 4;
    if (isLong)
      begin();
    const auto write = prepare();
    if (!isLong)
      begin();
    loop("set", sets, [&](Index s) {
      const Index next = min(s + 1, sets - 1);
      settle(s);
      loop("pair", together, [&](Index p) {
        if (sets > 1)
          loop("next", next - s,
               [&](Index) { score(next * together + p, cache); });
        addValues(s * together + p, cache);
      });
    });
    write();
    if (largest)
      addSharers(*largest, totals, sums, fresh, meet);
    // Each core has all results, and stores some.
    const std::int64_t queries = pairs() * group,
                       first = queries * core / cores,
                       count = queries * (core + 1) / cores - first;
    tiles("results", count, 128, [&](Index from, std::int64_t n) {
      const Index at = from + first;
      const auto total = totals.cols_at(at, n), sum = sums.cols_at(at, n);
      const auto mean =
          largest ? total / sum : total / (sum + fresh.cols_at(at, n));
      auto to = o.reshape(pairs() * group, d).rows_at(at, n);
      if (target().generation == nc::Generation::v2)
        store(to, transpose(mean)); // in f32: exact also beside a NaN
      else
        store(to, transpose(cast<T>(mean)));
    });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_TOKEN_ATTENTION_H

//===- reference.h - Attention of new tokens, in plain loops --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_REFERENCE_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_REFERENCE_H

#include "attention/decode_attention/kernel.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"

#include <utility>

namespace kiln::kernels {

/// The caches of one rank, and how many keys each holds.
struct TokenCaches {
  std::int64_t block, max_keys, head_dim, tokens,
      group; ///< Queries of a group.
  bool paged, keys_transposed;
  double scale;
  Doubles lengths, table, k_cache, v_cache;

  /// What a cache, [parts, kv_heads, rows, d], holds of a key: d elements, or
  /// a column of [parts, kv_heads, d, rows].
  struct Row {
    double *first;
    std::int64_t stride;
    double &operator[](std::int64_t c) const { return first[c * stride]; }
  };
  static std::int64_t within(double value, std::int64_t count) {
    return plain::clamp<std::int64_t>(static_cast<std::int64_t>(value), 0,
                                      count - 1);
  }
  std::int64_t length(std::int64_t b) const {
    return within(lengths(b, 0), max_keys - tokens + 1);
  }
  Row rowIn(const Doubles &cache, std::int64_t part, std::int64_t g,
            std::int64_t row) const {
    const std::int64_t rows = paged ? block : max_keys;
    double *first = cache.begin() + (part * cache.dim(1) + g) * rows * head_dim;
    return keys_transposed && cache.begin() == k_cache.begin()
               ? Row{first + row, rows}
               : Row{first + row * head_dim, 1};
  }
  Row rowOf(const Doubles &cache, std::int64_t b, std::int64_t g,
            std::int64_t key) const {
    return paged ? rowIn(cache, within(table(b, key / block), k_cache.dim(0)),
                         g, key % block)
                 : rowIn(cache, b, g, key);
  }

  /// The new keys and values, into `slots` or behind the others.
  void write(const Doubles &k, const Doubles &v, const Doubles &slots) const {
    for (std::int64_t token = 0; token < k.dim(0) * tokens; ++token) {
      const std::int64_t b = token / tokens, n = token % tokens;
      const bool slotted = slots.size() > 0;
      const double at = slotted ? slots(b, n) : double(length(b) + n);
      if (at < 0)
        continue;
      for (std::int64_t g = 0; g < k_cache.dim(1); ++g)
        for (const auto &[cache, source] :
             {std::pair(k_cache, k), std::pair(v_cache, v)}) {
          const auto slot = static_cast<std::int64_t>(at);
          const auto page = within(double(slot / block), k_cache.dim(0));
          const Row row = !slotted ? rowOf(cache, b, g, slot)
                          : paged  ? rowIn(cache, page, g, slot % block)
                                   : rowIn(cache, b, g, within(at, max_keys));
          for (std::int64_t c = 0; c < head_dim; ++c)
            row[c] = source(b, g * tokens + n, c);
        }
    }
  }
};

/// The keys that a query sees, and their softmax.
struct SeenKeys {
  List<double> weights, shares;
  List<TokenCaches::Row> values;
  double sum = 0;

  /// What row h of sequence b sees in these caches, and its share of the new
  /// tokens.
  void add(const TokenCaches &caches, std::int64_t b, std::int64_t h,
           const Doubles &q, const Doubles &k, const Doubles &v, double share) {
    const std::int64_t g = h / caches.group, tokens = caches.tokens;
    const auto add = [&](TokenCaches::Row key, TokenCaches::Row value,
                         double count) {
      double score = 0;
      for (std::int64_t c = 0; c < caches.head_dim; ++c)
        score += q(b, h, c) * key[c];
      weights.push_back(caches.scale * score);
      shares.push_back(count);
      values.push_back(value);
    };
    for (std::int64_t j = 0; j < caches.length(b); ++j)
      add(caches.rowOf(caches.k_cache, b, g, j),
          caches.rowOf(caches.v_cache, b, g, j), 1);
    for (std::int64_t n = 0; n <= h % tokens; ++n)
      add({&k(b, g * tokens + n, 0), 1}, {&v(b, g * tokens + n, 0), 1}, share);
  }
  /// If all scores are -infinity, all weights are 0, as in the kernel.
  void weigh() {
    const double largest = plain::largest(weights.begin(), weights.end());
    if (largest == -plain::infinity) {
      sum = 1;
      plain::fill(weights.begin(), weights.end(), 0.0);
      return;
    }
    for (std::size_t j = 0; j < weights.size(); ++j)
      sum += weights[j] = shares[j] * plain::exp(weights[j] - largest);
  }
  double mean(std::int64_t c) const {
    double value = 0;
    for (std::size_t j = 0; j < weights.size(); ++j)
      value += weights[j] / sum * values[j][c];
    return value;
  }
};

template <class T>
TokenCaches DecodeAttention<T>::caches(Doubles lengths, Doubles table,
                                       Doubles k_cache, Doubles v_cache) const {
  return {
      block,           max_keys,
      head_dim,        new_tokens,
      queries(),       paged,
      keys_transposed, scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim),
      lengths,         table,
      k_cache,         v_cache};
}

template <class T>
void DecodeAttention<T>::reference(Doubles lengths, Doubles q, Doubles k,
                                   Doubles v, Doubles table, Doubles slots,
                                   Doubles k_cache, Doubles v_cache,
                                   Doubles o) const {
  const TokenCaches all = caches(lengths, table, k_cache, v_cache);
  const std::int64_t rows = std::int64_t{heads} * new_tokens;
  parallelFor(batch * rows, [&](std::int64_t each) {
    const std::int64_t b = each / rows, h = each % rows;
    SeenKeys seen;
    seen.add(all, b, h, q, k, v, 1);
    seen.weigh();
    for (std::int64_t c = 0; c < head_dim; ++c)
      o(b, h, c) = seen.mean(c);
  });
  all.write(k, v, slots);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_REFERENCE_H

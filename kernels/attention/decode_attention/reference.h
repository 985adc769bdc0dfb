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

template <class T>
void DecodeAttention<T>::reference(Doubles lengths, Doubles q, Doubles k,
                                   Doubles v, Doubles table, Doubles slots,
                                   Doubles k_cache, Doubles v_cache,
                                   Doubles o) const {
  const double factor = scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  const std::int64_t group = queries(), rowsOfPart = keysOfPart();
  const auto within = [](double value, std::int64_t count) {
    return plain::clamp<std::int64_t>(static_cast<std::int64_t>(value), 0,
                                      count - 1);
  };
  // What a cache, [parts, kv_heads, rows, d], holds of a key: d elements, or
  // a column of [parts, kv_heads, d, rows].
  struct Row {
    double *first;
    std::int64_t stride;
    double &operator[](std::int64_t c) const { return first[c * stride]; }
  };
  const auto rowIn = [&](Doubles cache, std::int64_t part, std::int64_t g,
                         std::int64_t row) {
    double *block =
        cache.begin() + (part * kv_heads + g) * rowsOfPart * head_dim;
    return keys_transposed && cache.begin() == k_cache.begin()
               ? Row{block + row, rowsOfPart}
               : Row{block + row * head_dim, 1};
  };
  const auto rowOf = [&](Doubles cache, std::int64_t b, std::int64_t g,
                         std::int64_t key) {
    return paged ? rowIn(cache, within(table(b, key / block), parts()), g,
                         key % block)
                 : rowIn(cache, b, g, key);
  };
  const auto lengthOf = [&](std::int64_t b) {
    return within(lengths(b, 0), max_keys - new_tokens + 1);
  };
  const std::int64_t rows = std::int64_t{heads} * new_tokens;
  parallelFor(batch * rows, [&](std::int64_t each) {
    const std::int64_t b = each / rows, h = each % rows, g = h / group;
    const std::int64_t length = lengthOf(b);
    List<Row> keys, values;
    for (std::int64_t j = 0; j < length; ++j) {
      keys.push_back(rowOf(k_cache, b, g, j));
      values.push_back(rowOf(v_cache, b, g, j));
    }
    for (std::int64_t n = 0; n <= h % new_tokens; ++n) {
      keys.push_back({&k(b, g * new_tokens + n, 0), 1});
      values.push_back({&v(b, g * new_tokens + n, 0), 1});
    }
    List<double> p;
    for (const Row &key : keys) {
      double score = 0;
      for (std::int64_t c = 0; c < head_dim; ++c)
        score += q(b, h, c) * key[c];
      p.push_back(factor * score);
    }
    const double largest = plain::largest(p.begin(), p.end());
    double sum = 0;
    for (double &value : p)
      sum += value = plain::exp(value - largest);
    for (std::int64_t c = 0; c < head_dim; ++c) {
      double value = 0;
      for (std::size_t j = 0; j < p.size(); ++j)
        value += p[j] / sum * values[j][c];
      o(b, h, c) = value;
    }
  });
  for (std::int64_t token = 0; token < std::int64_t{batch} * new_tokens;
       ++token) {
    const std::int64_t b = token / new_tokens, n = token % new_tokens;
    const double at = slotted ? slots(b, n) : double(lengthOf(b) + n);
    if (at < 0)
      continue;
    for (std::int64_t g = 0; g < kv_heads; ++g)
      for (const auto &[cache, source] :
           {std::pair(k_cache, k), std::pair(v_cache, v)}) {
        const auto slot = static_cast<std::int64_t>(at), page = slot / block;
        const Row row = !slotted ? rowOf(cache, b, g, slot)
                        : paged ? rowIn(cache, within(double(page), parts()), g,
                                        slot % block)
                                : rowIn(cache, b, g, within(slot, max_keys));
        for (std::int64_t c = 0; c < head_dim; ++c)
          row[c] = source(b, g * new_tokens + n, c);
      }
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_REFERENCE_H

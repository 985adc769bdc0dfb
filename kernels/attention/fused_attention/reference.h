//===- reference.h - Projections and attention, in plain loops ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FUSED_ATTENTION_REFERENCE_H
#define KILN_KERNELS_ATTENTION_FUSED_ATTENTION_REFERENCE_H

#include "attention/fused_attention/kernel.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"
#include "support/plain_product.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void FusedAttention<T>::reference(Doubles x, Doubles w_qkv, Doubles w_out,
                                  Doubles y) const {
  const double factor = scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  const std::int64_t d = head_dim;
  const auto columns = static_cast<std::size_t>(width());
  List<double> qkv(static_cast<std::size_t>(tokens) * columns);
  addProduct(x, w_qkv, {qkv.data(), width()}, tokens, hidden, width());
  roundAll<T>(qkv);
  List<double> heads_out(static_cast<std::size_t>(tokens * heads * d));
  parallelFor(tokens, [&](std::int64_t t) {
    const auto rowOf = [&](std::int64_t token) {
      return qkv.data() + static_cast<std::size_t>(token) * columns;
    };
    List<double> p(static_cast<std::size_t>(t) + 1);
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t g = h / (heads / kv_heads);
      const double *q = rowOf(t) + h * d;
      for (std::int64_t j = 0; j <= t; ++j) {
        const double *k = rowOf(j) + keys() + g * d;
        double score = 0;
        for (std::int64_t c = 0; c < d; ++c)
          score += q[c] * k[c];
        p[j] = factor * score;
      }
      const double largest = plain::largest(p.begin(), p.end());
      double sum = 0;
      for (double &value : p)
        sum += value = plain::exp(value - largest);
      double *o = heads_out.data() + (t * heads + h) * d;
      for (std::int64_t j = 0; j <= t; ++j) {
        const double *v = rowOf(j) + values() + g * d;
        for (std::int64_t c = 0; c < d; ++c)
          o[c] += p[j] / sum * v[c];
      }
    }
  });
  plain::fill(y.begin(), y.end(), 0.0);
  addProduct({heads_out.data(), heads * d}, w_out, y, tokens, heads * d,
             hidden);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FUSED_ATTENTION_REFERENCE_H

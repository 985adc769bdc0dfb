//===- reference.h - Projection of attention's output, in plain loops -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_REFERENCE_H
#define KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_REFERENCE_H

#include "linear/output_projection/kernel.h"
#include "linear/output_projection/quantized.h"
#include "linear/quantized_reference.h"
#include "support/list.h"
#include "support/plain_product.h"

namespace kiln::kernels {

/// Element i of a head of a token.
inline double attended(AttendedLayout layout, Doubles a, std::int64_t token,
                       std::int64_t head, std::int64_t i) {
  switch (layout) {
  case AttendedLayout::d_major:
    return a(head, i, token);
  case AttendedLayout::head_major:
    return a(head, token, i);
  case AttendedLayout::token_major:
    break;
  }
  return a(token, head, i);
}

/// Its rows, [tokens, heads * head_dim].
inline List<double> attendedRows(AttendedLayout layout, Doubles a,
                                 std::int64_t tokens, std::int64_t heads,
                                 std::int64_t head_dim) {
  List<double> rows(a.size());
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < head_dim; ++i)
        rows[static_cast<std::size_t>((t * heads + h) * head_dim + i)] =
            attended(layout, a, t, h, i);
  return rows;
}

template <class T>
void OutputProjection<T>::reference(Doubles a, Doubles w, Doubles b, Doubles r,
                                    Doubles y) const {
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t j = 0; j < hidden; ++j)
      y(t, j) = (bias ? b[j] : 0) + (residual ? double(share) * r(t, j) : 0);
  const std::int64_t width = std::int64_t(heads) * head_dim;
  List<double> rows = attendedRows(layout, a, tokens, heads, head_dim);
  addProduct({rows.data(), width}, w, y, tokens, width, hidden);
}

template <class T>
void OutputProjectionQuantized<T>::reference(Doubles a, Doubles w,
                                             Doubles w_scales, Doubles b,
                                             Doubles r, Doubles y) const {
  List<double> rows = attendedRows(layout, a, tokens, heads, head_dim);
  const std::int64_t shape[] = {tokens, width()};
  quantizedProduct<T>({rows.data(), shape, 2}, w, w_scales, scales,
                      double(unit), y);
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t j = 0; j < hidden; ++j)
      y(t, j) += (bias ? b[j] : 0) + (residual ? r(t, j) : 0);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_REFERENCE_H

//===- scaled.h - The product of MX floats --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_SCALED_H
#define KILN_KERNELS_LINEAR_MATMUL_SCALED_H

#include "linear/scaled_product.h"

namespace kiln::kernels {

/// c = a b of MX floats: a is quantized on chip, b ahead.
template <class P> struct MatmulScaled {
  BOOST_HANA_DEFINE_STRUCT(MatmulScaled, (int, m), (int, k), (int, n));

  static MatmulScaled defaults() { return {512, 512, 512}; }

  void describe(Signature &s) const {
    s.summary("c = a b");
    s.doc("m", "rows of a and c");
    s.doc("k", "columns of a, rows of b");
    s.doc("n", "columns of b and c");
    s.argument("a", {m, k});
    s.argument("b", {k / 4, n});
    s.argument("b_scales", {k / 32, n});
    s.argument("c", {m, n});
    s.flops(2.0 * m * k * n);
  }

  void operator()(In<bf16, 2> a, In<P, 2> b, In<f8e8m0, 2> b_scales,
                  Out<bf16, 2> c) const {
    ScaledProduct<P>{a, false,    In<P, 2>({}),    In<f8e8m0, 2>({}),
                     b, b_scales, In<bf16, 1>({}), false,
                     c}
        .run();
  }

  void reference(Doubles a, Doubles b, Doubles b_scales,
                 Doubles c) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_SCALED_H

//===- scaled.h - The product of MX floats --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_SCALED_H
#define KILN_KERNELS_LINEAR_MATMUL_SCALED_H

#include "linear/matmul/kernel.h"
#include "linear/scaled_product.h"

namespace kiln::kernels {

/// c = a b of MX floats: b is quantized ahead, a on chip if it is not `ready`.
template <class P> struct MatmulScaled {
  BOOST_HANA_DEFINE_STRUCT(MatmulScaled, (int, m), (int, k), (int, n),
                           (bool, bias), (Activation, activation),
                           (bool, residual), (Scales, scales), (bool, ready),
                           (float, factor), (OutDtype, out_dtype),
                           (Traffic, traffic));

  static MatmulScaled defaults() {
    return Matmul<bf16>::of<MatmulScaled>(512, 512, 512);
  }

  void describe(Signature &s) const {
    Matmul<bf16>::describeParameters(s);
    optionalArgument(s, !ready, "a", {m, k});
    optionalArgument(s, ready, "a_data", {k / 4, m});
    optionalArgument(s, ready, "a_scales", {k / 32, m});
    s.argument("b", {k / 4, n});
    s.argument("b_scales", {k / 32, n});
    optionalArgument(s, bias, "d", {n});
    optionalArgument(s, residual, "r", {m, n});
    describeOutput<bf16>(s, "c", {m, n}, out_dtype);
    s.flops(2.0 * m * k * n);
  }

  void operator()(In<bf16, 2> a, In<P, 2> a_data, In<f8e8m0, 2> a_scales,
                  In<P, 2> b, In<f8e8m0, 2> b_scales, In<bf16, 1> d,
                  In<bf16, 2> r, Out<bf16, 2> c, Out<f32, 2> other) const {
    requireNoScales(scales, "MX floats have scales of their own",
                    "leave out scales");
    requireMxTerms(k);
    require(
        traffic != Traffic::least,
        "traffic is <|least|>, expected [|automatic or fastest|]: few loads "
        "are for 16-bit types",
        "leave out traffic");
    ScaledProduct<P>{a,
                     ready,
                     a_data,
                     a_scales,
                     b,
                     b_scales,
                     {.bias = d,
                      .hasBias = bias,
                      .activation = activation,
                      .residual = r,
                      .hasResidual = residual,
                      .factor = factor,
                      .other = other,
                      .hasOther = isOther<bf16>(out_dtype)},
                     c}
        .run();
  }

  void reference(Doubles a, Doubles a_data, Doubles a_scales, Doubles b,
                 Doubles b_scales, Doubles d, Doubles r, Doubles c,
                 Doubles other) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_SCALED_H

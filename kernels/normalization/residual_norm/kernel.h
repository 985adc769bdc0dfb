//===- kernel.h - Residual and normalisation ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_RESIDUAL_NORM_KERNEL_H
#define KILN_KERNELS_NORMALIZATION_RESIDUAL_NORM_KERNEL_H

#include "kiln/kiln.h"
#include "normalization/standardised.h"
#include "support/optional_argument.h"

namespace kiln::kernels {

/// sum = x + residual; y = norm(sum) * gamma (+ beta), of every row. The norm
/// divides by the root of the mean square, after it subtracts the mean if
/// `centred` (LayerNorm).
template <class T> struct ResidualNorm {
  BOOST_HANA_DEFINE_STRUCT(ResidualNorm, (int, rows), (int, cols),
                           (bool, centred), (bool, bias), (float, epsilon));

  static ResidualNorm defaults() { return {512, 2048, false, false, 1e-5f}; }

  void describe(Signature &s) const {
    s.summary("adds a residual, then RMSNorm or LayerNorm of every row");
    s.doc("rows", "rows (tokens)");
    s.doc("cols", "elements of a row");
    s.doc("centred", "subtract the mean first: LayerNorm");
    s.doc("bias", "add beta to every row");
    s.doc("epsilon", "added to the mean square");
    s.argument("x", {rows, cols});
    s.argument("residual", {rows, cols});
    s.argument("gamma", {cols});
    optionalArgument(s, bias, "beta", {cols});
    s.argument("sum", {rows, cols});
    s.argument("y", {rows, cols});
    s.flops((5.0 + 2 * centred + bias) * rows * cols);
  }

  /// Whole tensors: the compiler loops over blocks of rows.
  void operator()(In<T, 2> x, In<T, 2> residual, In<T, 1> gamma, In<T, 1> beta,
                  Out<T, 2> sum, Out<T, 2> y) const {
    auto t = cast<T>(load(x) + load(residual));
    store(sum, t);
    const auto scaled = [&](const auto &values) {
      auto normal = cast<T>(cast<T>(values) * load(gamma.reshape(1_c, cols)));
      if (bias)
        store(y, normal + load(beta.reshape(1_c, cols)));
      else
        store(y, normal);
    };
    if (centred)
      scaled(standardised<T>(t, double(epsilon)));
    else
      scaled(t * rsqrt(row_mean(square(t)) + epsilon));
  }

  void reference(Doubles x, Doubles residual, Doubles gamma, Doubles beta,
                 Doubles sum, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_RESIDUAL_NORM_KERNEL_H

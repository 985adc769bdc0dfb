//===- kernel.h - Layer normalisation -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_LAYERNORM_KERNEL_H
#define KILN_KERNELS_NORMALIZATION_LAYERNORM_KERNEL_H

#include "kiln/kiln.h"
#include "normalization/standardised.h"

namespace kiln::kernels {

/// y[r, :] = (x[r, :] - mean) / sqrt(variance + epsilon) (* gamma) (+ beta),
/// with the mean and the variance of x[r, :].
template <class T> struct LayerNorm {
  BOOST_HANA_DEFINE_STRUCT(LayerNorm, (int, rows), (int, cols), (bool, weight),
                           (bool, bias));

  static LayerNorm defaults() { return {512, 2048, true, true}; }
  static constexpr double epsilon = 1e-5;

  void describe(Signature &s) const {
    s.summary("layer normalisation of every row, times gamma, plus beta");
    s.doc("rows", "rows (tokens)");
    s.doc("cols", "elements of a row");
    s.doc("weight", "multiply every row by gamma");
    s.doc("bias", "add beta to every row");
    s.argument("x", {rows, cols});
    vector(s, "gamma", weight);
    vector(s, "beta", bias);
    s.argument("y", {rows, cols});
    s.flops((6.0 + weight + bias) * rows * cols);
  }

  /// Whole tensors: the compiler loops over blocks of rows.
  void operator()(In<T, 2> x, In<T, 1> gamma, In<T, 1> beta,
                  Out<T, 2> y) const {
    auto t = load(x);
    auto shifted = [&](const auto &normal) {
      if (bias)
        store(y, normal + load(beta.reshape(1_c, cols)));
      else
        store(y, normal);
    };
    auto normal = cast<T>(standardised<T>(t, epsilon));
    if (weight)
      shifted(cast<T>(normal * load(gamma.reshape(1_c, cols))));
    else
      shifted(normal);
  }

  void reference(Doubles x, Doubles gamma, Doubles beta,
                 Doubles y) const; // In reference.h.

private:
  void vector(Signature &s, const char *name, bool present) const {
    if (present)
      s.argument(name, {cols});
    else
      s.absent(name);
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_LAYERNORM_KERNEL_H

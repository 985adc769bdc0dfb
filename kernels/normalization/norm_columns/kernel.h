//===- kernel.h - Normalisation of columns --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_KERNEL_H
#define KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_KERNEL_H

#include "kiln/kiln.h"

namespace kiln::kernels {

/// y[:, t] = x[:, t] / sqrt(mean(x[:, t]^2) + epsilon) * gamma. Features are on
/// partitions, as the products of a few tokens want their operand.
template <class T> struct NormColumns {
  BOOST_HANA_DEFINE_STRUCT(NormColumns, (int, hidden), (int, tokens),
                           (bool, centred), (float, epsilon));

  static NormColumns defaults() { return {2048, 8, false, 1e-5f}; }

  void describe(Signature &s) const {
    s.summary("RMSNorm or LayerNorm of every column");
    s.doc("hidden", "elements of a column (features)");
    s.doc("tokens", "columns, at most 512");
    s.doc("centred", "subtract the mean first: LayerNorm");
    s.doc("epsilon", "added to the mean square");
    s.argument("x", {hidden, tokens});
    s.argument("gamma", {hidden});
    s.argument("y", {hidden, tokens});
    s.flops((4.0 + 2 * centred) * hidden * tokens);
  }

  void operator()(In<T, 2> x, In<T, 1> gamma, Out<T, 2> y) const {
    require(tokens <= 512,
            {"tokens is <|", tokens, "|>, expected [|at most 512|]"},
            "use rmsnorm, which has tokens on partitions");
    const auto mean = [&](const auto &t) {
      return col_sum(t) * (1.0 / hidden);
    };
    const auto scaled = [&](const auto &t) {
      auto scale = rsqrt(mean(square(t)) + epsilon);
      store(y, t * scale * load(gamma.reshape(hidden, 1_c)));
    };
    auto t = load(x);
    if (centred)
      scaled(t - mean(t));
    else
      scaled(t);
  }

  void reference(Doubles x, Doubles gamma, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_KERNEL_H

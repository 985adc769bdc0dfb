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
#include "support/optional_argument.h"

#include <cstdint>
#include <type_traits>

namespace kiln::kernels {

/// y[:, t] = x[:, t] / sqrt(mean(x[:, t]^2) + epsilon) * gamma (+ beta).
/// Features are on partitions, as the products of a few tokens want their
/// operand. x may be a sum with a residual, which is an output, too.
template <class T> struct NormColumns {
  BOOST_HANA_DEFINE_STRUCT(NormColumns, (int, hidden), (int, tokens),
                           (bool, centred), (float, epsilon), (bool, residual),
                           (bool, bias));

  static NormColumns defaults() {
    return {2048, 8, false, 1e-5f, false, false};
  }
  /// Columns at once: PSUM has the sums of as many in a bank.
  static constexpr std::int64_t block = 512;

  void describe(Signature &s) const {
    s.summary("RMSNorm or LayerNorm of every column");
    s.doc("hidden", "elements of a column (features)");
    s.doc("tokens", "columns");
    s.doc("centred", "subtract the mean first: LayerNorm");
    s.doc("epsilon", "added to the mean square");
    s.doc("residual", "add it to x first; the sum is an output");
    s.doc("bias", "add beta to every column");
    s.argument("x", {hidden, tokens});
    optionalArgument(s, residual, "residual", {hidden, tokens});
    s.argument("gamma", {hidden});
    optionalArgument(s, bias, "beta", {hidden});
    optionalArgument(s, residual, "sum", {hidden, tokens});
    s.argument("y", {hidden, tokens});
    s.flops((4.0 + 2 * centred + residual + bias) * hidden * tokens);
  }

  void operator()(In<T, 2> x, In<T, 2> r, In<T, 1> gamma, In<T, 1> beta,
                  Out<T, 2> sum, Out<T, 2> y) const {
    if (tokens <= block)
      return columns(x, r, gamma, beta, sum, y);
    tiles("tokens", tokens, block, [&](Index t, std::int64_t count) {
      const auto some = [&](const auto &of) { return of.cols_at(t, count); };
      if (residual)
        columns(some(x), some(r), gamma, beta, some(sum), some(y));
      else
        columns(some(x), r, gamma, beta, sum, some(y));
    });
  }

  /// Up to `block` of them.
  void columns(In<T, 2> x, In<T, 2> r, In<T, 1> gamma, In<T, 1> beta,
               Out<T, 2> sum, Out<T, 2> y) const {
    const auto factors = [&](const In<T, 1> &of) {
      return load(of.reshape(hidden, 1_c));
    };
    const auto scaled = [&](const auto &t, const auto &squares) {
      auto scale = rsqrt(squares + epsilon);
      if (bias)
        store(y, t * scale * factors(gamma) + factors(beta));
      else
        store(y, t * scale * factors(gamma));
    };
    const auto normed = [&](const auto &t) {
      if (!centred)
        return scaled(t, mean(square(t)));
      auto differences = t - mean(t);
      if constexpr (std::is_same_v<T, f32>) { // See standardised().
        auto off = mean(differences);
        scaled(differences - off,
               max(mean(square(differences)) - square(off), 0.0));
      } else {
        scaled(differences, mean(square(differences)));
      }
    };
    if (!residual)
      return normed(load(x));
    auto t = cast<T>(load(x) + load(r));
    store(sum, t);
    normed(t);
  }

  auto mean(const auto &t) const { return col_sum(t) * (1.0 / hidden); }

  void reference(Doubles x, Doubles r, Doubles gamma, Doubles beta, Doubles sum,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_KERNEL_H

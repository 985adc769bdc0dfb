//===- kernel.h - Normalised rows in 8 bits -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_KERNEL_H
#define KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_KERNEL_H

#include "kiln/kiln.h"
#include "quantization/norm_quantize/weighted.h"
#include "support/optional_argument.h"

#include <string> // Slow: a parameter is a text.

namespace kiln::kernels {

/// y = norm(x + residual) * gamma / scale, rounded to the 8-bit type T. The
/// norm divides each row by the root of its mean square. The scale makes the
/// largest magnitude of the row the largest number of T, or is known ahead.
template <class T> struct NormQuantize {
  BOOST_HANA_DEFINE_STRUCT(NormQuantize, (int, rows), (int, cols),
                           (bool, residual), (std::string, scale),
                           (float, factor), (float, epsilon));

  static NormQuantize defaults() {
    return {512, 2048, true, "row", 1.0f, 1e-5f};
  }

  void describe(Signature &s) const {
    s.summary("RMSNorm of every row, in 8 bits with its scale");
    s.doc("rows", "rows (tokens)");
    s.doc("cols", "elements of a row");
    s.doc("residual", "add residual first, and store the sum");
    s.doc("scale", "row or static");
    s.doc("factor", "the static scale");
    s.doc("epsilon", "added to the mean square");
    WeightedRows::describe(s, rows, cols, residual);
    optionalArgument(s, scale == "row", "scales", {rows, 1});
    s.argument("y", {rows, cols});
    s.flops((6.0 + residual) * rows * cols);
  }

  void operator()(In<bf16, 2> x, In<bf16, 2> others, In<bf16, 1> gamma,
                  Out<bf16, 2> sum, Out<f32, 2> scales, Out<T, 2> y) const {
    require(scale == "row" || scale == "static",
            "scale is '<|" + scale + "|>', not [|row or static|]");
    require(factor > 0, {"factor is <|", factor, "|>, expected [|above 0|]"},
            "give the largest magnitude over the largest number of the type");
    constexpr double largest = dsl::largestOf<T>();
    const WeightedRows weighted{x,        others,  gamma,         sum,
                                residual, epsilon, scale == "row"};
    const auto to = [&](Index r, Index c, const auto &values) {
      return y.rows_at(r, values.dim(0)).cols_at(c, values.dim(1));
    };
    const auto staticUnit = [&](Index, const auto &root, auto) {
      return root * (1 / factor);
    };
    const auto putClipped = [&](Index r, Index c, const auto &values,
                                const auto &unit) {
      auto some = max(min(values * unit, largest), -largest);
      store(to(r, c, values), some);
    };
    if (scale == "static")
      return weighted.forRows(staticUnit, putClipped);
    const auto unitOf = [&](Index r, const auto &root, auto mostOf) {
      auto its = max(root * mostOf(), 0x1p-100) * (1 / largest);
      store(scales.rows_at(r, its.dim(0)), its);
      return root * reciprocal(its);
    };
    // None is beyond the largest number.
    const auto put = [&](Index r, Index c, const auto &values,
                         const auto &unit) {
      store(to(r, c, values), values * unit);
    };
    weighted.forRows(unitOf, put);
  }

  void reference(Doubles x, Doubles others, Doubles gamma, Doubles sum,
                 Doubles scales, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_KERNEL_H

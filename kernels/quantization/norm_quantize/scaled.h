//===- scaled.h - Normalised rows as MX floats ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_SCALED_H
#define KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_SCALED_H

#include "kiln/kiln.h"
#include "quantization/norm_quantize/weighted.h"

#include <string> // Slow: a parameter is a text.

namespace kiln::kernels {

/// y = norm(x + residual) * gamma as a product of MX floats takes it: 32
/// neighbours in a row share a scale.
template <class P> struct NormQuantizeScaled {
  BOOST_HANA_DEFINE_STRUCT(NormQuantizeScaled, (int, rows), (int, cols),
                           (bool, residual), (std::string, scale),
                           (float, factor), (float, epsilon));

  static NormQuantizeScaled defaults() {
    return {512, 2048, true, "row", 1.0f, 1e-5f};
  }

  void describe(Signature &s) const {
    s.summary("RMSNorm of every row, as MX floats with their scales");
    s.doc("rows", "rows (tokens)");
    s.doc("cols", "elements of a row, a multiple of 128");
    s.doc("residual", "add residual first, and store the sum");
    s.doc("scale", "row: of 32 neighbours in it");
    s.doc("epsilon", "added to the mean square");
    WeightedRows::describe(s, rows, cols, residual);
    s.argument("scales", {cols / 32, rows});
    s.argument("y", {cols / 4, rows});
    s.flops((6.0 + residual) * rows * cols);
  }

  void operator()(In<bf16, 2> x, In<bf16, 2> others, In<bf16, 1> gamma,
                  Out<bf16, 2> sum, Out<f8e8m0, 2> scales, Out<P, 2> y) const {
    require(scale == "row", "scale is '<|" + scale + "|>', not [|row|]");
    require(factor == 1,
            {"factor is <|", factor,
             "|>, expected [|1|]: MX floats have no static scale"},
            "leave out factor");
    require(cols % 128 == 0,
            {"cols is <|", cols, "|>, expected [|a multiple of 128|]"});
    const WeightedRows weighted{x,        others,  gamma, sum,
                                residual, epsilon, false};
    const auto unitOf = [&](Index, const auto &root, auto) {
      return copy(root);
    };
    const auto put = [&](Index r, Index c, const auto &values,
                         const auto &root) {
      auto normal = cast<bf16>(values * root);
      auto part = quantize_mx<P>(transpose(normal));
      const auto storeIn = [&](const auto &to, Index row, const auto &its) {
        store(to.rows_at(row, its.dim(0)).cols_at(r, its.dim(1)), its);
      };
      storeIn(y, c / 4, part.data);
      storeIn(scales, c / 32, part.scales);
    };
    weighted.forRows(unitOf, put);
  }

  void reference(Doubles x, Doubles others, Doubles gamma, Doubles sum,
                 Doubles scales, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_SCALED_H

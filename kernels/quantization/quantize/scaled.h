//===- scaled.h - MX floats: a scale for 32 numbers -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_QUANTIZE_SCALED_H
#define KILN_KERNELS_QUANTIZATION_QUANTIZE_SCALED_H

#include "kiln/kiln.h"
#include "quantization/four_bits.h"

#include <string> // Slow: a parameter is a text.

namespace kiln::kernels {

/// x as a product of MX floats takes it. 32 neighbours share a scale: in a row
/// of x, as for the left operand of y = x w, or in a column, as for w.
template <class P> struct QuantizeScaled {
  BOOST_HANA_DEFINE_STRUCT(QuantizeScaled, (int, rows), (int, cols),
                           (std::string, scale), (float, factor));

  static QuantizeScaled defaults() { return {512, 2048, "row", 1.0f}; }

  /// What is on chip at a time.
  static constexpr std::int64_t deep = 1024, wide = 512;

  bool inRows() const { return scale == "row"; }
  /// Numbers that neighbours are in, and how many such rows or columns.
  std::int64_t depth() const { return inRows() ? cols : rows; }
  std::int64_t width() const { return inRows() ? rows : cols; }

  void describe(Signature &s) const {
    s.summary("MX floats and their scales");
    s.doc("rows", "rows of x");
    s.doc("cols", "columns of x");
    s.doc("scale", "row or column: of 32 neighbours in it");
    s.argument("x", {rows, cols});
    s.argument("scales", {depth() / 32, width()});
    s.argument("y", {depth() / 4, width()});
    s.flops(3.0 * rows * cols);
  }

  void operator()(In<bf16, 2> x, Out<f8e8m0, 2> scales, Out<P, 2> y) const {
    require(scale == "row" || scale == "column",
            "scale is '<|" + scale + "|>', not [|row or column|]");
    require(factor == 1,
            {"factor is <|", factor,
             "|>, expected [|1|]: MX floats have no static scale"},
            "leave out factor");
    require(depth() % 128 == 0,
            {"a row or column of x has <|", depth(),
             "|> numbers, expected [|a multiple of 128|]"},
            "give a multiple of 128");
    if constexpr (P::dtype == isa::DType::f4e2m1fn_x4)
      inFourBits(x, scales, y);
    else
      inEightBits(x, scales, y);
  }

  /// The machine has an instruction for these.
  void inEightBits(In<bf16, 2> x, Out<f8e8m0, 2> scales, Out<P, 2> y) const {
    tiles("n", width(), wide, [&](Index n, std::int64_t count) {
      tiles("k", depth() / 128, deep / 128, [&](Index k, std::int64_t blocks) {
        const std::int64_t size = 128 * blocks;
        const auto put = [&](const auto &part) {
          store(y.rows_at(32 * k, size / 4).cols_at(n, count), part.data);
          store(scales.rows_at(4 * k, size / 32).cols_at(n, count),
                part.scales);
        };
        if (inRows())
          put(quantize_mx<P>(
              load_transposed(x.rows_at(n, count).cols_at(128 * k, size))));
        else
          put(quantize_mx<P>(load(x.rows_at(128 * k, size).cols_at(n, count))));
      });
    });
  }

  void inFourBits(In<bf16, 2> x, Out<f8e8m0, 2> scales, Out<P, 2> y) const {
    const FourBits bits;
    // The longer loop is inside.
    tiles("k", depth(), FourBits::deep, [&](Index k, std::int64_t size) {
      tiles("n", width(), 128, [&](Index n, std::int64_t count) {
        const auto put = [&](const auto &rows) {
          bits.put(rows, scales.rows_at(k / 32, size / 32).cols_at(n, count),
                   y.rows_at(k / 4, size / 4).cols_at(n, count));
        };
        if (inRows())
          put(load(x.rows_at(n, count).cols_at(k, size)));
        else
          put(load_transposed(x.rows_at(k, size).cols_at(n, count)));
      });
    });
  }

  void reference(Doubles x, Doubles scales, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_QUANTIZE_SCALED_H

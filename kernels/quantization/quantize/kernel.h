//===- kernel.h - Numbers of 8 bits ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_QUANTIZE_KERNEL_H
#define KILN_KERNELS_QUANTIZATION_QUANTIZE_KERNEL_H

#include "kiln/kiln.h"
#include "support/optional_argument.h"

#include <string> // Slow: a parameter is a text.

namespace kiln::kernels {

/// y = x / scale, rounded to the 8-bit type T. The scale is that of each row,
/// or of the tensor, whose largest magnitude becomes the largest number of T;
/// or a number that is known ahead, and what T cannot hold becomes its largest
/// number.
template <class T> struct Quantize {
  BOOST_HANA_DEFINE_STRUCT(Quantize, (int, rows), (int, cols),
                           (std::string, scale), (float, factor));

  static Quantize defaults() { return {512, 2048, "row", 1.0f}; }

  void describe(Signature &s) const {
    s.summary("numbers of 8 bits and their scales");
    s.doc("rows", "rows (tokens)");
    s.doc("cols", "elements of a row");
    s.doc("scale", "row, tensor or static");
    s.doc("factor", "the static scale");
    s.argument("x", {rows, cols});
    optionalArgument(s, scale != "static", "scales",
                     {scale == "row" ? rows : 1, 1});
    s.argument("y", {rows, cols});
    s.flops(3.0 * rows * cols);
  }

  void operator()(In<bf16, 2> x, Out<f32, 2> scales, Out<T, 2> y) const {
    require(scale == "row" || scale == "tensor" || scale == "static",
            "scale is '<|" + scale + "|>', not [|row, tensor or static|]");
    require(factor > 0, {"factor is <|", factor, "|>, expected [|above 0|]"},
            "give the largest magnitude over the largest number of the type");
    const auto put = [&](const auto &quantized) {
      store(y, quantized.data);
      store(scales, quantized.scales);
    };
    auto t = load(x);
    if (scale == "row")
      put(quantize_rows<T>(t));
    else if (scale == "tensor")
      put(quantize_all<T>(t));
    else
      store(y, quantize<T>(t, factor));
  }

  void reference(Doubles x, Doubles scales, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_QUANTIZE_KERNEL_H

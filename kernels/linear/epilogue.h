//===- epilogue.h - What becomes of a product before it is stored ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_EPILOGUE_H
#define KILN_KERNELS_LINEAR_EPILOGUE_H

#include "kiln/kiln.h"
#include "linear/head_major.h"
#include "support/optional_argument.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace kiln::kernels {

KILN_CHOICES(Activation, none, silu, gelu, relu)
/// Scales of 8-bit numbers, as quantize makes them: one of each tensor, or one
/// of each row of x and of each column of w.
KILN_CHOICES(Scales, none, tensor, row)

/// The type of a product: that of its inputs, or bf16 if they have 8 bits or
/// less; or another one.
KILN_CHOICES(OutDtype, inputs, f32, bf16)

/// What a product of T may be stored as instead.
template <class T>
using OtherThan = std::conditional_t<std::is_same_v<T, f32>, bf16, f32>;

template <class T> bool isOther(OutDtype dtype) {
  return dtype == (std::is_same_v<T, f32> ? OutDtype::bf16 : OutDtype::f32);
}

/// y = activation(factor * sum * scales + bias) + residual, in f32 until it is
/// stored as T. What is not given leaves the sum as it is.
template <class T> struct Epilogue {
  In<T, 1> bias = In<T, 1>({});
  bool hasBias = false;
  Activation activation = Activation::none;
  In<T, 2> residual = In<T, 2>({});
  bool hasResidual = false;
  Scales scales = Scales::none;
  In<f32, 2> xScales = In<f32, 2>({}); ///< [M, 1] or [1, 1]
  In<f32, 2> wScales = In<f32, 2>({}); ///< [1, N] or [1, 1]
  float factor = 1;
  HeadMajor<T> heads = {}; ///< In place of y.
  Out<OtherThan<T>, 2> other = Out<OtherThan<T>, 2>({});
  bool hasOther = false; ///< Also in place of y.

  std::int64_t rows(const Out<T, 2> &y) const {
    return heads.isGiven() ? heads.y.dim(1)
           : hasOther      ? other.dim(0)
                           : y.dim(0);
  }

  /// A tile of the product, from row m and column n on.
  void put(const Out<T, 2> &y, Index m, Index n, const auto &sum) const {
    const std::int64_t rows = sum.dim(0), cols = sum.dim(1);
    const auto beside = [&](const auto &tensor) {
      return tensor.rows_at(m, rows).cols_at(n, cols);
    };
    const auto everyRow = [&](const auto &row) { // [1, N]
      return load(row.broadcast(0_c, rows));
    };
    const auto put = [&](const auto &value) {
      if (heads.isGiven())
        heads.put(m, n, value);
      else if (hasOther)
        store(beside(other), value);
      else
        store(beside(y), value);
    };
    const auto finish = [&](const auto &value) {
      if (hasResidual)
        put(value + load(beside(residual)));
      else
        put(value);
    };
    const auto activate = [&](const auto &value) {
      if (activation == Activation::silu)
        finish(silu(value));
      else if (activation == Activation::gelu)
        finish(gelu(value));
      else if (activation == Activation::relu)
        finish(relu(value));
      else
        finish(value);
    };
    const auto addBias = [&](const auto &value) {
      if (hasBias)
        activate(value +
                 everyRow(bias.reshape(1_c, bias.dim(0)).cols_at(n, cols)));
      else
        activate(value);
    };
    const auto multiply = [&](const auto &value) {
      if (factor != 1.0f)
        addBias(value * factor);
      else
        addBias(value);
    };
    if (scales == Scales::row)
      multiply(sum * load(xScales.rows_at(m, rows)) *
               everyRow(wScales.cols_at(n, cols)));
    else if (scales == Scales::tensor)
      multiply(sum * (everyRow(xScales) * everyRow(wScales)));
    else
      multiply(sum);
  }
};

/// The scales of x, [M, 1] or [1, 1], and of w, [1, N] or [1, 1].
inline void describeScales(Signature &s, Scales scales, std::string_view x,
                           std::int64_t rows, std::string_view w,
                           std::int64_t cols) {
  if (scales == Scales::none) {
    s.absent(x);
    s.absent(w);
    return;
  }
  s.argument(x, {scales == Scales::row ? rows : 1, 1});
  s.argument(w, {1, scales == Scales::row ? cols : 1});
}

/// Describes an output whose type is T or OtherThan<T>. The kernel has an
/// argument for each, one of which is absent.
template <class T>
void describeOutput(Signature &s, std::string_view name,
                    std::initializer_list<std::int64_t> shape, OutDtype dtype) {
  const bool other = isOther<T>(dtype);
  optionalArgument(s, !other, other ? "own" : name, shape);
  optionalArgument(s, other, other ? name : "other", shape);
}

/// How 8-bit weights are scaled, and what they multiply, which is quantized on
/// chip.
inline void describeQuantization(Signature &s) {
  s.doc("scales", "8-bit types: tensor is one scale of the weights; row is one "
                  "of each of their columns, and of each row of what they "
                  "multiply");
  s.doc("unit", "8-bit types, unless scales is row: what the weights multiply "
                "is kept in units of this");
}

/// Of a type that has no scales of its own choice.
inline void requireNoScales(Scales scales, std::string_view reason,
                            const char *fix) {
  require(scales == Scales::none,
          {"scales is <|", scales, "|>, expected [|none|]: ", reason}, fix);
}

/// Of MX floats: ScaledProduct adds up multiples of 128 terms.
inline void requireMxTerms(std::int64_t terms) {
  require(terms % 128 == 0,
          {"a sum of products has <|", terms,
           "|> terms, expected [|a multiple of 128|]"},
          "give a multiple of 128");
}

/// Of a type that is not quantized.
inline void requireWide(Scales scales, float unit) {
  requireNoScales(scales, "scales are for 8-bit types",
                  "choose one with --dtype");
  require(unit == 1,
          {"unit is <|", unit,
           "|>, expected [|1|]: other units are for 8-bit types"},
          "choose one with --dtype");
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_EPILOGUE_H

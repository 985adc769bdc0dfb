//===- kernel.h - Gated feed-forward layer --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SWIGLU_KERNEL_H
#define KILN_KERNELS_LINEAR_SWIGLU_KERNEL_H

#include "linear/norm_mlp/kernel.h"
#include "linear/quantized_mlp.h"

namespace kiln::kernels {

/// y[T, H] = (silu(x wg (+ bg)) * (x wu (+ bu))) wd (+ bd), with wg and wu
/// [H, I] and wd [I, H]. The gate may be a clamped one: see Gate.
template <class T> struct SwiGlu {
  BOOST_HANA_DEFINE_STRUCT(SwiGlu, (int, tokens), (int, hidden), (int, inner),
                           (float, unit), (bool, bias), (Scales, scales),
                           (GateActivation, activation));

  static SwiGlu defaults() {
    return {512, 1024, 3072, 1, false, Scales::none, GateActivation::silu};
  }
  using Biases = MlpBiases<Product<T>>;

  void describe(Signature &s) const {
    s.summary("gated feed-forward layer of a transformer");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("inner", "columns of the gate and of what it scales");
    s.doc("unit",
          "what wd multiplies is kept in units of this, for 8-bit types");
    Biases::document(s);
    s.doc("scales", "8-bit types: tensor is one scale of x, and one of each of "
                    "the weights; row is one of each row of x, and of each "
                    "column of the weights");
    Gate::document(s);
    s.argument("x", {tokens, hidden});
    weightArgument<T>(s, "wg", hidden, inner);
    weightArgument<T>(s, "wu", hidden, inner);
    weightArgument<T>(s, "wd", inner, hidden);
    const std::int64_t one = 1;
    const auto ifRow = [&](std::int64_t extent) {
      return scales == Scales::row ? extent : one;
    };
    const bool isScaled = scales != Scales::none;
    optionalArgument(s, isScaled, "x_scales", {ifRow(tokens), 1});
    optionalArgument(s, isScaled, "wg_scales", {1, ifRow(inner)});
    optionalArgument(s, isScaled, "wu_scales", {1, ifRow(inner)});
    optionalArgument(s, isScaled, "wd_scales", {1, ifRow(hidden)});
    Biases::describe(s, bias, hidden, inner);
    s.argument("y", {tokens, hidden});
    s.flops(6.0 * tokens * hidden * inner);
    s.tokens(tokens);
  }

  void operator()(In<T, 2> x, In<T, 2> wg, In<T, 2> wu, In<T, 2> wd,
                  In<f32, 2> x_scales, In<f32, 2> wg_scales,
                  In<f32, 2> wu_scales, In<f32, 2> wd_scales,
                  In<Product<T>, 1> bg, In<Product<T>, 1> bu,
                  In<Product<T>, 1> bd, Out<Product<T>, 2> y) const {
    require(unit > 0, {"unit is <|", unit, "|>, expected [|above 0|]"},
            "give 1 to keep what wd multiplies as it is");
    if constexpr (BlockedProduct<T>::bytes > 1) {
      requireWide(scales, 1);
      if (fitsOnChip())
        return onChip(x, wg, wu, wd, bg, bu, bd, y);
    } else if (scales != Scales::none) {
      requireQuantized<T>(inner, scales, unit);
      const bool isRow = scales == Scales::row;
      return multiply({tokens,
                       {wg, wg_scales, scales, 1, x_scales, !isRow},
                       {wu, wu_scales, scales, 1, x_scales, !isRow},
                       {wd, wd_scales, scales, unit},
                       {bias, bg, bu, bd},
                       {activation},
                       {.bias = bd, .hasBias = bias},
                       y},
                      {x, x_scales});
    }
    NormMlp<T> blocks{tokens, hidden,       inner, false, false,     0,
                      bias,   Scales::none, 1,     unit,  activation};
    blocks(x, In<Product<T>, 1>({}), wg, wu, wd, bg, bu, bd, y);
  }

  /// Of x with scales.
  void multiply(const QuantizedMlp<f8e4m3> &mlp,
                const EightBitWeights<f8e4m3>::Ahead &x) const {
    if (tokens > 128)
      return mlp.many(x);
    mlp.gate.withRows(x, 0, tokens, [&](const auto &rows) { mlp.few(rows); });
  }

  void onChip(In<T, 2> x, In<T, 2> wg, In<T, 2> wu, In<T, 2> wd, In<T, 1> bg,
              In<T, 1> bu, In<T, 1> bd, Out<T, 2> y) const {
    const auto add = [&](auto &sum, const In<T, 1> &its) {
      if (bias)
        sum = sum + load(its.reshape(1_c, its.dim(0)));
    };
    auto rows = load(x);
    auto scale = matmul_nn(rows, load(wg));
    add(scale, bg);
    auto gate = Gate{activation}.of(scale);
    auto up = matmul_nn(rows, load(wu));
    add(up, bu);
    auto h = Gate{activation}.withUp(
        up, [&](const auto &its) { return cast<T>(gate * its); });
    auto sum = matmul_nn(h, load(wd));
    add(sum, bd);
    store(y, sum);
  }

  /// The weights do, in 160 KiB of each of 128 partitions, or there are so few
  /// tokens that reading the weights takes most of the time.
  bool fitsOnChip() const {
    const std::int64_t bytes =
        3L * hidden * inner * isa::sizeInBytes(T::dtype) / 128;
    return bytes <= 160 * 1024 || tokens <= 256;
  }

  double kept(double value) const; // In reference.h.
  void reference(Doubles x, Doubles wg, Doubles wu, Doubles wd,
                 Doubles x_scales, Doubles wg_scales, Doubles wu_scales,
                 Doubles wd_scales, Doubles bg, Doubles bu, Doubles bd,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_KERNEL_H

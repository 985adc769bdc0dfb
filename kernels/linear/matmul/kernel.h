//===- kernel.h - Matrix product ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_KERNEL_H
#define KILN_KERNELS_LINEAR_MATMUL_KERNEL_H

#include "linear/blocked_product.h"
#include "linear/least_traffic.h"
#include "support/optional_argument.h"

namespace kiln::kernels {

/// What a product that loads its operands more than once saves: time, or loads.
KILN_CHOICES(Traffic, automatic, fastest, least)

/// c[M, N] = activation(factor * a[M, K] b[K, N] (* scales) (+ bias)) (+ r).
template <class T> struct Matmul {
  BOOST_HANA_DEFINE_STRUCT(Matmul, (int, m), (int, k), (int, n), (bool, bias),
                           (Activation, activation), (bool, residual),
                           (Scales, scales), (bool, ready), (float, factor),
                           (OutDtype, out_dtype), (Traffic, traffic));

  static Matmul defaults() { return of<Matmul>(512, 512, 512); }

  /// A product alone.
  template <class Kernel> static Kernel of(int m, int k, int n) {
    return {m,
            k,
            n,
            false,
            Activation::none,
            false,
            Scales::none,
            false,
            1.0f,
            OutDtype::inputs,
            Traffic::automatic};
  }

  /// What is the same for all element types.
  static void describeParameters(Signature &s) {
    s.summary("c = a b, and what follows it in the same pass");
    s.doc("m", "rows of a and c");
    s.doc("k", "columns of a, rows of b");
    s.doc("n", "columns of b and c");
    s.doc("bias", "add d to every row of the product");
    s.doc("activation", "function applied after the bias; gelu is exact");
    s.doc("residual", "add r to what the activation gives");
    s.doc("scales", "the product times those of a and b: for 8-bit types");
    s.doc("ready", "a is quantized ahead: for MX types");
    s.doc("factor", "multiplies the product");
    s.doc("out-dtype", "of c; inputs: that of a and b, or bf16 if they have 8 "
                       "bits or less");
    s.doc("traffic", "fastest: whatever it loads; least: few loads, for 16-bit "
                     "types from trn2 on; automatic: few for large products, "
                     "where they cost up to 4 % of the time");
  }

  void describe(Signature &s) const {
    describeParameters(s);
    s.argument("a", {m, k});
    s.argument("b", {k, n});
    describeScales(s, scales, "a_scales", m, "b_scales", n);
    optionalArgument(s, bias, "d", {n});
    optionalArgument(s, residual, "r", {m, n});
    describeOutput<Product<T>>(s, "c", {m, n}, out_dtype);
    s.flops(2.0 * m * k * n);
  }

  void operator()(In<T, 2> a, In<T, 2> b, In<f32, 2> a_scales,
                  In<f32, 2> b_scales, In<Product<T>, 1> d, In<Product<T>, 2> r,
                  Out<Product<T>, 2> c,
                  Out<OtherThan<Product<T>>, 2> other) const {
    require(!ready, "ready is for MX types", "choose one with --dtype");
    if constexpr (BlockedProduct<T>::bytes != 1)
      requireNoScales(scales, "scales are for 8-bit types",
                      "choose one with --dtype");
    const Epilogue<Product<T>> after{.bias = d,
                                     .hasBias = bias,
                                     .activation = activation,
                                     .residual = r,
                                     .hasResidual = residual,
                                     .scales = scales,
                                     .xScales = a_scales,
                                     .wScales = b_scales,
                                     .factor = factor,
                                     .other = other,
                                     .hasOther =
                                         isOther<Product<T>>(out_dtype)};
    if (traffic == Traffic::least ||
        (traffic == Traffic::automatic && isHeavy()))
      withLeastTraffic(a, b, after, c);
    else
      BlockedProduct<T>{a, b, after, c}.run();
  }

  /// Few loads of such a product take about as long as many. Epilogues take
  /// longer where columns change: they are no part of it.
  bool isHeavy() const {
    return BlockedProduct<T>::bytes == 2 &&
           target().generation != nc::Generation::v2 && !bias && !residual &&
           activation == Activation::none && LeastTraffic<T>::suits(m, k, n);
  }

  void withLeastTraffic(const In<T, 2> &a, const In<T, 2> &b,
                        const Epilogue<Product<T>> &after,
                        const Out<Product<T>, 2> &c) const {
    require(BlockedProduct<T>::bytes == 2 &&
                target().generation != nc::Generation::v2,
            "traffic is <|least|>, expected [|automatic or fastest|]: "
            "transfers transpose "
            "only 16-bit types, from trn2 on",
            "leave out traffic");
    if constexpr (BlockedProduct<T>::bytes == 2) {
      require(k <= LeastTraffic<T>::longestK,
              {"k is <|", k, "|>, expected [|at most ",
               LeastTraffic<T>::longestK, "|]: 128 rows of a must fit on chip"},
              "leave out traffic");
      LeastTraffic<T>{a, b, after, c}.run();
    }
  }

  void reference(Doubles a, Doubles b, Doubles a_scales, Doubles b_scales,
                 Doubles d, Doubles r, Doubles c,
                 Doubles other) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_KERNEL_H

//===- values.cpp - Kernels whose data have something to say --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

/// exp(inf) - inf is NaN.
struct Difference {
  BOOST_HANA_DEFINE_STRUCT(Difference, (int, cols));
  static Difference defaults() { return {64}; }
  void describe(Signature &s) const {
    s.argument("x", {128, cols});
    s.argument("y", {128, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = load(x);
    auto u = exp(t);
    store(y, u - t); // The first NaN.
  }
};
KILN_EXPORT(difference, Difference)

/// A cast to a small type.
template <class T> struct Narrowed {
  BOOST_HANA_DEFINE_STRUCT(Narrowed, (int, cols));
  static Narrowed defaults() { return {64}; }
  void describe(Signature &s) const {
    s.argument("x", {128, cols});
    s.argument("y", {128, cols});
  }
  void operator()(In<f32, 2> x, Out<T, 2> y) const {
    store(y, cast<T>(load(x)));
  }
};
KILN_EXPORT(narrowed, Narrowed<f8e4m3>, Narrowed<f8e5m2>, Narrowed<bf16>)

/// MX blocks of 8 lanes and 4 rows.
struct Blocks {
  BOOST_HANA_DEFINE_STRUCT(Blocks, (int, cols));
  static Blocks defaults() { return {64}; }
  void describe(Signature &s) const {
    s.argument("x", {128, cols});
    s.argument("scales", {4, cols});
    s.argument("y", {32, cols});
  }
  void operator()(In<bf16, 2> x, Out<f8e8m0, 2> scales,
                  Out<f8e4m3fn_x4, 2> y) const {
    auto part = quantize_mx<f8e4m3fn_x4>(load(x));
    store(y, part.data);
    store(scales, part.scales);
  }
};
KILN_EXPORT(blocks, Blocks)

/// A whole square of scores, half of which a causal mask hides.
struct Causal {
  BOOST_HANA_DEFINE_STRUCT(Causal, (float, hidden));
  static Causal defaults() { return {-30000}; }
  void describe(Signature &s) const {
    s.argument("q", {128, 128});
    s.argument("k", {128, 128});
    s.argument("v", {128, 64});
    s.argument("y", {128, 64});
  }
  void operator()(In<bf16, 2> q, In<bf16, 2> k, In<bf16, 2> v,
                  Out<f32, 2> y) const {
    auto s = matmul(load_transposed(q), load_transposed(k)) * 0.05;
    auto p = exp(keep(s, row_at(0) >= col_at(0), hidden));
    auto weights = cast<bf16>(p / row_sum(p));
    store(y, matmul(transpose(weights), load(v)));
  }
};
KILN_EXPORT(causal, Causal)

//===- products.cpp - What TensorE does ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel.h"

// Products.

template <class T> struct Product {
  BOOST_HANA_DEFINE_STRUCT(Product, (int, m), (int, k), (int, n), (int, times));
  static Product defaults() { return {128, 128, 512, 64}; }
  void describe(Signature &s) const {
    s.argument("a", {k, m});
    s.argument("b", {k, n});
    s.argument("y", {m, n});
  }
  void operator()(In<T, 2> a, In<T, 2> b, Out<f32, 2> y) const {
    auto left = load(a);
    auto right = load(b);
    auto sum = psum<f32>(m, n);
    for (int i = 0; i < times; ++i)
      nc::nc_matmul(sum, left, right, {.accumulate = i > 0});
    store(y, sum);
  }
};
KILN_EXPORT(product, Product<bf16>, Product<f32>)

struct PeTransposes {
  KERNEL(PeTransposes, bf16, 128, 512, 128, 512) {
    auto t = load(x);
    auto p = psum<f32>(128_c, 512_c);
    auto q = psum<bf16>(128_c, 512_c);
    for (int i = 0; i < 64; ++i) {
      if (!good)
        nc::nc_transpose(q.cols(i % 4, 128_c), t.cols(i % 4, 128_c));
      nc::nc_matmul(p, t.cols(i % 4, 128_c), t, {.accumulate = i > 0});
    }
    if (good)
      store(y, cast<bf16>(p));
    else
      store(y, cast<bf16>(p + q));
  }
};
KILN_EXPORT(pe_transposes, PeTransposes)

struct ShortStationary {
  KERNEL(ShortStationary, f32, 128, 512, 128, 512) {
    // Ones sum up rows, exactly. Loading them takes as long as 128 columns.
    auto ones = sbuf<f32>(128_c, 128_c);
    nc::memset(ones, 1.0);
    auto t = load(x);
    auto p = psum<f32>(128_c, 512_c);
    const int n = good ? 512 : 64;
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 512 / n; ++j)
        nc::nc_matmul(p.cols(j, n), ones, t.cols(j, n),
                      {.accumulate = i > 0, .is_stationary_onezero = true});
    store(y, p);
  }
};
KILN_EXPORT(short_stationary, ShortStationary)

struct ColdPe {
  KERNEL(ColdPe, bf16, 128, 4096, 128, 512) {
    auto t = sbuf<bf16>(128_c, 4096_c);
    nc::dma_copy(t, x);
    auto p = psum<f32>(128_c, 512_c);
    if (good) { // Nobody uses these; the load is under way.
      auto zero = sbuf<bf16>(128_c, 512_c);
      auto q = psum<f32>(128_c, 512_c);
      nc::memset(zero, 0.0);
      for (int i = 0; i < 10; ++i)
        nc::nc_matmul(q, zero.cols(0, 128_c), zero);
    }
    for (int i = 0; i < 8; ++i)
      nc::nc_matmul(p, t.cols(0, 128_c), t.cols(i, 512_c),
                    {.accumulate = i > 0});
    store(y, cast<bf16>(p));
  }
};
KILN_EXPORT(cold_pe, ColdPe)

struct SingleRow {
  KERNEL(SingleRow, f8e4m3, 128, 1024, 128, 512) {
    // 128 rows of K by pairs in 64 partitions, or one by one in 128.
    auto t = load(x);
    auto p = psum<f32>(128_c, 512_c);
    auto a = t.rows_at(0, 64_c).cols_at(0, 256_c);
    auto b = t.rows_at(0, 64_c);
    for (int i = 0; i < 64; ++i)
      if (good)
        nc::nc_matmul(p, a.reshape(64_c, 2_c, 128_c),
                      b.reshape(64_c, 2_c, 512_c),
                      {.accumulate = i > 0,
                       .perf_mode = nc::PerformanceMode::double_row});
      else
        for (int half : {0, 1})
          nc::nc_matmul(p, t.rows_at(64 * half, 64_c).cols_at(0, 128_c),
                        t.rows_at(64 * half, 64_c).cols_at(0, 512_c),
                        {.accumulate = i + half > 0});
    store(y, cast<f8e4m3>(p));
  }
};
KILN_EXPORT(single_row, SingleRow)

struct Padding {
  BOOST_HANA_DEFINE_STRUCT(Padding, (bool, good));
  static Padding defaults() { return {false}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 512});
    s.argument("y", {128, 512});
    s.flops(32 * 2.0 * 128 * 128 * 512);
  }
  void operator()(In<bf16, 2> x, Out<bf16, 2> y) const {
    auto t = load(x);
    auto p = psum<f32>(128_c, 512_c);
    // Half of the products are of blocks that a mask hides.
    for (int i = 0; i < (good ? 32 : 64); ++i)
      nc::nc_matmul(p, t.cols(i % 4, 128_c), t, {.accumulate = i > 0});
    store(y, cast<bf16>(p));
  }
};
KILN_EXPORT(padding, Padding)

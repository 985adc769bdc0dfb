//===- kernels.cpp - Kernels for complaints.py ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small ones, each about one complaint. `HERE` marks the line that a message
// must name.
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

#ifndef FACTOR
#define FACTOR 2.0
#endif

#define KERNEL(Name, ...)                                                      \
  BOOST_HANA_DEFINE_STRUCT(Name, (int, rows));                                 \
  static Name defaults() { return {128}; }                                     \
  void describe(Signature &s) const {                                          \
    s.argument("x", {rows, 256});                                              \
    s.argument("n", {1, 4});                                                   \
    s.argument("y", {rows, 256});                                              \
  }                                                                            \
  void operator()(In<f32, 2> x, In<i32, 2> n, Out<f32, 2> y) const

struct DynamicLoops {
  KERNEL(DynamicLoops) {
    auto sum = sbuf<f32>(128_c, 256_c);
    sum = zeros<f32>(128, 256);
    const Index outer = nc::register_load(n.cols_at(0, 1_c));
    loop("outer", min(outer, 4), [&](Index) {
      const Index inner = nc::register_load(n.cols_at(1, 1_c));
      loop("inner", inner, [&](Index) { sum = sum + load(x); });
    });
    store(y, sum);
  }
};
KILN_EXPORT(dynamic_loops, DynamicLoops)

struct DynamicSbuf {
  KERNEL(DynamicSbuf) {
    auto t = load(x);
    auto out = sbuf<f32>(128_c, 256_c);
    out = zeros<f32>(128, 256);
    loop("i", min(nc::register_load(n.cols_at(0, 1_c)), 4), [&](Index i) {
      out.cols(3 - i, 64) = t.cols(i, 64) * 2.0;
    });
    store(y, out);
  }
};
KILN_EXPORT(dynamic_sbuf, DynamicSbuf)

struct UnboundedSbuf {
  KERNEL(UnboundedSbuf) {
    auto t = load(x);
    store(y.cols(0, 64), t.cols(nc::register_load(n.cols_at(0, 1_c)), 64)); // HERE unbounded_sbuf
  }
};
KILN_EXPORT(unbounded_sbuf, UnboundedSbuf)

struct Overflow {
  KERNEL(Overflow) {
    auto first = sbuf<f32>(128_c, 20000_c); // HERE overflow
    auto second = sbuf<f32>(128_c, 25000_c); // HERE overflow
    auto third = sbuf<f32>(128_c, 15000_c); // HERE overflow
    nc::memset(first, 1.0);
    nc::memset(second, 1.0);
    nc::memset(third, 1.0);
    store(y, first.cols_at(0, 256) + second.cols_at(0, 256) + third.cols_at(0, 256));
  }
};
KILN_EXPORT(overflow, Overflow)

struct FitsTrn2 {
  KERNEL(FitsTrn2) {
    auto wide = sbuf<f32>(128_c, 50000_c);
    nc::memset(wide, 1.0);
    store(y, wide.cols_at(0, 256));
  }
};
KILN_EXPORT(fits_trn2, FitsTrn2)

template <bool isLarge> struct Bounds {
  KERNEL(Bounds) {
    if (isLarge)
      loop("before", 3, [&](Index) {
        auto t = softmax(load(x));
        store(y, exp(t) + row_sum(t));
      });
    auto table = load(x.rows_at(nc::register_load(n.cols_at(0, 1_c)), 1)); // HERE bounds
    store(y, broadcast_to(table, 128, 256));
    if (isLarge)
      store(y, load(x) * 2.0);
  }
};
KILN_EXPORT(bounds_alone, Bounds<false>)
KILN_EXPORT(bounds_inside, Bounds<true>)

struct Zeros {
  KERNEL(Zeros) {
    // No shape matches: nothing is stored.
    if (rows == 64)
      store(y, load(x));
  }
};
KILN_EXPORT(zeros, Zeros)

struct Context {
  KERNEL(Context) { wrong(x, y); }
  static void wrong(auto x, auto y) {
    store(y, matmul(load(x), load(x.rows_at(0, 64)))); // HERE context
  }
};
KILN_EXPORT(context_alone, Context)
struct ContextDeep {
  KERNEL(ContextDeep) {
    scope outer("outer");
    auto kept = load(x);
    loop("i", 3, [&](Index) {
      loop("j", 2, [&](Index) {
        kept = kept + 1.0;
        Context::wrong(x, y);
      });
    });
    store(y, kept);
  }
};
KILN_EXPORT(context_deep, ContextDeep)

template <int depth> auto through(auto tile) {
  if constexpr (depth == 0)
    return tile * FACTOR;
  else
    return through<depth - 1>(tile);
}
template <int depth> struct Calls {
  KERNEL(Calls) { store(y, through<depth>(load(x))); }
};
KILN_EXPORT(calls_1, Calls<1>)
KILN_EXPORT(calls_200, Calls<200>)

// One temporary for all iterations, while transfers of the last are under way.
struct Reused {
  KERNEL(Reused) {
    auto buffer = sbuf<f32>(128_c, 64_c);
    loop("i", 4, [&](Index i) {
      nc::dma_copy(buffer, x.cols(i, 64_c));
      nc::activation(buffer, nc::ActivationFunction::square, buffer);
      nc::dma_copy(y.cols(i, 64_c), buffer);
    });
  }
};
KILN_EXPORT(reused, Reused)

struct Reshaped {
  KERNEL(Reshaped) {
    auto t = copy(load(x).reshape(128, 16, 16).permute(0, 2, 1));
    store(y, t.reshape(128, 256) + 0.0);
  }
};
KILN_EXPORT(reshaped, Reshaped)

// It reads what it wrote.
struct TwoRings {
  BOOST_HANA_DEFINE_STRUCT(TwoRings, (int, rows));
  static TwoRings defaults() { return {128}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 256});
    s.argument("y", {rows, 256});
  }
  void operator()(In<f32, 2> x, InOut<f32, 2> y) const {
    loop("a", 4, [&](Index i) {
      auto in = sbuf<f32>(128_c, 64_c, ring<3>);
      nc::dma_copy(in, x.cols(i, 64_c));
      store(y.cols(i, 64), in * 3.0);
    });
    loop("b", 4, [&](Index i) {
      auto in = sbuf<f32>(128_c, 64_c, ring<2>);
      nc::dma_copy(in, y.cols(i, 64_c));
      store(y.cols(i, 64), in + load(x.cols(i, 64)));
    });
  }
};
KILN_EXPORT(two_rings, TwoRings)

struct Hangs {
  KERNEL(Hangs) {
    const Semaphore never = semaphore("never");
    auto t = sbuf<f32>(128_c, 256_c);
    nc::dma_copy(t, x).wait(never); // HERE hangs
    nc::dma_copy(y, t);
  }
};
KILN_EXPORT(hangs, Hangs)

struct Narrow {
  KERNEL(Narrow) {
    auto t = cast<bf16>(load(x));
    store(y, cast<f32>(cast<bf16>(t * t)) + cast<f32>(cast<bf16>(1.0 + t)));
  }
};
KILN_EXPORT(narrow, Narrow)

struct PlusEquals {
  KERNEL(PlusEquals) {
    auto sum = zeros<f32>(128, 256);
    loop("i", 3, [&](Index i) {
      auto term = load(x) * 2.0;
      loop("j", 2, [&](Index) { sum = sum + term; });
    });
    store(y, sum);
  }
};
KILN_EXPORT(plus_equals, PlusEquals)

struct Nested {
  KERNEL(Nested) {
    auto t = sbuf<f32>(128_c, 64_c);
    loop("i", 2, [&](Index i) {
      nc::dma_copy(t, x.cols(i, 64_c));
      loop("j", 2, [&](Index j) {
        auto u = t * 2.0;
        loop("k", 0, [&](Index) { u = u + 1.0; });
        t = u + 1.0;
        store(y.cols(i * 2 + j, 64), t);
      });
    });
  }
};
KILN_EXPORT(nested, Nested)

struct Reduced {
  KERNEL(Reduced) {
    const auto part = rows / num_programs(), first = program_id() * part;
    auto mine = sbuf<f32>(part, 256), total = sbuf<f32>(part, 256);
    nc::dma_copy(mine, x.rows_at(first, part));
    nc::all_reduce(mine, total, nc::ranks_to(2), nc::AluOp::add);
    nc::dma_copy(y.rows_at(first, part), total);
  }
};
KILN_EXPORT(reduced, Reduced)

struct Unrolled {
  KERNEL(Unrolled) {
    auto t = load(x);
    for (int i = 0; i < 2000; ++i)
      t = {min(t + 0.5 * t, 3.0)};
    store(y, t);
  }
};
KILN_EXPORT(unrolled, Unrolled)

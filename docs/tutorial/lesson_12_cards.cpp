//===- lesson_12_cards.cpp - Lesson 12: from slow to fast -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

/// softmax of every row, as an array library computes it: one loop per
/// operation. Each step applies the advice of one card to the step before it.
struct SlowSoftmax {
  BOOST_HANA_DEFINE_STRUCT(SlowSoftmax, (int, rows), (int, cols), (int, step));
  static SlowSoftmax defaults() { return {4096, 2048, 0}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
  }
  void operator()(In<bf16, 2> x, Out<bf16, 2> y) const {
    if (step < 2)
      threeLoops(x, y, step == 0 ? 32 : 128);
    else
      oneLoop(x, y);
  }

  void threeLoops(In<bf16, 2> x, Out<bf16, 2> y, int n) const {
    auto most = hbm<f32>("most", rows, 1);
    auto powers = hbm<f32>("powers", rows, cols);
    loop("max", rows / n, [&](Index r) {
      auto t = load(x.rows(r, n));
      store(most.rows(r, n), row_max(t));
    });
    loop("exp", rows / n, [&](Index r) {
      store(powers.rows(r, n), exp(load(x.rows(r, n)) - load(most.rows(r, n))));
    });
    loop("divide", rows / n, [&](Index r) {
      auto e = load(powers.rows(r, n));
      store(y.rows(r, n), cast<bf16>(e / row_sum(e)));
    });
  }

  void oneLoop(In<bf16, 2> x, Out<bf16, 2> y) const {
    loop("rows", rows / 128, [&](Index r) {
      auto t = load(x.rows(r, 128));
      auto e = exp(t - row_max(t));
      store(y.rows(r, 128), cast<bf16>(e / row_sum(e)));
    });
  }
};
KILN_EXPORT(slow_softmax, SlowSoftmax)

/// Attention of one head, at first from three kernels in one.
struct SlowAttention {
  BOOST_HANA_DEFINE_STRUCT(SlowAttention, (int, length), (int, step));
  static SlowAttention defaults() { return {2048, 0}; }
  static constexpr int dim = 128;
  static constexpr double scale = 0.08838834764831845; // 1 / sqrt(dim)
  void describe(Signature &s) const {
    for (const char *name : {"q", "k", "v", "o"})
      s.argument(name, {length, dim});
    s.flops(4.0 * length * length * dim);
  }
  void operator()(In<bf16, 2> q, In<bf16, 2> k, In<bf16, 2> v,
                  Out<bf16, 2> o) const {
    if (step == 0)
      threeLoops<f32>(q, k, v, o);
    else if (step == 1)
      threeLoops<bf16>(q, k, v, o);
    else if (step == 2)
      largeLoads(q, k, v, o);
    else
      oneLoop(q, k, v, o);
  }

  template <class T> void scoresOf(In<bf16, 2> q, In<bf16, 2> k, auto s) const {
    loop("scores", length / 128, [&](Index i) {
      auto qT = load_transposed(q.rows(i, 128));
      loop("keys", length / 512, [&](Index j) {
        auto product = matmul(qT, load_transposed(k.rows(j, 512)));
        store(s.rows(i, 128).cols(j, 512), cast<T>(product * scale));
      });
    });
  }
  template <class T> void softmaxOf(auto s, auto p) const {
    loop("softmax", length / 128, [&](Index i) {
      auto t = load(s.rows(i, 128));
      auto e = exp(t - row_max(t));
      store(p.rows(i, 128), cast<T>(e / row_sum(e)));
    });
  }

  template <class T>
  void threeLoops(In<bf16, 2> q, In<bf16, 2> k, In<bf16, 2> v,
                  Out<bf16, 2> o) const {
    auto s = hbm<T>("scores", length, length);
    auto p = hbm<T>("weights", length, length);
    scoresOf<T>(q, k, s);
    softmaxOf<T>(s, p);
    loop("values", length / 128, [&](Index i) {
      auto sum = zeros<f32>(128, dim);
      loop("keys", length / 128, [&](Index j) {
        auto w = load(p.rows(i, 128).cols(j, 128));
        sum = sum + matmul(transpose(w), cast<T>(load(v.rows(j, 128))));
      });
      store(o.rows(i, 128), cast<bf16>(sum));
    });
  }

  void largeLoads(In<bf16, 2> q, In<bf16, 2> k, In<bf16, 2> v,
                  Out<bf16, 2> o) const {
    auto s = hbm<bf16>("scores", length, length);
    auto p = hbm<bf16>("weights", length, length);
    scoresOf<bf16>(q, k, s);
    softmaxOf<bf16>(s, p);
    auto values = load(v);
    loop("values", length / 128, [&](Index i) {
      auto w = load(p.rows(i, 128));
      store(o.rows(i, 128), cast<bf16>(matmul(transpose(w), values)));
    });
  }

  void oneLoop(In<bf16, 2> q, In<bf16, 2> k, In<bf16, 2> v,
               Out<bf16, 2> o) const {
    const int block = 512;
    loop("q", length / 128, [&](Index i) {
      auto qT = load_transposed(q.rows(i, 128));
      auto m = full<f32>(-1e30, 128, 1);
      auto l = zeros<f32>(128, 1);
      auto sum = zeros<f32>(128, dim);
      loop("keys", length / block, [&](Index j) {
        auto s = matmul(qT, load_transposed(k.rows(j, block)));
        auto next = max(m, scale * row_max(s));
        auto p = cast<bf16>(exp(scale * s - next));
        auto alpha = exp(m - next);
        l = alpha * l + row_sum(p);
        sum = alpha * sum + matmul(transpose(p), load(v.rows(j, block)));
        m = next;
      });
      store(o.rows(i, 128), cast<bf16>(sum / l));
    });
  }
};
KILN_EXPORT(slow_attention, SlowAttention)

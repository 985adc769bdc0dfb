//===- lesson_10_order.cpp - Lesson 10: order -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

/// y = 2 x, where the program says what waits for what.
struct Relay {
  BOOST_HANA_DEFINE_STRUCT(Relay, (int, blocks), (int, credit));
  static Relay defaults() { return {4, 2}; }
  void describe(Signature &s) const {
    s.summary("y = 2 x, at most `credit` blocks ahead");
    s.argument("x", {128 * blocks, 64});
    s.argument("y", {128 * blocks, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const Semaphore loaded = semaphore("loaded"), free = semaphore("free");
    nc::semaphore_signal(nc::Engine::vector, free, credit);
    loop("block", blocks, [&](Index i) {
      auto in = sbuf<f32>(128_c, 64_c), out = sbuf<f32>(128_c, 64_c);
      nc::dma_copy(in, x.rows(i, 128_c)).wait(free).signal(loaded);
      nc::tensor_scalar(out, in, nc::AluOp::multiply, 2.0,
                        {.engine = nc::Engine::vector})
          .wait(loaded)
          .signal(free);
      store(y.rows(i, 128_c), out);
    });
    nc::semaphore_wait(nc::Engine::sync, free, credit);
  }
};
KILN_EXPORT(relay, Relay)

/// The load of b waits for a, although no data passes between them.
struct After {
  BOOST_HANA_DEFINE_STRUCT(After, (int, cols));
  static After defaults() { return {64}; }
  void describe(Signature &s) const {
    s.summary("two loads, one after the other");
    s.argument("x", {256, cols});
    s.argument("y", {128, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto a = load(x.rows(0, 128_c));
    auto b = load(x.rows(1, 128_c)).after(a);
    {
      no_reorder keep;
      auto sum = a + b;
      store(y, sum);
    }
  }
};
KILN_EXPORT(after, After)

/// Takes a token that nothing has signalled yet.
struct Stuck {
  BOOST_HANA_DEFINE_STRUCT(Stuck, (int, cols));
  static Stuck defaults() { return {64}; }
  void describe(Signature &s) const {
    s.summary("does not compile: it would wait for ever");
    s.argument("x", {128, cols});
    s.argument("y", {128, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const Semaphore ready = semaphore("ready");
    nc::semaphore_wait(nc::Engine::vector, ready);
    store(y, load(x));
    nc::semaphore_signal(nc::Engine::scalar, ready);
  }
};
KILN_EXPORT(stuck, Stuck)

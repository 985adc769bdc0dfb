//===- lesson_10_order.cpp - Tutorial, lesson 10 --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/kiln.h"
#include "kiln/record.h"
#include "kiln/sim/executor.h"
#include "lesson.h"

#include <cstring>

using namespace kiln;

/// y = 2 x, where the program says who waits for whom.
struct Relay {
  BOOST_HANA_DEFINE_STRUCT(Relay, (int, blocks), (int, credit));
  void describe(Signature &s) const {
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

/// The load of b waits for a, though nothing flows between them.
struct After {
  BOOST_HANA_DEFINE_STRUCT(After, (int, unused));
  void describe(Signature &s) const {
    s.argument("x", {256, 64});
    s.argument("y", {128, 64});
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

struct Stuck {
  BOOST_HANA_DEFINE_STRUCT(Stuck, (int, unused));
  void describe(Signature &s) const {
    s.argument("x", {128, 64});
    s.argument("y", {128, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const Semaphore ready = semaphore("ready");
    nc::semaphore_wait(nc::Engine::vector, ready);
    store(y, load(x));
    nc::semaphore_signal(nc::Engine::scalar, ready);
  }
};

int main() {
  const auto compiled = compiler::compile(record(Relay{4, 2}, "relay"));
  lesson::expect(compiled.module.has_value(), "it compiles");
  std::vector<float> x(4 * 128 * 64, 1.5f);
  std::vector<std::uint8_t> bytes(x.size() * sizeof(float));
  std::memcpy(bytes.data(), x.data(), bytes.size());
  const sim::Result result =
      sim::run(*compiled.module, isa::trn2, {{"x", bytes}}, {});
  lesson::expect(!result.fault, "it runs");
  float first = 0;
  std::memcpy(&first, result.outputs[0].bytes.data(), sizeof first);
  lesson::expect(first == 3, "2 * 1.5");

  // Who takes a token that nobody has given would wait for ever.
  const auto stuck = compiler::compile(record(Stuck{0}, "stuck"));
  lesson::expect(!stuck.ok() && stuck.diagnostics[0].code == "KILN-C121",
                 "the compiler says so");
  std::cout << stuck.diagnostics[0].str() << '\n';
  lesson::expect(compiler::compile(record(After{0}, "after")).ok(),
                 "the promises are kept");
}

//===- OrderTest.cpp - Semaphores and order from the language to the run --===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/compile.h"
#include "kiln/isa/limits.h"
#include "kiln/isa/target.h"
#include "kiln/kiln.h"
#include "kiln/record.h"
#include "kiln/sim/executor.h"

#include <cstring>
#include <map>

namespace kiln::test::order_test {

namespace {

/// y = 2 x by blocks of 128 rows, passed from stream to stream by semaphores,
/// with at most `ahead` blocks loaded in advance.
struct Handshake {
  BOOST_HANA_DEFINE_STRUCT(Handshake, (int, blocks), (int, ahead));
  void describe(Signature &s) const {
    s.argument("x", {128 * blocks, 64});
    s.argument("y", {128 * blocks, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const Semaphore loaded = semaphore("loaded");
    const Semaphore doubled = semaphore("doubled");
    const Semaphore credit = semaphore("credit");
    nc::semaphore_signal(nc::Engine::gpsimd, credit, ahead);
    loop("block", blocks, [&](Index i) {
      auto in = sbuf<f32>(128_c, 64_c), out = sbuf<f32>(128_c, 64_c);
      nc::dma_copy(in, x.rows(i, 128_c), {.engine = nc::Engine::sync})
          .wait(credit)
          .signal(loaded, 2);
      nc::tensor_scalar(out, in, nc::AluOp::multiply, 2.0,
                        {.engine = nc::Engine::vector})
          .wait(loaded, 2)
          .signal(doubled);
      nc::dma_copy(y.rows(i, 128_c), out, {.engine = nc::Engine::gpsimd})
          .wait(doubled)
          .signal(credit);
    });
    nc::semaphore_wait(nc::Engine::sync, credit, ahead);
  }
};

/// Independent work with every kind of promise: at tile level and below, in a
/// loop, across one, from and to transfers.
struct Promises {
  BOOST_HANA_DEFINE_STRUCT(Promises, (int, blocks));
  void describe(Signature &s) const {
    s.argument("x", {128 * blocks, 64});
    s.argument("y", {128 * blocks, 64});
    s.argument("z", {128, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y, Out<f32, 2> z) const {
    auto first = load(x.rows_at(0, 128_c));
    auto kept = sbuf<f32>(128_c, 64_c);
    auto cleared =
        nc::memset(kept, 1.0, {.engine = nc::Engine::gpsimd}).after(first);
    loop("block", blocks, [&](Index i) {
      no_reorder order;
      auto a = load(x.rows(i, 128_c)).after(cleared);
      auto scratch = sbuf<f32>(128_c, 64_c);
      auto b = nc::memset(scratch, 0.0, {.engine = nc::Engine::vector});
      auto c = load(x.rows(i, 128_c)).after(b);
      loop("inner", 2, [&](Index) {
        nc::memset(scratch, 3.0, {.engine = nc::Engine::gpsimd}).after(b);
      });
      store(y.rows(i, 128_c), a + c).after(b);
    });
    store(z, first + kept);
  }
};

/// The product becomes part of the activation.
struct Merged {
  BOOST_HANA_DEFINE_STRUCT(Merged, (int, unused));
  void describe(Signature &s) const {
    s.argument("x", {128, 64});
    s.argument("y", {128, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = 2.0 * load(x);
    store(y, exp(t)).after(t);
  }
};

/// Gives ten tokens a trip: in all more than a counter holds.
struct Many {
  BOOST_HANA_DEFINE_STRUCT(Many, (int, trips));
  void describe(Signature &s) const {
    s.argument("x", {128, 64});
    s.argument("y", {128, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const Semaphore many = semaphore("many");
    loop("i", trips, [&](Index) {
      nc::semaphore_signal(nc::Engine::scalar, many, 10);
      nc::semaphore_wait(nc::Engine::vector, many, 10);
    });
    store(y, load(x));
  }
};

template <class T> std::vector<std::uint8_t> bytesOf(std::vector<T> values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
std::vector<float> valuesOf(const sim::TensorData &tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

template <class Kernel>
compiler::CompileResult compiled(const Kernel &kernel,
                                 const std::string &target = "trn2") {
  compiler::CompileOptions options;
  options.target = *isa::findTarget(target);
  return compiler::compile(record(kernel, "order"), options);
}
template <class Kernel>
isa::Module moduleOf(const Kernel &kernel, const std::string &target) {
  const compiler::CompileResult result = compiled(kernel, target);
  for (const auto &diagnostic : result.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(result.module);
  return *result.module;
}

std::vector<float> numbers(std::size_t count) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i % 1013) * 0.5f;
  return x;
}

sim::Result run(const isa::Module &module, const std::string &target,
                const std::vector<float> &x, std::uint64_t seed = 0) {
  sim::Options options;
  options.interleaveSeed = seed;
  return sim::run(module, *isa::findTarget(target), {{"x", bytesOf(x)}},
                  options);
}

/// Tokens of the kernel's own that instructions wait for, by semaphore.
std::map<unsigned, unsigned> ownWaits(const isa::Module &module) {
  std::map<unsigned, unsigned> waits;
  for (const auto &stream : module.streams)
    for (const isa::Instruction &instruction : stream)
      for (const isa::Wait &wait : instruction.waits)
        if (wait.semaphore >= isa::numSemaphores - isa::userSemaphores)
          waits[wait.semaphore] += wait.value;
  return waits;
}

template <class Body> struct Around {
  BOOST_HANA_DEFINE_STRUCT(Around, (int, unused));
  const Body *body = nullptr;
  void describe(Signature &s) const {
    s.argument("x", {128, 64});
    s.argument("y", {128, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    (*body)();
    store(y, load(x));
  }
};

/// Expects an error of the user's, with this code, in this file.
template <class Body>
void expectError(const char *code, const char *words, const Body &body,
                 std::source_location where = std::source_location::current()) {
  Around<Body> kernel{};
  kernel.body = &body;
  const compiler::CompileResult result = compiled(kernel);
  REQUIRE(!result.diagnostics.empty());
  const isa::Diagnostic &error = result.diagnostics.front();
  INFO(error.str());
  CHECK(result.fault == compiler::Fault::user);
  CHECK(error.code == code);
  CHECK(error.text.find(words) != std::string::npos);
  if (!error.file.empty()) {
    CHECK(error.file == where.file_name());
    CHECK(error.line >= where.line());
    CHECK(error.line <= where.line() + 12);
  }
}

} // namespace

TEST_CASE("semaphores of the kernel's own pass blocks on", "[small]") {
  for (const char *target : {"trn1", "trn2", "trn3"})
    for (int ahead : {1, 2, 5}) {
      const Handshake kernel{6, ahead};
      const isa::Module module = moduleOf(kernel, target);
      const auto own = static_cast<unsigned>(ahead);
      CHECK(ownWaits(module) ==
            std::map<unsigned, unsigned>{{224, 2}, {225, 1}, {226, 1 + own}});
      const std::vector<float> x = numbers(6 * 128 * 64);
      for (std::uint64_t seed : {0, 1, 2, 3}) {
        INFO(target << " ahead " << ahead << " seed " << seed);
        const sim::Result result = run(module, target, x, seed);
        if (result.fault)
          UNSCOPED_INFO(result.fault->code << " " << result.fault->text);
        REQUIRE(!result.fault);
        const std::vector<float> y = valuesOf(result.outputs.at(0));
        for (std::size_t i = 0; i < y.size(); ++i)
          if (y[i] != 2 * x[i])
            FAIL("element " << i << " is " << y[i]);
      }
    }
}

TEST_CASE("the executor sees a signal that is missing", "[small]") {
  isa::Module module = moduleOf(Handshake{3, 1}, "trn2");
  for (auto &stream : module.streams)
    for (isa::Instruction &instruction : stream)
      std::erase_if(instruction.signals, [](const isa::Signal &signal) {
        return signal.semaphore == 225;
      });
  const sim::Result result = run(module, "trn2", numbers(3 * 128 * 64));
  REQUIRE(result.fault);
  INFO(result.fault->text);
  CHECK(result.fault->kind == sim::FaultKind::deadlock);
}

TEST_CASE("a stream that gives cannot run ahead of the counter", "[small]") {
  const isa::Module module = moduleOf(Many{7000}, "trn2");
  for (std::uint64_t seed : {0, 1}) {
    const sim::Result result = run(module, "trn2", numbers(128 * 64), seed);
    if (result.fault)
      UNSCOPED_INFO(result.fault->code << " " << result.fault->text);
    CHECK(!result.fault);
  }
}

TEST_CASE("promises are kept and change no value", "[small]") {
  for (const char *target : {"trn1", "trn2", "trn3"})
    for (int blocks : {1, 2, 5}) {
      const isa::Module module = moduleOf(Promises{blocks}, target);
      const std::vector<float> x =
          numbers(static_cast<std::size_t>(blocks) * 128 * 64);
      for (std::uint64_t seed : {0, 1, 2}) {
        INFO(target << " blocks " << blocks << " seed " << seed);
        const sim::Result result = run(module, target, x, seed);
        if (result.fault)
          UNSCOPED_INFO(result.fault->code << " " << result.fault->text);
        REQUIRE(!result.fault);
        const std::vector<float> y = valuesOf(result.outputs.at(0));
        for (std::size_t i = 0; i < y.size(); ++i)
          if (y[i] != 2 * x[i])
            FAIL("element " << i << " is " << y[i]);
        const std::vector<float> z = valuesOf(result.outputs.at(1));
        for (std::size_t i = 0; i < z.size(); ++i)
          if (z[i] != x[i] + 1)
            FAIL("element " << i << " is " << z[i]);
      }
    }
}

TEST_CASE("protocols that cannot work are told with their line", "[small]") {
  using nc::Engine;
  expectError("KILN-C121", "waits for 3 tokens of semaphore \"s\"", [] {
    const Semaphore s = semaphore("s");
    nc::semaphore_signal(Engine::scalar, s, 2);
    nc::semaphore_wait(Engine::vector, s, 3);
  });
  // Two streams that wait for each other: one wait is written first.
  expectError("KILN-C121", "would wait forever", [] {
    const Semaphore a = semaphore("a"), b = semaphore("b");
    nc::semaphore_wait(Engine::vector, a).signal(b);
    nc::semaphore_wait(Engine::scalar, b).signal(a);
  });
  expectError("KILN-C120", "semaphore \"s\" ends with 1 token", [] {
    const Semaphore s = semaphore("s");
    nc::semaphore_signal(Engine::scalar, s);
  });
  expectError("KILN-C120", "each iteration of the loop gives 1 token", [] {
    const Semaphore s = semaphore("s");
    loop("i", 4, [&](Index) { nc::semaphore_signal(Engine::scalar, s); });
    nc::semaphore_wait(Engine::vector, s, 4);
  });
  expectError("KILN-C122", "would hold 65536 tokens", [] {
    const Semaphore s = semaphore("s");
    nc::semaphore_signal(Engine::scalar, s, 65535);
    nc::semaphore_signal(Engine::scalar, s);
    nc::semaphore_wait(Engine::vector, s, 65535);
    nc::semaphore_wait(Engine::vector, s);
  });
  expectError("KILN-C123", "gpsimd waits for semaphore \"s\"", [] {
    const Semaphore s = semaphore("s");
    nc::semaphore_signal(Engine::scalar, s, 2);
    nc::semaphore_wait(Engine::vector, s);
    nc::semaphore_wait(Engine::gpsimd, s);
  });
}

TEST_CASE("after() of what became part of another instruction", "[small]") {
  const compiler::CompileResult result = compiled(Merged{0});
  REQUIRE(!result.diagnostics.empty());
  INFO(result.diagnostics.front().str());
  CHECK(result.fault == compiler::Fault::user);
  CHECK(result.diagnostics.front().code == "KILN-C124");
  CHECK(result.diagnostics.front().file == __FILE__);
}

} // namespace kiln::test::order_test

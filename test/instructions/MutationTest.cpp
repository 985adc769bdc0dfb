//===- MutationTest.cpp - Wrong decisions of passes do not get through ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each decision on order that a pass takes for one of these kernels is taken
// wrongly, one at a time. Either the compiler finds out by itself, or what it
// makes gives the same bits as before: then the decision was not needed.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include "kiln/compiler/compile.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/isa/target.h"
#include "kiln/sim/executor.h"

namespace kiln::test::mutation_test {

using compiler::Mutation;

namespace {

constexpr std::size_t rows = 128, cols = 64;

struct Outcome {
  bool refused = false;
  std::string error; ///< Of the compiler or the executor.
  std::vector<sim::TensorData> outputs;
};

std::vector<sim::TensorData> inputsOf(const program::Program &program) {
  std::vector<sim::TensorData> data;
  for (const program::Argument &argument : program.arguments) {
    const program::Value &value = program.values[argument.value];
    if (argument.kind == program::ArgumentKind::output)
      continue;
    std::size_t count = 1;
    for (std::int64_t extent : value.shape)
      count *= static_cast<std::size_t>(extent);
    data.push_back(
        {value.name,
         tool::encodeValues(someValues(count, value.dtype, data.size() + 1),
                            value.dtype)});
  }
  return data;
}

Outcome outcomeOf(const program::Program &program) {
  Outcome outcome;
  const compiler::CompileResult result = compiler::compile(program, {});
  if (!result.module) {
    outcome.refused = true;
    for (const auto &diagnostic : result.diagnostics)
      outcome.error += diagnostic.str() + "\n";
    return outcome;
  }
  const sim::Result run =
      sim::run(*result.module, *isa::findTarget("trn2"), inputsOf(program), {});
  if (run.fault)
    outcome.error = run.fault->text;
  outcome.outputs = run.outputs;
  return outcome;
}

/// How many wrong decisions of a kind were found out.
struct Score {
  unsigned planted = 0, caught = 0, harmless = 0;
};

Score mutate(const program::Program &program, Mutation mutation) {
  Score score;
  const Outcome right = outcomeOf(program);
  INFO(right.error);
  REQUIRE(!right.refused);
  REQUIRE(right.error.empty());
  // Spread over many decisions.
  std::int64_t stride = 1;
  for (std::int64_t at = 0; at < 4000; at += stride) {
    compiler::testing::plant(mutation, at);
    const Outcome outcome = outcomeOf(program);
    if (!compiler::testing::unplant())
      break;
    ++score.planted;
    if (score.planted % 24 == 0)
      stride *= 2;
    if (outcome.refused) {
      INFO("decision " << at << ": " << outcome.error);
      // A checker speaks, or the executor's tables of what is possible do.
      CHECK(outcome.error.find("internal") != std::string::npos);
      ++score.caught;
      continue;
    }
    INFO("mutation " << static_cast<int>(mutation) << ", decision " << at
                     << " got through: " << outcome.error);
    CHECK(outcome.error.empty());
    REQUIRE(outcome.outputs.size() == right.outputs.size());
    for (std::size_t i = 0; i < outcome.outputs.size(); ++i)
      CHECK(outcome.outputs[i].bytes == right.outputs[i].bytes);
    ++score.harmless;
  }
  return score;
}

/// Stores and loads of one tensor, in straight-line code and by instructions.
program::Program stores() {
  return recordProbe<In<f32, 2>, InOut<f32, 2>, Out<f32, 2>>(
      {{rows, cols}, {rows, cols}, {rows, cols}}, [](auto x, auto z, auto y) {
        auto slow = load(x);
        for (int i = 0; i < 4; ++i)
          slow = {tanh(slow)};
        auto before = load(z);
        store(z.cols_at(0, 32_c), slow.cols_at(0, 32_c));
        auto between = load(z);
        store(z.cols_at(16, 32_c), full<f32>(3, 128, 32));
        auto b = sbuf<f32>(128_c, 64_c);
        nc::tensor_copy(b, between);
        nc::dma_copy(z.cols_at(32, 32_c), b.cols_at(0, 32_c));
        nc::memset(b, 1.0);
        store(y, before + between + load(z) + b);
      });
}

/// A buffer that is read and assigned, and read again.
program::Program buffers() {
  return recordProbe<In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      {{rows, cols}, {rows, cols}, {rows, cols}}, [](auto x, auto y, auto z) {
        auto a = sbuf<f32>(128_c, 64_c), b = sbuf<f32>(128_c, 64_c);
        a = load(x);
        b = a * 2.0;
        auto old = copy(a);
        a = tanh(a);
        auto more = exp(old) + a;
        b = b + old;
        a = more - b;
        loop("l", 5, [&](Index) {
          auto t = a + 1.0;
          nc::tensor_copy(a, t);
          b = b + a;
        });
        store(y, a);
        store(z, b);
      });
}

/// A tensor that is read and written in nests.
program::Program loops() {
  return recordProbe<In<f32, 2>, InOut<f32, 2>, Out<f32, 2>>(
      {{4 * rows, cols}, {rows, cols}, {4 * rows, cols}},
      [](auto x, auto z, auto y) {
        loop("o", 4, [&](Index i) {
          auto t = load(x.rows(i, 128_c));
          auto acc = zeros<f32>(128_c, 64_c);
          loop("l", 3, [&](Index) {
            auto s = load(z);
            acc = acc + s * t;
            store(z, tanh(acc));
          });
          store(y.rows(i, 128_c), acc);
        });
      });
}

/// Independent iterations around a carried loop; each stores where the one
/// before has loaded.
program::Program chains() {
  return recordProbe<InOut<f32, 2>>({{9 * rows, cols}}, [](auto x) {
    loop("o", 8, [&](Index i) {
      auto acc = zeros<f32>(128_c, 64_c);
      loop("l", 3, [&](Index) {
        acc = acc * 0.5 + load(x.rows_at(128 * (i + 1), 128_c));
      });
      store(x.rows_at(128 * i, 128_c), acc);
    });
  });
}

/// Products, work on them, products: what is pipelined and advanced or, where
/// the number of iterations is not a constant, rotated.
program::Program attention(bool isTriangle) {
  return recordProbe<In<bf16, 2>, In<bf16, 2>, In<bf16, 2>, Out<f32, 2>>(
      {{256, 128}, {512, 128}, {512, 128}, {256, 128}},
      [=](auto q, auto k, auto v, auto o) {
        loop("q", 2, [&](Index i) {
          auto qT = load_transposed(q.rows(i, 128_c));
          auto m = full<f32>(-1e30, 128_c, 1_c);
          auto l = zeros<f32>(128_c, 1_c);
          auto acc = zeros<f32>(128_c, 128_c);
          const auto step = [&](Index j) {
            auto s = matmul(qT, load_transposed(k.rows(j, 128_c)));
            auto m_new = max(m, row_max(s));
            auto p = exp(s - m_new);
            auto alpha = exp(m - m_new);
            l = alpha * l + row_sum(p);
            acc = alpha * acc +
                  matmul(transpose(cast<bf16>(p)), load(v.rows(j, 128_c)));
            m = m_new;
          };
          if (isTriangle)
            loop("kv", i + 3, step);
          else
            loop("kv", 4, step);
          store(o.rows(i, 128_c), acc / l);
        });
      });
}

/// The same where the first stage would write what the rest still reads: it is
/// not rotated.
program::Program reuse() {
  return recordProbe<In<bf16, 2>, In<bf16, 2>, In<bf16, 2>, Out<f32, 2>>(
      {{256, 128}, {512, 128}, {512, 128}, {256, 128}},
      [](auto q, auto k, auto v, auto o) {
        loop("q", 2, [&](Index i) {
          auto qT = load_transposed(q.rows(i, 128_c));
          auto m = full<f32>(-1e30, 128_c, 1_c);
          auto acc = zeros<f32>(128_c, 128_c);
          auto sum = zeros<f32>(128_c, 128_c);
          loop("kv", i + 3, [&](Index j) {
            auto kt = sbuf<bf16>(128_c, 128_c);
            kt = load(v.rows(j, 128_c));
            sum = sum + cast<f32>(kt);
            kt = load(k.rows(j, 128_c));
            auto s = matmul(qT, kt);
            auto p = exp(s - m);
            acc =
                acc + matmul(transpose(cast<bf16>(p)), load(v.rows(j, 128_c)));
            m = max(m, row_max(s));
          });
          store(o.rows(i, 128_c), acc + sum);
        });
      });
}

/// Iterations that overlap: each engine has its turn twice.
program::Program stages() {
  return recordProbe<In<f32, 2>, InOut<f32, 2>, Out<f32, 2>>(
      {{20 * rows, 512}, {20 * rows, 512}, {rows, 512}},
      [](auto x, auto y, auto z) {
        auto sum = zeros<f32>(128_c, 512_c);
        loop("l", 16, [&](Index i) {
          auto p = exp(load(x.rows_at(128 * i, 128_c)));
          auto s = 1.0 / row_sum(p);
          sum = sum + p * s;
          // What iteration i stores, iteration i + 2 loads.
          auto q = tanh(p * s) + load(y.rows_at(128 * i, 128_c));
          store(y.rows_at(128 * (i + 2), 128_c), q * s);
        });
        store(z, sum);
      });
}

/// Transfers that wait for each other where no data asks for it.
program::Program promises() {
  return recordProbe<In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      {{rows, cols}, {rows, cols}, {rows, cols}}, [](auto x, auto y, auto z) {
        auto a = sbuf<f32>(128_c, 64_c), b = sbuf<f32>(128_c, 64_c);
        nc::dma_copy(a, x);
        auto first = nc::activation(a, nc::ActivationFunction::tanh, a);
        nc::memset(b, 2.0, {.engine = nc::Engine::gpsimd}).after(first);
        nc::dma_copy(z, b);
        nc::dma_copy(y, a);
      });
}

} // namespace

TEST_CASE("no wrong decision on order gets through", "[mutation]") {
  struct Kernel {
    const char *name;
    program::Program program;
  };
  const std::vector<Kernel> kernels{{"stores", stores()},
                                    {"buffers", buffers()},
                                    {"loops", loops()},
                                    {"chains", chains()},
                                    {"attention", attention(false)},
                                    {"triangle", attention(true)},
                                    {"reuse", reuse()},
                                    {"stages", stages()},
                                    {"promises", promises()}};
  for (unsigned m = 1; m < compiler::numMutations; ++m) {
    Score all;
    for (const Kernel &kernel : kernels) {
      INFO(kernel.name << ", mutation " << m);
      const Score score = mutate(kernel.program, static_cast<Mutation>(m));
      all.planted += score.planted;
      all.caught += score.caught;
      all.harmless += score.harmless;
    }
    INFO("mutation " << m << ": " << all.planted << " planted, " << all.caught
                     << " refused, " << all.harmless << " without effect");
    CHECK(all.caught > 0);
  }
}

} // namespace kiln::test::mutation_test

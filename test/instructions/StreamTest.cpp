//===- StreamTest.cpp - More than SBUF holds, block by block --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores of values that need more bytes of a partition than there are. run()
// compares with the interpreter; what may not be taken apart is refused.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/sim/executor.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kiln::test::stream_test {

namespace {

// No multiple of any block.
constexpr std::int64_t few = 5, wide = 60013;
Values some(std::int64_t count, std::uint64_t seed = 1) {
  return someValues(static_cast<std::size_t>(count), isa::DType::f32, seed);
}

/// y = body(x) where both are [rows, cols] of f32.
template <class Body>
Values mapped(std::int64_t rows, std::int64_t cols, const Body &body) {
  return run<In<f32, 2>, Out<f32, 2>>(
      machine, {{rows, cols}, {rows, cols}}, {some(rows * cols)},
      [&](auto a, auto y) { store(y, body(load(a))); })[0];
}

/// a b of [520, k] and [k, 1100], or relu(a b + d) + r, on a machine with 48
/// KiB of SBUF, by the executor and in plain loops.
template <class T>
void sumInTurns(std::int64_t k, bool hasLoop, bool hasChain = false) {
  constexpr std::int64_t m = 520, n = 1100;
  INFO(machine << ", K " << k);
  const isa::Target target = withSbuf(machine, 48);
  const program::Program program =
      recordProbe<In<T, 2>, In<T, 2>, In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
          {{m, k}, {k, n}, {1, n}, {m, n}, {m, n}},
          [&](auto a, auto b, auto d, auto r, auto y) {
            auto product = matmul_nn(load(a), load(b));
            if (hasChain)
              store(y, relu(product + load(d)) + load(r));
            else
              store(y, product);
          },
          {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  options.keepRemarks = true;
  const compiler::CompileResult result = compiler::compile(program, options);
  REQUIRE(result.module);
  CHECK(std::ranges::any_of(result.remarks, [](const auto &remark) {
          return remark.text.find("a loop sums products") != std::string::npos;
        }) == hasLoop);

  const Values given[] = {
      someValues(static_cast<std::size_t>(m * k), T::dtype),
      someValues(static_cast<std::size_t>(k * n), T::dtype, 2), some(n, 3),
      some(m * n, 4)};
  std::vector<sim::TensorData> data;
  for (std::size_t i = 0; i < 4; ++i) {
    const program::Value &value = program.values[program.arguments[i].value];
    data.push_back({value.name, tool::encodeValues(given[i], value.dtype)});
  }
  const sim::Result run = sim::run(*result.module, target, data, {});
  REQUIRE(!run.fault);
  CHECK(run.remarks.empty());
  const Values all = tool::decodeValues(run.outputs[0].bytes, isa::DType::f32);
  // The first and the last row of each tile of rows, and of what is left.
  for (const std::int64_t i :
       {0, 127, 128, 255, 256, 383, 384, 511, 512, 519}) {
    Values wanted(n);
    for (std::int64_t r = 0; r < k; ++r)
      for (std::int64_t j = 0; j < n; ++j)
        wanted[static_cast<std::size_t>(j)] +=
            given[0][static_cast<std::size_t>(i * k + r)] *
            given[1][static_cast<std::size_t>(r * n + j)];
    for (std::int64_t j = 0; hasChain && j < n; ++j) {
      double &value = wanted[static_cast<std::size_t>(j)];
      value = std::max(0.0, value + given[2][static_cast<std::size_t>(j)]) +
              given[3][static_cast<std::size_t>(i * n + j)];
    }
    checkNear(Values(all.begin() + i * n, all.begin() + (i + 1) * n), wanted,
              1e-4);
  }
}

/// silu(x g) * (x u) times d, as three products on a machine with 56 KiB of
/// SBUF: a loop over the inner dimension makes its columns in each turn.
void gatedInTurns(std::int64_t m, std::int64_t h, std::int64_t inner) {
  INFO(machine << ", M " << m << ", H " << h << ", I " << inner);
  const isa::Target target = withSbuf(machine, 56);
  const program::Program program =
      recordProbe<In<bf16, 2>, In<bf16, 2>, In<bf16, 2>, In<bf16, 2>,
                  Out<f32, 2>>(
          {{m, h}, {h, inner}, {h, inner}, {inner, h}, {m, h}},
          [&](auto x, auto g, auto u, auto d, auto y) {
            auto t = load(x);
            auto gate = silu(matmul_nn(t, load(g)));
            auto up = matmul_nn(t, load(u));
            store(y, matmul_nn(cast<bf16>(gate * up), load(d)));
          },
          {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  options.keepRemarks = true;
  const compiler::CompileResult result = compiler::compile(program, options);
  REQUIRE(result.module);
  CHECK(std::ranges::any_of(result.remarks, [](const auto &remark) {
    return remark.text.find("a loop sums products") != std::string::npos;
  }));
  const std::int64_t sizes[] = {m * h, h * inner, h * inner, inner * h};
  std::vector<Values> given;
  std::vector<sim::TensorData> data;
  for (std::size_t i = 0; i < 4; ++i) {
    given.push_back(someValues(static_cast<std::size_t>(sizes[i]),
                               isa::DType::bf16, i + 1));
    const program::Value &value = program.values[program.arguments[i].value];
    // Products of ones would make a sum of thousands.
    for (double &number : given.back())
      number /= i == 0 ? 1 : 32;
    data.push_back({value.name, tool::encodeValues(given[i], value.dtype)});
  }
  const sim::Result run = sim::run(*result.module, target, data, {});
  REQUIRE(!run.fault);
  CHECK(run.remarks.empty());
  const Values all = tool::decodeValues(run.outputs[0].bytes, isa::DType::f32);
  const auto at = [](const Values &values, std::int64_t index) {
    return values[static_cast<std::size_t>(index)];
  };
  for (const std::int64_t i : {std::int64_t{0}, m / 2, m - 1}) {
    Values wanted(static_cast<std::size_t>(h));
    for (std::int64_t k = 0; k < inner; ++k) {
      double gate = 0, up = 0;
      for (std::int64_t r = 0; r < h; ++r) {
        gate += at(given[0], i * h + r) * at(given[1], r * inner + k);
        up += at(given[0], i * h + r) * at(given[2], r * inner + k);
      }
      const double product = gate / (1 + std::exp(-gate)) * up;
      for (std::int64_t j = 0; j < h; ++j)
        wanted[static_cast<std::size_t>(j)] +=
            product * at(given[3], k * h + j);
    }
    checkNear(Values(all.begin() + i * h, all.begin() + (i + 1) * h), wanted,
              2e-2);
  }
}

} // namespace

TEST_CASE("stream: elements of wide rows") {
  KILN_EVERY_TARGET();
  mapped(few, wide, [](const auto &x) { return exp(x) + 1.0f; });
  mapped(few, wide, [](const auto &x) {
    return where(x > 0.5, 2 * x, keep(x, row(0) * 20000 >= col(0), 7.0));
  });
}

TEST_CASE("stream: reductions and what hangs on them") {
  KILN_EVERY_TARGET();
  mapped(few, wide, [](const auto &x) { return softmax(x); });
  mapped(few, wide,
         [](const auto &x) { return x * row_max(x) - row_min(abs(x)); });
}

TEST_CASE("stream: many rows", "[long]") {
  machine = GENERATE(as<std::string>(), "trn1", "trn2");
  mapped(300, 12100, [](const auto &x) { return softmax(x); });
  const std::int64_t tall = 33000, thin = 130;
  mapped(tall, thin, [](const auto &x) {
    return keep(square(x), row(0) >= 200 * col(0), 7.0);
  });
}

TEST_CASE("stream: a row and a column for all, and columns of columns") {
  KILN_EVERY_TARGET();
  run<In<f32, 2>, In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
      machine, {{few, wide + 9}, {1, wide}, {few, 1}, {few, wide}},
      {some(few * (wide + 9)), some(wide, 2), some(few, 3)},
      [](auto a, auto b, auto c, auto y) {
        auto x = load(a);
        auto z = (exp(x) + 1.0f).cols_at(7, wide);
        store(y, max(z, x.cols_at(1, wide)) * load(b) + load(c));
      });
}

TEST_CASE("stream: products in all orientations", "[long]") {
  KILN_EVERY_TARGET();
  const auto product = [&](const Extents &a, const Extents &b, Extents y,
                           const auto &call) {
    run<In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
        machine, {a, b, y}, {some(a[0] * a[1]), some(b[0] * b[1], 2)},
        [&](auto s, auto t, auto u) { store(u, call(load(s), load(t))); });
  };
  const std::int64_t k = 3;
  product({k, few}, {k, wide}, {few, wide},
          [](const auto &s, const auto &t) { return matmul(s, t); });
  product({few, k}, {k, wide}, {few, wide},
          [](const auto &s, const auto &t) { return matmul_nn(s, t); });
  product({wide, k}, {few, k}, {wide, few},
          [](const auto &s, const auto &t) { return matmul_nt(s, t); });
  product({k, 1100}, {5000, k}, {1100, 5000},
          [](const auto &s, const auto &t) { return matmul_tt(s, t) * 0.5; });
}

TEST_CASE("stream: a product of many rows", "[long]") {
  KILN_EVERY_TARGET();
  const std::int64_t k = 66001;
  run<In<bf16, 2>, In<bf16, 2>, Out<f32, 2>>(
      machine, {{k, 70}, {k, 90}, {70, 90}},
      {someValues(static_cast<std::size_t>(k * 70), isa::DType::bf16),
       someValues(static_cast<std::size_t>(k * 90), isa::DType::bf16, 2)},
      [](auto a, auto b, auto y) {
        store(y, matmul(load(a), exp(load(b))) + 1.0);
      });
}

TEST_CASE("stream: products that contract in turns", "[long]") {
  machine = "trn2";
  // In parts, in eight turns, and in eight and a row.
  sumInTurns<bf16>(4095, false);
  sumInTurns<bf16>(4096, true);
  sumInTurns<bf16>(4097, true);
  sumInTurns<f32>(2100, true, true);
  machine = GENERATE(as<std::string>(), "trn2", "trn3");
  sumInTurns<f8e4m3>(4200, true);
  sumInTurns<bf16>(4200, true);
}

TEST_CASE("stream: a product of products in turns", "[long]") {
  machine = "trn2";
  // Something is left of the rows, of the turns and of what a turn contracts.
  gatedInTurns(1030, 900, 4000);
}

TEST_CASE("stream: products of scaled tiles", "[long]") {
  const isa::Target target = withSbuf("trn3", 48);
  const auto wide16 = [](std::int64_t count, std::uint64_t seed) {
    return someValues(static_cast<std::size_t>(count), isa::DType::bf16, seed);
  };
  // Columns, contracted rows, and rows of the result are too many.
  for (const auto &[m, k, n] : {std::array<std::int64_t, 3>{2, 128, 30001},
                                {2, 8448, 501},
                                {1026, 4224, 3}}) {
    INFO("M " << m << ", K " << k << ", N " << n);
    run<In<bf16, 2>, In<bf16, 2>, In<f32, 2>, Out<f32, 2>>(
        target, {{m, k}, {k, n}, {m, n}, {m, n}},
        {wide16(m * k, 1), wide16(k * n, 2), some(m * n, 3)},
        [](auto x, auto w, auto r, auto y) {
          auto a = quantize_mx<f8e4m3fn_x4>(load_transposed(x));
          auto b = quantize_mx<f8e5m2_x4>(load(w));
          store(y, relu(matmul(a, b)) + load(r));
        });
  }
  // Quantized ahead.
  const std::int64_t m = 2, k = 16640, n = 401;
  Values scales(static_cast<std::size_t>(k / 32 * n));
  for (std::size_t i = 0; i < scales.size(); ++i)
    scales[i] = std::exp2(static_cast<double>(i % 7) - 3);
  run<In<bf16, 2>, In<f8e5m2_x4, 2>, In<f8e8m0, 2>, Out<f32, 2>>(
      target, {{m, k}, {k / 4, n}, {k / 32, n}, {m, n}},
      {wide16(m * k, 1),
       someValues(static_cast<std::size_t>(k * n), isa::DType::f8e5m2, 2),
       scales},
      [](auto x, auto w, auto s, auto y) {
        auto a = quantize_mx<f8e4m3fn_x4>(load_transposed(x));
        store(y, matmul(a, scaled(load(w), load(s))));
      });
}

TEST_CASE("stream: transposes, and more dimensions") {
  KILN_EVERY_TARGET();
  run<In<f32, 2>, Out<f32, 2>>(
      machine, {{few, wide}, {wide, few}}, {some(few * wide)},
      [](auto a, auto y) { store(y, transpose(exp(load(a)))); });
  run<In<f32, 2>, Out<f32, 2>>(
      machine, {{wide, few}, {few, wide}}, {some(few * wide)},
      [](auto a, auto y) { store(y, exp(load_transposed(a))); });
  run<In<f32, 3>, Out<f32, 3>>(
      machine, {{few, 601, 101}, {few, 601, 101}}, {some(few * 601 * 101)},
      [](auto a, auto y) { store(y, exp(load(a)) + 1.0f); });
}

TEST_CASE("stream: in loops, and several stores of one value") {
  KILN_EVERY_TARGET();
  run<In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      machine, {{2 * few, wide}, {2 * few, wide}, {2 * few, 1}},
      {some(2 * few * wide)}, [](auto a, auto y, auto z) {
        loop("half", 2, [&](Index i) {
          auto x = load(a.rows(i, few));
          store(y.rows(i, few), softmax(x));
          store(z.rows(i, few), row_sum(x * x));
        });
      });
}

TEST_CASE("stream: instructions on rows", "[long]") {
  KILN_EVERY_TARGET();
  // A running sum needs whole rows: only rows are taken apart.
  run<In<f32, 2>, Out<f32, 2>>(
      machine, {{500, 11000}, {500, 11000}}, {some(500 * 11000)},
      [](auto a, auto y) { store(y, 0.001 * cumsum(load(a)) + 1.0); });
}

TEST_CASE("stream: a tensor that is read and written at the same places") {
  KILN_EVERY_TARGET();
  const auto out = run<InOut<f32, 2>>(machine, {{few, wide}},
                                      {some(few * wide)}, [](auto a) {
                                        auto x = load(a);
                                        store(a, max(x, 0.25) + min(x, 0.5));
                                      });
  CHECK(out[0].size() == static_cast<std::size_t>(few * wide));
}

TEST_CASE("stream: whole tensors of ragged shapes", "[long]") {
  KILN_EVERY_TARGET();
  const auto [rows, cols] =
      GENERATE(table<std::int64_t, std::int64_t>({{1, 1},
                                                  {1, 16384},
                                                  {127, 4097},
                                                  {129, 4097},
                                                  {129, 20011},
                                                  {700, 1},
                                                  {1500, 127},
                                                  {700, 1500}}));
  INFO("[" << rows << ", " << cols << "]");
  if (cols == 20011 && machine != "trn2")
    return; // Once: it takes as long as all others.
  const auto norm = [&](auto type, isa::DType dtype) {
    using T = decltype(type);
    run<In<T, 2>, In<T, 1>, In<T, 1>, Out<T, 2>>(
        machine, {{rows, cols}, {cols}, {cols}, {rows, cols}},
        {someValues(static_cast<std::size_t>(rows * cols), dtype),
         someValues(static_cast<std::size_t>(cols), dtype, 2),
         someValues(static_cast<std::size_t>(cols), dtype, 3)},
        [&, cols = cols](auto x, auto w, auto b, auto y) {
          auto t = load(x);
          auto centred = t - row_mean(t);
          auto scale = rsqrt(row_mean(square(centred)) + 1e-5);
          store(y, centred * scale * load(w.reshape(1_c, cols)) +
                       load(b.reshape(1_c, cols)));
        });
  };
  norm(f32(), isa::DType::f32);
  norm(bf16(), isa::DType::bf16);
  mapped(rows, cols, [](const auto &x) { return softmax(x); });
  mapped(rows, cols, [](const auto &x) { return exp(x) + 1.0f; });
}

TEST_CASE("stream: a row for all rows, of several types and users") {
  KILN_EVERY_TARGET();
  const std::int64_t rows = 700, cols = 3001;
  run<In<f32, 2>, In<f32, 2>, In<i32, 2>, Out<f32, 2>, Out<i32, 2>>(
      machine, {{rows, cols}, {1, cols}, {1, cols}, {rows, cols}, {rows, cols}},
      {some(rows * cols), some(cols, 2),
       someValues(static_cast<std::size_t>(cols), isa::DType::i32, 3)},
      [](auto x, auto a, auto b, auto y, auto z) {
        auto row = load(a);
        auto t = load(x);
        store(y, where(t > row, t * row, row - row_max(t)));
        store(z, where(load(x) > row, load(b) + 5, 3 * load(b)));
      });
}

TEST_CASE("stream: tensors that are read and written, in blocks", "[long]") {
  KILN_EVERY_TARGET();
  const std::int64_t rows = 300, cols = 9001;
  // Rows are there as a whole before their first column is overwritten.
  run<InOut<f32, 2>>(machine, {{rows, cols}}, {some(rows * cols)}, [](auto a) {
    auto x = load(a);
    store(a, x * row_sum(exp(x)) + x);
  });
  run<InOut<bf16, 2>, In<bf16, 2>>(
      machine, {{rows, cols}, {1, cols}},
      {someValues(static_cast<std::size_t>(rows * cols), isa::DType::bf16),
       someValues(static_cast<std::size_t>(cols), isa::DType::bf16, 2)},
      [](auto a, auto w) { store(a, rms_norm(load(a), load(w), 1e-5)); });
}

TEST_CASE(
    "stream: overlapping windows of one tensor that fit stay as written") {
  KILN_EVERY_TARGET();
  // What a block reads, another one writes.
  const std::int64_t rows = 1024, cols = 700;
  run<InOut<f32, 2>>(
      machine, {{rows, cols + 1}}, {some(rows * (cols + 1))}, [&](auto a) {
        store(a.cols_at(1, cols), exp(load(a.cols_at(0, cols))) + 1.0f);
      });
  run<InOut<f32, 2>>(
      machine, {{rows + 128, cols}}, {some((rows + 128) * cols)}, [&](auto a) {
        store(a.rows_at(128, rows), exp(load(a.rows_at(0, rows))) + 1.0f);
      });
  // The row that all are multiplied with is one of those that are written.
  run<InOut<f32, 2>>(machine, {{rows, cols}}, {some(rows * cols)}, [&](auto a) {
    store(a, load(a) * load(a.rows_at(rows - 1, 1_c)) + 1.0f);
  });
}

TEST_CASE("stream: not where another value would come out") {
  const auto refused = [](const program::Program &program) {
    const std::string error = compileError(program, "trn2");
    INFO(error);
    CHECK(error.find("KILN-C101") != std::string::npos);
    CHECK(error.find("loop over blocks of its rows or columns") !=
          std::string::npos);
  };
  // Each block needs what the one before has overwritten.
  refused(recordProbe<InOut<f32, 2>>({{few, wide + 1}}, [](auto a) {
    auto x = exp(load(a.cols_at(0, wide)));
    store(a.cols_at(1, wide), x + 1.0f);
  }));
  refused(recordProbe<InOut<f32, 2>>({{few, wide}}, [](auto a) {
    auto x = load(a);
    store(a, x * row_sum(exp(x)));
  }));
  // A store stands between.
  refused(recordProbe<InOut<f32, 2>, Out<f32, 2>>(
      {{few, wide}, {few, wide}}, [](auto a, auto y) {
        auto x = exp(load(a));
        store(a.cols_at(9, 1_c), zeros<f32>(few, 1));
        store(y, x + 1.0f);
      }));
  // So does an instruction that writes the tensor, in a loop.
  refused(recordProbe<InOut<f32, 2>, Out<f32, 2>>(
      {{few, wide}, {few, wide}}, [](auto a, auto y) {
        auto x = exp(load(a));
        auto zero = zeros<f32>(few, 1);
        loop("some", 3,
             [&](Index i) { nc::dma_copy(a.cols_at(i, 1_c), zero); });
        store(y, x + 1.0f);
      }));
  // And here the order is promised.
  refused(recordProbe<In<f32, 2>, Out<f32, 2>>({{few, wide}, {few, wide}},
                                               [](auto a, auto y) {
                                                 no_reorder keep;
                                                 auto x = load(a);
                                                 auto e = exp(x);
                                                 store(y, e);
                                               }));
}

} // namespace kiln::test::stream_test

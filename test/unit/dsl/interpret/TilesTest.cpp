//===- TilesTest.cpp - The meaning of tile operations --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interpreted.h"

using namespace kiln;
using namespace kiln::test;

using In2 = In<f32, 2>;
using Out2 = Out<f32, 2>;

TEST_CASE("a loop over rows") {
  const auto result = interpreted<In2, Out<bf16, 2>>(
      {{3, 4}, {3, 4}}, {{"a", counting(12)}}, [](In2 x, Out<bf16, 2> y) {
        loop("row", 3, [&](Index i) {
          store(y.rows(i, 1_c), load(x.rows(i, 1_c)) * 2.0 + 1.0);
        });
      });
  Values wanted;
  for (const double x : counting(12))
    wanted.push_back(2 * x + 1);
  CHECK(exactValues(result, "b") == wanted);
  CHECK(result.coverage.operations.at("scalar add").at("f32") == 3);
}

TEST_CASE("views of tensors: blocks, steps, orders, repetitions") {
  const auto result = interpreted<In<f32, 3>, Out2>(
      {{2, 3, 4}, {3, 8}}, {{"a", counting(24)}}, [](In<f32, 3> x, Out2 y) {
        // [3, 2, 4], every second of the last: columns 1 and 3
        auto t = load(x.permute(1_c, 0_c, 2_c).slice(2_c, 1, 2_c, 2));
        store(y.cols(0, 4_c), t.reshape(3_c, 4_c));
        store(y.cols(1, 4_c),
              load(x.select(0_c, 1).cols_at(2, 1_c).broadcast(1_c, 4)));
      });
  CHECK(exactValues(result, "b") == Values{1, 3,  13, 15, 14, 14, 14, 14, //
                                           5, 7,  17, 19, 18, 18, 18, 18, //
                                           9, 11, 21, 23, 22, 22, 22, 22});
}

TEST_CASE("views of tiles, and assignment to parts of them") {
  const auto result = interpreted<In2, Out2>(
      {{3, 5}, {3, 5}}, {{"a", counting(15)}}, [](In2 x, Out2 y) {
        auto t = load(x);
        auto snapshot = t;
        t.cols_at(1, 2_c) = snapshot.cols_at(3, 2_c);
        t.rows_at(1, 1_c) = 7.0;
        t.rows_at(2, 1_c).cols_at(4, 1_c) = t.rows_at(0, 1_c).cols_at(1, 1_c);
        store(y, t + 0.0 * snapshot);
      });
  CHECK(exactValues(result, "b") ==
        Values{0, 3, 4, 3, 4, 7, 7, 7, 7, 7, 10, 13, 14, 13, 3});
}

TEST_CASE("variables of loops keep what iterations assign") {
  const auto result = interpreted<In2, Out2>(
      {{4, 2}, {1, 2}}, {{"a", counting(8)}}, [](In2 x, Out2 y) {
        auto sum = zeros<f32>(1_c, 2_c);
        loop("row", 0, 4, 2,
             [&](Index i) { sum = sum + load(x.rows(i, 1_c)); });
        store(y, sum);
      });
  CHECK(exactValues(result, "b") == Values{4, 6}); // rows 0 and 2
}

TEST_CASE("fills, casts, stores: rounded to their types") {
  const auto result = interpreted<In2, Out<bf16, 2>, Out<i32, 2>, Out<u8, 2>>(
      {{1, 4}, {1, 4}, {1, 4}, {1, 4}}, {{"a", {1.00390625, -2.5, 300, 0.1f}}},
      [](In2 x, Out<bf16, 2> y, Out<i32, 2> z, Out<u8, 2> w) {
        store(y, load(x) + zeros<f32>(1_c, 4_c));
        store(z, cast<i32>(load(x)));
        store(w, cast<u8>(load(x)) & full<u8>(255, 1_c, 4_c));
      });
  CHECK(exactValues(result, "b") == Values{1, -2.5, 300, 0.10009765625});
  CHECK(exactValues(result, "c") == Values{1, -2, 300, 0});
  CHECK(exactValues(result, "d") == Values{1, 0, 1, 0});
}

TEST_CASE("arithmetic of tiles repeats extents of 1") {
  const auto result = interpreted<In2, In2, Out2>(
      {{2, 1}, {1, 3}, {2, 3}}, {{"a", {10, 20}}, {"b", {1, 2, 4}}},
      [](In2 x, In2 y, Out2 z) {
        store(z, (load(x) - load(y)) * max(load(x), 15.0) / 4.0);
      });
  CHECK(numberAt(result, "c", 0).value == 33.75);
  CHECK(numberAt(result, "c", 5).value == 80);
}

TEST_CASE("integers are exact and wrap") {
  const auto result = interpreted<In<i32, 2>, Out<i32, 2>, Out<u8, 2>>(
      {{1, 3}, {1, 3}, {1, 3}}, {{"a", {2147483647, 16777217, -5}}},
      [](In<i32, 2> x, Out<i32, 2> y, Out<u8, 2> z) {
        auto t = load(x);
        store(y, 3.0 - t * t);
        store(z, t > 16777216.0);
      });
  CHECK(exactValues(result, "b") == Values{2, -33554430, -22});
  CHECK(exactValues(result, "c") == Values{1, 1, 0});
}

TEST_CASE("products and transposes") {
  const Values a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, -1, 3, 1};
  const auto result = interpreted<In2, In2, Out2, Out2>(
      {{2, 3}, {3, 2}, {2, 2}, {3, 3}}, {{"a", a}, {"b", b}},
      [](In2 x, In2 y, Out2 z, Out2 w) {
        store(z, matmul_nn(load(x), load(y)));
        store(w, matmul(load(x), load_transposed(y)) +
                     0.0 * matmul_tt(load(x), transpose(load_transposed(y))));
      });
  CHECK(exactValues(result, "c") == Values{14, 1, 32, 1});
  // aT bT: columns of a with rows of bT
  CHECK(exactValues(result, "d") == Values{1, -2, 7, 2, -1, 11, 3, 0, 15});
}

TEST_CASE("reductions of rows") {
  const auto result = interpreted<In2, Out2>(
      {{2, 3}, {2, 4}}, {{"a", {1, 2, 3, -4, 5, 0.5}}}, [](In2 x, Out2 y) {
        auto t = load(x);
        store(y.cols_at(0, 1_c), row_sum(t));
        store(y.cols_at(1, 1_c), row_prod(t));
        store(y.cols_at(2, 1_c), row_max(t));
        store(y.cols_at(3, 1_c), row_min(t));
      });
  const double wanted[] = {6, 6, 3, 1, 1.5, -10, 5, -4};
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(numberAt(result, "b", i).value == wanted[i]);
    CHECK(numberAt(result, "b", i).bound < 1e-5);
  }
}

TEST_CASE("masks, selections, keep") {
  const auto result = interpreted<In2, Out2, Out2>(
      {{3, 3}, {3, 3}, {3, 3}}, {{"a", counting(9)}},
      [](In2 x, Out2 y, Out2 z) {
        auto t = load(x);
        store(y, where((t < 4.0) ^ equal(t, 6.0), t, -1.0));
        store(z, keep(t, row(0) >= col(0), 9.0));
      });
  CHECK(exactValues(result, "b") == Values{0, 1, 2, 3, -1, -1, 6, -1, -1});
  CHECK(exactValues(result, "c") == Values{0, 9, 9, 3, 4, 9, 6, 7, 8});
}

TEST_CASE("what hangs on rounding is open") {
  const auto result = interpreted<In2, Out2, Out2, Out<i32, 2>>(
      {{1, 3}, {1, 3}, {1, 1}, {1, 3}}, {{"a", {0.1f, 0.3f, 1}}},
      [](In2 x, Out2 y, Out2 z, Out<i32, 2> w) {
        auto t = load(x);
        auto third = t / 3.0;
        // The same number, or one unit in the last place away.
        store(y, where(third < t * (1.0 / 3), zeros<f32>(1_c, 3_c),
                       ones<f32>(1_c, 3_c)));
        store(z, row_sum(t));
        store(w, cast<i32>(exp(t) * 0.0 + third * 15.0));
      });
  CHECK(numberAt(result, "b", 0).bound == 1);
  CHECK(numberAt(result, "c", 0).bound > 0);
  CHECK(numberAt(result, "c", 0).bound < 1e-6);
  CHECK(numberAt(result, "d", 2).value == 5);
  CHECK(numberAt(result, "d", 0).bound == 1); // 0.5: 0 or 1
}

TEST_CASE("what nobody wrote is unknown") {
  const auto result =
      interpreted<Out2, Out2>({{1, 2}, {1, 2}}, {}, [](Out2 y, Out2) {
        auto b = sbuf<f32>(1_c, 2_c);
        b.cols_at(0, 1_c) = 3.0;
        store(y, b);
      });
  CHECK(numberAt(result, "a", 0).bound == 0);
  CHECK(interpret::isUnknown(numberAt(result, "a", 1)));
  CHECK(interpret::isUnknown(numberAt(result, "b", 0)));
  CHECK(result.unwrittenReads == 1);
  CHECK(result.firstUnwrittenRead.line > 0);
}

TEST_CASE("every function of a tile") {
  // Of 0.5, from tables.
  const auto result = interpreted<In2, Out2>(
      {{1, 1}, {1, 22}}, {{"a", {0.5}}}, [](In2 x, Out2 y) {
        auto t = load(x);
        std::int64_t at = 0;
        const auto put = [&](const auto &tile) {
          store(y.cols_at(at++, 1_c), tile);
        };
        put(exp(t)), put(log(t)), put(sqrt(t)), put(rsqrt(t));
        put(reciprocal(t)), put(square(t)), put(abs(-t)), put(sign(-t));
        put(arctan(t)), put(tanh(t)), put(sigmoid(t)), put(relu(-t));
        put(softplus(t)), put(mish(t)), put(erf(t)), put(erf_dx(t));
        put(silu(t)), put(silu_dx(t)), put(gelu(t)), put(gelu_dx(t));
        put(gelu_apprx_tanh(t)), put(gelu_apprx_sigmoid(t));
      });
  const double wanted[] = {1.6487212707,
                           -0.6931471806,
                           0.7071067812,
                           1.4142135624,
                           2,
                           0.25,
                           0.5,
                           -1,
                           0.4636476090,
                           0.4621171573,
                           0.6224593312,
                           0,
                           0.9740769842,
                           0.3752452113,
                           0.5204998778,
                           0.8787825789,
                           0.3112296656,
                           0.7399611873,
                           0.3457312307,
                           0.8674951947,
                           0.3457140275,
                           0.3503884366};
  for (std::size_t i = 0; i < 22; ++i) {
    INFO(i);
    CHECK(std::fabs(numberAt(result, "b", i).value - wanted[i]) < 1e-7);
    CHECK(numberAt(result, "b", i).bound < 1e-6);
  }
}

TEST_CASE("a product of many rows may be added in parts") {
  Values a(256);
  a[0] = a[128] = 2.9e-5f;
  const auto result =
      interpreted<In2, Out2>({{256, 1}, {1, 1}}, {{"a", a}}, [](In2 x, Out2 y) {
        auto sum = full<f32>(1000, 1_c, 1_c);
        loop("once", 1,
             [&](Index) { sum = sum + matmul(load(x), ones<f32>(256, 1_c)); });
        store(y, sum);
      });
  // At once it reaches the next number, in two parts it does not.
  const interpret::Number &number = numberAt(result, "b", 0);
  CHECK(std::fabs(number.value - 1000) <= number.bound);
  CHECK(std::fabs(number.value - (1000 + 0x1p-14)) <= number.bound);
  CHECK(number.bound < 1e-3);
}

TEST_CASE("buffers pinned to the same bytes spoil each other") {
  const auto result =
      interpreted<Out2, Out2>({{2, 2}, {2, 2}}, {}, [](Out2 y, Out2 z) {
        auto b = sbuf<f32>(2_c, 2_c, at(0, 4096));
        auto c = sbuf<f32>(2_c, 2_c, at(1, 4100));
        auto d = sbuf<f32>(2_c, 2_c, at(0, 4104));
        b = 1.0;
        d = 2.0;
        store(z, b);
        c = 3.0;
        store(y, b);
      });
  CHECK(exactValues(result, "b") == Values{1, 1, 1, 1});
  CHECK(interpret::isUnknown(numberAt(result, "a", 0)));
}

TEST_CASE("coverage is a table") {
  const auto result = interpreted<In2, Out2>(
      {{1, 2}, {1, 2}}, {{"a", {1, 2}}},
      [](In2 x, Out2 y) { store(y, exp(load(x)) + 1.0); });
  const std::string text = result.coverage.text();
  CHECK(text.find("| operation | f32 |\n|---|---|\n") == 0);
  CHECK(text.find("| unary exp | 1 |\n") != std::string::npos);
}

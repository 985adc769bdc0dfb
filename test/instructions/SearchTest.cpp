//===- SearchTest.cpp - The largest of rows of any length -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kiln::test::search_test {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double noPlace = 4294967295.0;

struct Best {
  Values values, places;
};

/// The k largest of each row by a stable sort; NaN is last and has no place.
Best best(const Values &x, std::size_t rows, std::size_t cols, std::size_t k) {
  Best result;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto at = [&](std::size_t c) { return x[r * cols + c]; };
    std::vector<std::size_t> order(cols);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(
        order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
          return std::isnan(at(b)) ? !std::isnan(at(a)) : at(a) > at(b);
        });
    for (std::size_t i = 0; i < k; ++i) {
      result.values.push_back(at(order[i]));
      result.places.push_back(
          std::isnan(at(order[i])) ? noPlace : static_cast<double>(order[i]));
    }
  }
  return result;
}

/// Rows with ties, with -inf, with NaN, with nothing else.
Values someRows(std::size_t rows, std::size_t cols) {
  Random random(cols);
  Values x(rows * cols);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = std::floor(random.uniform() * 40) - 20;
    const std::size_t row = i / cols, col = i % cols;
    x[i] = row == 1                      ? -infinity
           : row == 2 && col % 3 == 0    ? -infinity
           : row == 3 && col % 2 == 0    ? nan
           : row == 4                    ? nan
           : row == 5 && col + 1 == cols ? 1000
           : row == 6 && col % 5         ? -infinity
                                         : value;
  }
  return x;
}

template <class T = f32>
void checkTopK(std::size_t rows, std::size_t cols, std::size_t k,
               const std::string &target = "trn2") {
  INFO("top " << k << " of [" << rows << ", " << cols << "]");
  const Values x = someRows(rows, cols);
  const Best want = best(x, rows, cols, k);
  const auto r = static_cast<std::int64_t>(rows),
             c = static_cast<std::int64_t>(cols),
             n = static_cast<std::int64_t>(k);
  const auto out = run<In<T, 2>, Out<f32, 2>, Out<u32, 2>>(
      target, {{r, c}, {r, n}, {r, n}}, {x}, [&](auto a, auto v, auto p) {
        auto found = top_k(load(a), n);
        store(v, found.values);
        store(p, found.places);
      });
  checkSame(out[0], want.values);
  checkSame(out[1], want.places);
}

template <class T = f32>
void checkArgmax(std::size_t rows, std::size_t cols,
                 const std::string &target = "trn2") {
  INFO("argmax of [" << rows << ", " << cols << "]");
  const Values x = someRows(rows, cols);
  const auto r = static_cast<std::int64_t>(rows),
             c = static_cast<std::int64_t>(cols);
  checkSame(run<In<T, 2>, Out<u32, 2>>(
                target, {{r, c}, {r, 1}}, {x},
                [](auto a, auto y) { store(y, row_argmax(load(a))); })[0],
            best(x, rows, cols, 1).places);
}

} // namespace

TEST_CASE("row_argmax of any number of columns") {
  for (const std::size_t cols :
       {1, 2, 7, 8, 9, 16383, 16384, 16385, 32000, 32768, 32769})
    checkArgmax(8, cols);
  checkArgmax(200, 5, "trn1");
  checkArgmax(130, 100, "trn3");
  checkArgmax<bf16>(8, 40000);
  checkArgmax<bf16>(9, 3);
}

TEST_CASE("row_argmax of a vocabulary of 152000 words") {
  checkArgmax(8, 152000);
}

TEST_CASE("top_k of any number of columns") {
  for (const std::size_t cols : {1, 4, 7, 8, 9, 15, 16, 17, 100})
    for (const std::size_t k : {1, 2, 7, 8, 9, 16, 17})
      if (k <= cols)
        checkTopK(8, cols, k);
  checkTopK(8, 64, 64);
  checkTopK(200, 6, 6, "trn1");
  checkTopK(8, 16384, 9);
  checkTopK(8, 16385, 9);
  checkTopK<bf16>(8, 50000, 20, "trn3");
  checkTopK(7, 33000, 1);
}

TEST_CASE("top_k of -inf finds each place once") {
  // Nine values and -inf: the second eight are places not found before.
  Values x(16, -infinity);
  for (std::size_t i = 0; i < 6; ++i)
    x[i] = static_cast<double>(i);
  const Best want = best(x, 1, 16, 16);
  const auto out = run<In<f32, 2>, Out<u32, 2>>(
      "trn2", {{1, 16}, {1, 16}}, {x},
      [](auto a, auto p) { store(p, top_k(load(a), 16_c).places); });
  checkSame(out[0], want.places);
}

TEST_CASE("searches that cannot be") {
  const auto refused = [](const char *code, const auto &body) {
    try {
      recordProbe<In<f32, 2>, Out<f32, 2>>({{8, 7}, {8, 8}}, body);
      FAIL("no error; wanted " << code);
    } catch (const RecordError &error) {
      CHECK(error.code == code);
    }
  };
  refused("KILN-A162",
          [](auto x, auto) { (void)top_k(load(x), std::int64_t{8}); });
  refused("KILN-A162",
          [](auto x, auto) { (void)top_k(load(x), std::int64_t{0}); });
  refused("KILN-A161", [](auto x, auto) { (void)row_max8(load(x)); });
  refused("KILN-A161", [](auto, auto) {
    (void)row_max8(zeros<f32>(8_c, std::int64_t{16385}));
  });
  refused("KILN-A161", [](auto, auto) {
    auto t = zeros<f32>(8_c, 16_c);
    (void)row_find8(t, t);
  });
  refused("KILN-A001", [](auto, auto) {
    (void)gather(zeros<f32>(8_c, 16_c), zeros<u32>(std::int64_t{1}, 16_c));
  });
}

} // namespace kiln::test::search_test

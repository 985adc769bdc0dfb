//===- TileOperandsTest.cpp - Operands wherever they lie ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tile operation with operands in PSUM (products) and SBUF, whose rows
// start where no engine can, one row, one column, more than 128 rows; against
// plain loops.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>
#include <functional>

namespace kiln::test::tile_operands_test {

namespace {

/// Rows and columns of doubles.
struct Matrix {
  std::int64_t rows, cols;
  Values values;
  double operator()(std::int64_t r, std::int64_t c) const {
    return values[static_cast<std::size_t>(r * cols + c)];
  }
};
using Element = std::function<double(std::int64_t, std::int64_t)>;

Values filled(std::int64_t rows, std::int64_t cols, const Element &of) {
  Values values;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      values.push_back(of(r, c));
  return values;
}
/// Small integers: exact in every type, in any order of sums.
Matrix someMatrix(std::int64_t rows, std::int64_t cols) {
  return {rows, cols, filled(rows, cols, [](std::int64_t r, std::int64_t c) {
            return static_cast<double>((r * 7 + c * 5) % 23 - 11);
          })};
}
Values identityMatrix(std::int64_t n) {
  return filled(n, n, [](std::int64_t r, std::int64_t c) { return r == c; });
}

/// What a window of a tile of `tall` rows is taken from.
struct Place {
  bool product;
  std::int64_t tall, at, rows, cols;
};
const std::vector<Place> &places() {
  static const std::vector<Place> all = [] {
    std::vector<Place> list;
    for (const bool product : {true, false})
      for (const auto &[at, rows] :
           std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1},
                                                              {1, 1},
                                                              {31, 14},
                                                              {32, 32},
                                                              {32, 33},
                                                              {40, 50},
                                                              {63, 65},
                                                              {64, 64},
                                                              {96, 32},
                                                              {97, 31},
                                                              {127, 1},
                                                              {0, 128}})
        list.push_back({product, 128, at, rows, rows == 14 ? 1 : 9});
    // Slots: they do not start at the window's first row.
    list.push_back({false, 300, 31, 150, 9});
    list.push_back({true, 300, 100, 200, 9});
    list.push_back({false, 300, 127, 2, 1});
    list.push_back({true, 300, 128, 129, 9});
    return list;
  }();
  return all;
}

/// y = call(window) against model(window), exactly unless `tolerance`.
template <class T = f32, class Call, class Model>
void check(const char *what, std::int64_t outRows, std::int64_t outCols,
           const Place &place, const Call &call, const Model &model,
           double tolerance = 0) {
  INFO(what << (place.product ? " of a product, rows " : " of a load, rows ")
            << place.at << " + " << place.rows << " of " << place.tall
            << ", columns " << place.cols);
  const Matrix x = someMatrix(place.tall, place.cols);
  Matrix window{place.rows, place.cols, {}};
  window.values.assign(x.values.begin() + place.at * place.cols,
                       x.values.begin() + (place.at + place.rows) * place.cols);
  const auto out = run<In<f32, 2>, In<f32, 2>, Out<T, 2>>(
      "trn2",
      {{place.tall, place.tall}, {place.tall, place.cols}, {outRows, outCols}},
      {identityMatrix(place.tall), x.values}, [&](auto i, auto a, auto y) {
        if (place.product) {
          auto p = matmul(load(i), load(a));
          store(y, call(p.rows_at(place.at, place.rows)));
        } else {
          auto p = load(a);
          store(y, call(p.rows_at(place.at, place.rows)));
        }
      });
  checkNear(out[0], filled(outRows, outCols, model(window)), tolerance);
}

} // namespace

TEST_CASE("operands in PSUM and SBUF, rows anywhere: elements") {
  for (const Place &p : places()) {
    const auto same = [&](const char *what, const auto &call,
                          const std::function<double(double)> &f,
                          double tolerance = 0) {
      check(
          what, p.rows, p.cols, p, call,
          [&](const Matrix &x) -> Element {
            return
                [&x, &f](std::int64_t r, std::int64_t c) { return f(x(r, c)); };
          },
          tolerance);
    };
    const auto signOf = [](double v) {
      return v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0;
    };
    same(
        "copy", [](const auto &t) { return copy(t); },
        [](double v) { return v; });
    same(
        "exp", [](const auto &t) { return exp(t); },
        [](double v) { return std::exp(v); }, 1e-5);
    same(
        "scale", [](const auto &t) { return 2 * t + 1; },
        [](double v) { return 2 * v + 1; });
    same(
        "sum", [](const auto &t) { return t + t; },
        [](double v) { return v + v; });
    same(
        "row_max column", [](const auto &t) { return t - t.cols_at(0, 1_c); },
        [](double) { return 0; }, 30);
    same("sign", [](const auto &t) { return sign(t); }, signOf);
    same(
        "cast", [](const auto &t) { return cast<bf16>(t) + 0.5; },
        [](double v) { return v + 0.5; });
    same(
        "to i32", [](const auto &t) { return cast<i32>(t) * 3; },
        [](double v) { return v * 3; });
    same(
        "compare", [](const auto &t) { return cast<f32>(t > 0.0); },
        [](double v) { return v > 0; });
    same(
        "where", [](const auto &t) { return where(t > 0.0, t, 7.0); },
        [](double v) { return v > 0 ? v : 7; });
    same(
        "where tiles", [](const auto &t) { return where(t > 0.0, t, 2 * t); },
        [](double v) { return v > 0 ? v : 2 * v; });
    same(
        "maximum", [](const auto &t) { return max(t, 1.0 - t); },
        [](double v) { return std::max(v, 1 - v); });
    same(
        "in a loop",
        [&](const auto &t) {
          auto sum = zeros<f32>(p.rows, p.cols);
          loop("i", 3, [&](Index) { sum = sum + t; });
          return sum;
        },
        [](double v) { return 3 * v; });
  }
}

TEST_CASE("operands in PSUM and SBUF, rows anywhere: rows and matrices") {
  for (const Place &p : places()) {
    const auto rowSum = [](const Matrix &x) -> Element {
      return [&x](std::int64_t r, std::int64_t) {
        double sum = 0;
        for (std::int64_t c = 0; c < x.cols; ++c)
          sum += x(r, c);
        return sum;
      };
    };
    check(
        "row_sum", p.rows, 1, p, [](const auto &t) { return row_sum(t); },
        rowSum);
    check(
        "row_max", p.rows, 1, p, [](const auto &t) { return row_max(t); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t r, std::int64_t) {
            double most = x(r, 0);
            for (std::int64_t c = 1; c < x.cols; ++c)
              most = std::max(most, x(r, c));
            return most;
          };
        });
    check<u32>(
        "row_argmax", p.rows, 1, p, [](const auto &t) { return row_argmax(t); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t r, std::int64_t) {
            std::int64_t best = 0;
            for (std::int64_t c = 1; c < x.cols; ++c)
              if (x(r, c) > x(r, best))
                best = c;
            return static_cast<double>(best);
          };
        });
    check(
        "cumsum", p.rows, p.cols, p, [](const auto &t) { return cumsum(t); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t r, std::int64_t c) {
            double sum = 0;
            for (std::int64_t i = 0; i <= c; ++i)
              sum += x(r, i);
            return sum;
          };
        });
    check(
        "keep", p.rows, p.cols, p,
        [](const auto &t) { return keep(t, row(0) >= col(0), -3.0); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t r, std::int64_t c) {
            return r >= c ? x(r, c) : -3.0;
          };
        });
    check(
        "transpose", p.cols, p.rows, p,
        [](const auto &t) { return transpose(t); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t r, std::int64_t c) { return x(c, r); };
        });
    check(
        "first row against all", p.rows, p.cols, p,
        [](const auto &t) { return t + t.rows_at(0, 1); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t r, std::int64_t c) {
            return x(r, c) + x(0, c);
          };
        });
    check(
        "last row, one value", p.rows, p.cols, p,
        [&](const auto &t) {
          return t * t.rows_at(p.rows - 1, 1).cols_at(p.cols - 1, 1);
        },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t r, std::int64_t c) {
            return x(r, c) * x(x.rows - 1, x.cols - 1);
          };
        });
    check(
        "col_sum", 1, p.cols, p, [](const auto &t) { return col_sum(t); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t, std::int64_t c) {
            double sum = 0;
            for (std::int64_t r = 0; r < x.rows; ++r)
              sum += x(r, c);
            return sum;
          };
        });
    check(
        "product", p.cols, p.cols, p,
        [](const auto &t) { return matmul(t, t); },
        [](const Matrix &x) -> Element {
          return [&x](std::int64_t i, std::int64_t j) {
            double sum = 0;
            for (std::int64_t r = 0; r < x.rows; ++r)
              sum += x(r, i) * x(r, j);
            return sum;
          };
        });
  }
}

TEST_CASE("rows of a buffer in PSUM are assigned anywhere") {
  for (const auto &[at, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {0, 5}, {31, 14}, {33, 60}, {64, 64}, {70, 58}, {127, 1}}) {
    INFO(at << " + " << n);
    const Values x =
        someValues(static_cast<std::size_t>(n * 16), isa::DType::f32);
    Values want(128 * 16, 0.5);
    std::copy(x.begin(), x.end(), want.begin() + at * 16);
    std::fill(want.begin() + at * 16, want.begin() + at * 16 + 4, 3);
    checkSame(run<In<f32, 2>, Out<f32, 2>>("trn2", {{n, 16}, {128, 16}}, {x},
                                           [&](auto a, auto y) {
                                             auto b = psum<f32>(128_c, 16_c);
                                             b = 0.5;
                                             b.rows_at(at, n) = load(a);
                                             b.rows_at(at, 1).cols_at(0, 4) =
                                                 3.0;
                                             store(y, b);
                                           })[0],
              want);
  }
}

} // namespace kiln::test::tile_operands_test

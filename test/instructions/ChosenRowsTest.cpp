//===- ChosenRowsTest.cpp - Rows that an index or a tile chooses ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

namespace kiln::test::chosen_rows_test {

namespace {

constexpr std::size_t cols = 40;

/// The extents of a tensor.
Extents matrix(std::size_t rows, std::size_t columns = cols) {
  return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
}

/// Row `to(i)` of y is row `i` of x, n rows at a time.
template <class T>
void checkReversed(const std::string &target, std::size_t rows, std::size_t n) {
  const Values a = someValues(rows * cols, T::dtype);
  const std::size_t blocks = rows / n;
  Values want(rows * cols);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < cols; ++j)
      want[((blocks - 1 - r / n) * n + r % n) * cols + j] = a[r * cols + j];
  const auto found = run<In<T, 2>, Out<T, 2>, Out<T, 2>>(
      target, {matrix(rows), matrix(rows), matrix(rows)}, {a},
      [&](auto x, auto y, auto z) {
        auto t = load(x);
        auto u = zeros_like(t);
        const Index last(static_cast<std::int64_t>(blocks) - 1);
        loop("i", blocks, [&](Index i) {
          store(y.rows(last - i, n), copy(t.rows(i, n)));
          u.rows(last - i, n) = t.rows(i, n);
        });
        store(z, u);
      });
  checkSame(found[0], want);
  checkSame(found[1], want);
}

} // namespace

TEST_CASE("a loop's index chooses rows of a tile") {
  checkReversed<f32>("trn1", 24, 3);
  checkReversed<f32>("trn2", 128, 32);
  checkReversed<bf16>("trn2", 100, 5);
  checkReversed<i32>("trn2", 24, 8);
  checkReversed<f8e4m3>("trn3", 24, 8);
  checkReversed<bf16>("trn3", 256, 64); // More than the partitions there are.
}

TEST_CASE("a bounded register chooses rows of a tile") {
  const Values a = someValues(64 * cols, isa::DType::f32);
  for (const int place : {-3, 0, 17, 62, 1000}) {
    const auto first = static_cast<std::size_t>(std::clamp(place, 0, 62));
    const Values want(a.begin() + static_cast<long>(first * cols),
                      a.begin() + static_cast<long>((first + 2) * cols));
    checkSame(run<In<f32, 2>, In<i32, 2>, Out<f32, 2>>(
                  "trn2", {matrix(64), {1, 1}, matrix(2)},
                  {a, {static_cast<double>(place)}},
                  [](auto x, auto n, auto y) {
                    auto t = load(x);
                    const Index at = nc::register_load(n);
                    store(y, t.rows_at(max(min(at, 62), 0), 2_c));
                  })[0],
              want);
  }
}

TEST_CASE("rows that an index chose are a copy") {
  const Values a = someValues(8 * cols, isa::DType::f32);
  Values want(8 * cols);
  for (std::size_t r = 0; r < 8; ++r)
    for (std::size_t j = 0; j < cols; ++j)
      want[r * cols + j] = a[r * cols + j];
  checkSame(run<In<f32, 2>, Out<f32, 2>>("trn2", {matrix(8), matrix(8)}, {a},
                                         [](auto x, auto y) {
                                           auto t = load(x);
                                           loop("i", 8, [&](Index i) {
                                             auto row = t.rows_at(i, 1_c);
                                             t.rows_at(i, 1_c) += 1.0;
                                             store(y.rows_at(i, 1_c), row);
                                           });
                                         })[0],
            want);
}

TEST_CASE("a tile lists the rows of HBM that move") {
  // The second list has more than a transfer moves, and a row twice.
  for (const std::size_t n : {7, 200}) {
    const std::size_t tableRows = 300;
    const Values table = someValues(tableRows * cols, isa::DType::f32, 1);
    const Values old = someValues(tableRows * cols, isa::DType::bf16, 2);
    Values places(n);
    for (std::size_t i = 0; i < n; ++i)
      places[i] = static_cast<double>(i * 37 % 290);
    places[n - 1] = places[2];
    for (const bool skips : {false, true}) {
      if (skips)
        places[1] = -1, places[n / 2] = 300;
      Values rowsWant(n * cols), tableWant = old;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < cols; ++j) {
          const bool inside = places[i] >= 0 && places[i] < 300;
          const auto row = static_cast<std::size_t>(inside ? places[i] : 0);
          rowsWant[i * cols + j] = inside ? table[row * cols + j] : 0;
          if (inside)
            tableWant[row * cols + j] =
                rounded(table[row * cols + j], isa::DType::bf16);
        }
      const auto mode = skips ? nc::OobMode::skip : nc::OobMode::error;
      const auto found =
          run<In<f32, 2>, In<i32, 2>, Out<f32, 2>, InOut<bf16, 2>>(
              "trn2",
              {matrix(tableRows), matrix(n, 1), matrix(n), matrix(tableRows)},
              {table, places, old}, [&](auto x, auto p, auto y, auto z) {
                const auto rows = load(p);
                const auto chosen = load_rows(x, rows, mode);
                store(y, chosen);
                store_rows(z, rows, chosen, mode);
              });
      checkSame(found[0], rowsWant);
      checkSame(found[1], tableWant);
    }
  }
}

TEST_CASE("a count that is known late says how many rows are loaded") {
  const Values table = someValues(300 * cols, isa::DType::bf16);
  const auto loaded = [&](int start, int count, std::size_t most) {
    return run<In<bf16, 2>, In<i32, 2>, In<i32, 2>, Out<bf16, 2>>(
        "trn2", {matrix(300), {1, 1}, {1, 1}, matrix(most)},
        {table, {static_cast<double>(start)}, {static_cast<double>(count)}},
        [&](auto x, auto s, auto n, auto y) {
          store(y, load_up_to(x, load(s), load(n), most));
        })[0];
  };
  for (const std::size_t most : {1, 16, 128, 200})
    for (const int count : {-1, 0, 1, 16, 130, 200, 1000}) {
      const int start = 100;
      Values want(most * cols);
      for (std::size_t r = 0; r < most; ++r)
        for (std::size_t j = 0; j < cols; ++j)
          if (static_cast<int>(r) < count)
            want[r * cols + j] = table[(start + r) * cols + j];
      checkSame(loaded(start, count, most), want);
    }
  // Nothing is asked of a table beside an empty range.
  checkSame(loaded(5000, 0, 16), Values(16 * cols));
}

TEST_CASE("vectors are rows, and buffers may have more dimensions") {
  const Values a = someValues(8 * 6 * cols, isa::DType::f32, 1);
  const Values b = someValues(cols, isa::DType::f32, 2);
  Values want = a, half(b.begin(), b.begin() + 20);
  for (std::size_t r = 0; r < 8; ++r)
    for (std::size_t j = 0; j < cols; ++j) {
      double &x = want[(r * 6 + 3) * cols + j];
      x = f(x) * f(b[j]);
    }
  const std::vector<Values> found =
      run<In<f32, 3>, In<f32, 1>, Out<f32, 3>, Out<f32, 1>>(
          "trn2", {{8, 6, cols}, {cols}, {8, 6, cols}, {20}}, {a, b},
          [](auto x, auto v, auto y, auto z) {
            const auto row = load(v);
            store(z, row.cols_at(0, 20_c));
            auto t = sbuf<f32>(8_c, 6_c, 40_c);
            nc::dma_copy(t, x);
            t.select(1, 3) *= row;
            auto p = psum<f32>(8_c, 6_c, 40_c, bank(1));
            nc::tensor_copy(p, t);
            store(y, p);
          });
  checkSame(found[0], want);
  checkSame(found[1], half);
}

TEST_CASE("compound assignment rounds to the type of its target") {
  const std::size_t rows = 16;
  const Values a = someValues(rows * cols, isa::DType::f32, 1);
  const Values b = someValues(rows, isa::DType::f32, 2);
  Values want(rows * cols), narrow(rows * cols);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < cols; ++j) {
      float x = f(a[r * cols + j]), sum = 0;
      for (int i = 0; i < 3; ++i) {
        sum += x;
        sum *= 0.5f;
        if (j >= 4 && j < 8)
          sum -= f(b[r]);
      }
      want[r * cols + j] = sum;
      const double half = rounded(x, isa::DType::bf16);
      narrow[r * cols + j] = rounded(f(half) + x, isa::DType::bf16);
    }
  const auto found = run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<bf16, 2>>(
      "trn2", {matrix(rows), matrix(rows, 1), matrix(rows), matrix(rows)},
      {a, b}, [](auto x, auto c, auto y, auto z) {
        const auto t = load(x), column = load(c);
        auto sum = zeros_like(t);
        loop("i", 3, [&](Index) {
          sum += t;
          sum *= 0.5;
          sum.cols_at(4, 4_c) -= column;
        });
        store(y, sum);
        auto half = cast<bf16>(t);
        half += t;
        store(z, half);
      });
  checkSame(found[0], want);
  checkSame(found[1], narrow);
}

TEST_CASE("a scan starts from a column") {
  const std::size_t rows = 130;
  const Values a = someValues(rows * cols, isa::DType::f32, 1);
  const Values b = someValues(rows * cols, isa::DType::f32, 2);
  const Values begin = someValues(rows, isa::DType::f32, 3);
  Values want(rows * cols);
  for (std::size_t r = 0; r < rows; ++r) {
    float state = f(begin[r]);
    for (std::size_t j = 0; j < cols; ++j)
      want[r * cols + j] = state =
          f(a[r * cols + j]) * state + f(b[r * cols + j]);
  }
  checkSame(run<In<f32, 2>, In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
                "trn2",
                {matrix(rows), matrix(rows), matrix(rows, 1), matrix(rows)},
                {a, b, begin},
                [](auto x, auto y, auto s, auto z) {
                  store(z, scan(load(x), load(y), load(s)));
                })[0],
            want);
}

} // namespace kiln::test::chosen_rows_test

//===- TileRowsTest.cpp - Operations along rows against doubles -----------===//
//------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kiln::test::tile_rows_test {

namespace {

// More rows than partitions, and no multiple of them.
constexpr std::size_t rows = 200, cols = 40;
constexpr std::size_t count = rows * cols;
const std::vector<Extents> two{{rows, cols}, {rows, cols}};

Values spreadOver(double range, std::uint64_t seed = 1) {
  Random random(seed);
  Values values(count);
  for (double &value : values)
    value = f((2 * random.uniform() - 1) * range);
  return values;
}

/// Row by row: `of` is given the elements of one.
Values byRow(const Values &x, const std::function<double(const Values &)> &of) {
  Values result;
  for (std::size_t r = 0; r < rows; ++r)
    result.push_back(of(Values(x.begin() + static_cast<long>(r * cols),
                               x.begin() + static_cast<long>((r + 1) * cols))));
  return result;
}

} // namespace

TEST_CASE("reductions of rows") {
  KILN_EVERY_TARGET();
  const Values x = spreadOver(2);
  const auto check = [&](const char *what, const auto &model,
                         const auto &call) {
    INFO(what);
    checkNear(run<In<f32, 2>, Out<f32, 2>>(
                  machine, {{rows, cols}, {rows, 1}}, {x},
                  [&](auto a, auto y) { store(y, call(load(a))); })[0],
              byRow(x, model), 1e-5);
  };
  const auto mean = [](const Values &row) {
    return std::accumulate(row.begin(), row.end(), 0.0) / cols;
  };
  check(
      "min",
      [](const Values &r) { return *std::min_element(r.begin(), r.end()); },
      [](const auto &t) { return row_min(t); });
  check(
      "prod",
      [](const Values &r) {
        return std::accumulate(r.begin(), r.end(), 1.0, std::multiplies<>());
      },
      [](const auto &t) { return row_prod(t); });
  check("mean", mean, [](const auto &t) { return row_mean(t); });
  check(
      "var",
      [&](const Values &r) {
        double sum = 0;
        for (double v : r)
          sum += (v - mean(r)) * (v - mean(r));
        return sum / cols;
      },
      [](const auto &t) { return row_var(t); });
  check(
      "any, all",
      [](const Values &r) {
        const bool any = *std::max_element(r.begin(), r.end()) > 1.9;
        const bool all = *std::min_element(r.begin(), r.end()) > -1.95;
        return any + 2.0 * all;
      },
      [](const auto &t) { return row_any(t > 1.9) + 2 * row_all(t > -1.95); });
  check(
      "argmax",
      [](const Values &r) {
        return std::max_element(r.begin(), r.end()) - r.begin();
      },
      [](const auto &t) { return cast<f32>(row_argmax(t)); });
  Values sums(cols);
  for (std::size_t i = 0; i < count; ++i)
    sums[i % cols] += x[i];
  checkNear(run<In<f32, 2>, Out<f32, 2>>(
                machine, {{rows, cols}, {1, cols}}, {x},
                [](auto a, auto y) { store(y, col_sum(load(a))); })[0],
            sums, 1e-5);
}

TEST_CASE("softmax and rms_norm") {
  KILN_EVERY_TARGET();
  const Values x = spreadOver(5), w = spreadOver(2, 2);
  Values soft(count), norm(count);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      sum += std::exp(x[r * cols + c]);
      squares += x[r * cols + c] * x[r * cols + c];
    }
    for (std::size_t c = 0; c < cols; ++c) {
      soft[r * cols + c] = std::exp(x[r * cols + c]) / sum;
      norm[r * cols + c] =
          x[r * cols + c] / std::sqrt(squares / cols + 1e-6) * w[c];
    }
  }
  const auto out = run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      machine, {{rows, cols}, {1, cols}, {rows, cols}, {rows, cols}},
      {x, Values(w.begin(), w.begin() + cols)},
      [](auto a, auto b, auto y, auto z) {
        store(y, softmax(load(a)));
        store(z, rms_norm(load(a), load(b)));
      });
  checkNear(out[0], soft, 1e-6);
  checkNear(out[1], norm, 1e-5);
}

TEST_CASE("running sums and a recurrence") {
  KILN_EVERY_TARGET();
  const Values x = spreadOver(1, 1), y = spreadOver(1, 2);
  Values sums(count), most(count), decay(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool first = i % cols == 0;
    sums[i] = (first ? 0 : sums[i - 1]) + x[i];
    most[i] = first ? x[i] : std::max(most[i - 1], x[i]);
    decay[i] = (first ? 0.5 : decay[i - 1]) * x[i] + y[i];
  }
  const auto out = run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<f32, 2>,
                       Out<f32, 2>>(
      machine,
      {{rows, cols}, {rows, cols}, {rows, cols}, {rows, cols}, {rows, cols}},
      {x, y}, [](auto a, auto b, auto s, auto m, auto d) {
        store(s, cumsum(load(a)));
        store(m, cummax(load(a)));
        store(d, scan(load(a), load(b), 0.5));
      });
  checkNear(out[0], sums, 1e-5);
  checkSame(out[1], most);
  checkNear(out[2], decay, 1e-5);
}

TEST_CASE("running sums of types that their instructions do not know") {
  KILN_EVERY_TARGET();
  const Values x = someValues(count, isa::DType::i8, 1);
  const Values first = someValues(rows, isa::DType::i8, 2);
  Values sums(count), carried(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool starts = i % cols == 0;
    sums[i] = (starts ? 0 : sums[i - 1]) + x[i];
    carried[i] = (starts ? first[i / cols] : carried[i - 1]) + x[i];
  }
  const auto out =
      run<In<tf32, 2>, In<bf16, 2>, Out<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
          machine,
          {{rows, cols}, {rows, 1}, {rows, cols}, {rows, cols}, {rows, cols}},
          {x, first}, [](auto a, auto b, auto s, auto r, auto d) {
            const auto t = load(a);
            store(s, cumsum(t));
            store(r, scan(ones<tf32>(rows, cols), t, load(b)));
            store(d, dropout(cast<f32>(t), cast<u8>(equal(load(b), 1000.0))));
          });
  checkSame(out[0], sums);
  checkSame(out[1], carried);
  checkSame(out[2], x); // Nowhere at a rate of 0.
}

TEST_CASE("top_k and gather") {
  KILN_EVERY_TARGET();
  constexpr std::size_t k = 11;
  Values x(count);
  for (std::size_t i = 0; i < count; ++i) { // Distinct within a row.
    const std::size_t row = i / cols;
    x[i] = static_cast<double>((i % cols * 17 + row * 3) % cols + row);
  }
  Values values, places;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::size_t> order(cols);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return x[r * cols + a] > x[r * cols + b];
    });
    for (std::size_t i = 0; i < k; ++i) {
      values.push_back(x[r * cols + order[i]]);
      places.push_back(static_cast<double>(order[i]));
    }
  }
  const auto out = run<In<f32, 2>, Out<f32, 2>, Out<u32, 2>, Out<f32, 2>>(
      machine, {{rows, cols}, {rows, k}, {rows, k}, {rows, k}}, {x},
      [](auto a, auto v, auto p, auto g) {
        auto t = load(a);
        auto best = top_k(t, 11_c);
        store(v, best.values);
        store(p, best.places);
        store(g, gather(t, best.places));
      });
  checkSame(out[0], values);
  checkSame(out[1], places);
  checkSame(out[2], values);
}

TEST_CASE("tiles like others, selection, broadcasting") {
  KILN_EVERY_TARGET();
  const Values x = spreadOver(2), column(x.begin(), x.begin() + rows);
  Values want(count), square(30 * 30);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = x[i] > column[i / cols] ? -7.0 : column[i / cols];
  for (std::size_t i = 0; i < square.size(); ++i)
    square[i] = i / 30 == i % 30;
  const auto out =
      run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<bf16, 2>, Out<f32, 2>>(
          machine,
          {{rows, cols}, {rows, 1}, {rows, cols}, {30, 30}, {rows, cols}},
          {x, column}, [](auto a, auto b, auto y, auto i, auto z) {
            auto t = load(a);
            auto c = load(b);
            store(y, where(t > c, full_like(t, -7.0), c));
            store(i, identity<bf16>(30_c));
            store(z, where(t <= c, broadcast_to(c, 200_c, 40_c),
                           zeros_like(t) - 7 * ones_like(t)));
          });
  checkSame(out[0], want);
  checkSame(out[1], square);
  checkSame(out[2], want);
}

TEST_CASE("random numbers are uniform and in order") {
  KILN_EVERY_TARGET();
  const Values seed{1234};
  const auto draw = [&](bool both) {
    return run<In<i32, 2>, Out<f32, 2>, Out<f32, 2>>(
        machine, {{1, 1}, {rows, cols}, {rows, cols}}, {seed},
        [&](auto s, auto y, auto z) {
          random_seed(load(s));
          auto first = rand(200_c, 40_c);
          auto second = rand(200_c, 40_c);
          store(z, second);
          store(y, both ? first : second);
        });
  };
  const auto out = draw(true);
  double sum = 0, squares = 0;
  for (double value : out[0]) {
    REQUIRE((value >= 0 && value < 1));
    sum += value;
    squares += value * value;
  }
  CHECK(sum / count == Approx(0.5).margin(0.02));
  CHECK(squares / count == Approx(1.0 / 3).margin(0.02));
  CHECK(out[0] != out[1]);
  checkSame(draw(true)[0], out[0]);
  // A number that nobody uses is still drawn.
  checkSame(draw(false)[1], out[1]);

  // Each iteration draws anew, whatever else moves out of the loop.
  const Values looped = run<In<i32, 2>, Out<f32, 2>>(
      machine, {{1, 1}, {4 * 128, 16}}, {seed}, [](auto s, auto y) {
        random_seed(load(s));
        loop("i", 4,
             [&](Index i) { store(y.rows(i, 128_c), rand(128_c, 16_c)); });
      })[0];
  CHECK(std::set<double>(looped.begin(), looped.end()).size() >
        looped.size() - 16);
  const Values straight = run<In<i32, 2>, Out<f32, 2>>(
      machine, {{1, 1}, {4 * 128, 16}}, {seed}, [](auto s, auto y) {
        random_seed(load(s));
        for (int i = 0; i < 4; ++i)
          store(y.rows(i, 128_c), rand(128_c, 16_c));
      })[0];
  checkSame(looped, straight);

  const Values x = spreadOver(1);
  const Values kept = run<In<f32, 2>, In<i32, 2>, Out<f32, 2>>(
      machine, {{rows, cols}, {1, 1}, {rows, cols}}, {x, seed},
      [](auto a, auto s, auto y) {
        random_seed(load(s));
        store(y, dropout(load(a), 0.25));
      })[0];
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    dropped += kept[i] == 0;
    if (kept[i] != 0 && kept[i] != x[i])
      FAIL("element " << i << " is " << kept[i]);
  }
  CHECK(static_cast<double>(dropped) / count == Approx(0.25).margin(0.02));
}

} // namespace kiln::test::tile_rows_test

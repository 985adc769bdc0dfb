//===- IntegerTest.cpp - Integers are exact in 32 bits --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>

namespace kiln::test::integer_test {

namespace {

/// Integers that no f32 holds.
Values manyBits(std::size_t count, bool isSigned, std::uint64_t seed = 1) {
  Random random(seed);
  Values values(count);
  for (double &value : values) {
    value = std::floor(random.uniform() * 0x1p32);
    value = isSigned ? value - 0x1p31 : value;
  }
  values[0] = 16777217;
  return values;
}
double wrap(double value, bool isSigned) {
  const auto bits = static_cast<std::uint32_t>(
      static_cast<std::int64_t>(std::fmod(value, 0x1p32)));
  return isSigned ? static_cast<double>(static_cast<std::int32_t>(bits)) : bits;
}

} // namespace

TEST_CASE("integer rows and columns that repeat stay exact") {
  KILN_EVERY_TARGET();
  const std::int64_t rows =
      GENERATE(std::int64_t{2}, std::int64_t{38}, std::int64_t{128},
               std::int64_t{129}, std::int64_t{300});
  const std::int64_t cols =
      GENERATE(std::int64_t{1}, std::int64_t{64}, std::int64_t{700});
  INFO(rows << " rows, " << cols << " columns");
  const auto n = static_cast<std::size_t>(cols);
  const auto count = static_cast<std::size_t>(rows) * n;
  const Values row = manyBits(n, true), tile = manyBits(count, true, 2);
  Values sum(count), chosen(count), repeated(count), less(count), bits(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double a = wrap(row[i % n] + 1, true), b = tile[i];
    sum[i] = wrap(a + b, true);
    chosen[i] = b > 5 ? a : b;
    repeated[i] = a;
    less[i] = a < b;
    bits[i] = static_cast<std::int32_t>(a) ^ static_cast<std::int32_t>(b);
  }
  const auto out = run<In<i32, 2>, In<i32, 2>, Out<i32, 2>, Out<i32, 2>,
                       Out<i32, 2>, Out<u8, 2>, Out<i32, 2>>(
      machine,
      {{1, cols},
       {rows, cols},
       {rows, cols},
       {rows, cols},
       {rows, cols},
       {rows, cols},
       {rows, cols}},
      {row, tile}, [&](auto x, auto t, auto s, auto w, auto r, auto l, auto b) {
        auto one = load(x) + 1; // Computed: no load can repeat it.
        auto all = load(t);
        store(s, one + all);
        store(w, where(all > 5, one, all));
        store(r, broadcast_to(one, rows, cols));
        store(l, one < all);
        store(b, bitwise_xor(all, one));
      });
  checkSame(out[0], sum);
  checkSame(out[1], chosen);
  checkSame(out[2], repeated);
  checkSame(out[3], less);
  checkSame(out[4], bits);
}

TEST_CASE("narrow and unsigned rows that repeat") {
  KILN_EVERY_TARGET();
  const Values row = manyBits(33, false), column{1, 2, 3, 4000000000.0, 5};
  Values sum(5 * 33), narrow(5 * 33);
  const Values bytes = someValues(33, isa::DType::u8);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = wrap(row[i % 33] + column[i / 33], false);
    narrow[i] = bytes[i % 33];
  }
  const auto out = run<In<u32, 2>, In<u32, 2>, In<u8, 2>, Out<u32, 2>,
                       Out<u8, 2>, Out<u32, 2>>(
      machine, {{1, 33}, {5, 1}, {1, 33}, {5, 33}, {5, 33}, {1, 33}},
      {row, column, bytes},
      [&](auto a, auto b, auto c, auto y, auto z, auto m) {
        store(y, (load(a) + 0) + load(b));
        store(z, broadcast_to(load(c), 5_c, 33_c));
        store(m, -load(a));
      });
  checkSame(out[0], sum);
  checkSame(out[1], narrow);
  Values negative = row;
  for (double &value : negative)
    value = wrap(-value, false);
  checkSame(out[2], negative);
}

TEST_CASE("numbers that f32 does not hold") {
  KILN_EVERY_TARGET();
  const double number =
      GENERATE(16777215.0, 16777216.0, 16777217.0, -16777217.0, 2147483647.0,
               -2147483648.0, 0.0, 255.0, -1.0);
  const Values x = manyBits(200 * 8, true);
  Values filled(x.size(), number), sum = x, kept = x, chosen = x, above = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[i] = wrap(x[i] - number, true);
    kept[i] = i / 8 >= i % 8 ? x[i] : number;
    chosen[i] = x[i] > number ? x[i] : number;
    above[i] = x[i] > number;
  }
  const auto out = run<In<i32, 2>, Out<i32, 2>, Out<i32, 2>, Out<i32, 2>,
                       Out<i32, 2>, Out<u8, 2>, Out<i32, 2>>(
      machine,
      {{200, 8}, {200, 8}, {200, 8}, {200, 8}, {200, 8}, {200, 8}, {200, 8}},
      {x}, [&](auto a, auto f, auto s, auto k, auto w, auto c, auto m) {
        auto t = load(a);
        store(f, full<i32>(number, 200_c, 8_c));
        store(s, t - number);
        store(k, keep(t, row(0) >= col(0), number));
        store(w, where(t > number, t, number));
        store(c, t > number);
        store(m, max(t, number));
      });
  checkSame(out[0], filled);
  checkSame(out[1], sum);
  checkSame(out[2], kept);
  checkSame(out[3], chosen);
  checkSame(out[4], above);
  checkSame(out[5], chosen);
}

TEST_CASE("integers and floats are compared as floats") {
  KILN_EVERY_TARGET();
  const Values i{2, 2, 3, -3, 0, 7, 8, 9}, x{2.5, 1.5, 3, -3.5, 0.25, 7, 9, 8};
  Values less(8);
  for (std::size_t n = 0; n < 8; ++n)
    less[n] = i[n] < x[n];
  checkSame(run<In<i32, 2>, In<f32, 2>, Out<u8, 2>>(
                machine, {{1, 8}, {1, 8}, {1, 8}}, {i, x},
                [](auto a, auto b, auto y) { store(y, load(a) < load(b)); })[0],
            less);
}

TEST_CASE("integers move bit for bit") {
  KILN_EVERY_TARGET();
  const Values x = manyBits(150 * 40, true);
  Values turned(x.size()), picked(150 * 2);
  for (std::size_t r = 0; r < 150; ++r) {
    for (std::size_t c = 0; c < 40; ++c)
      turned[c * 150 + r] = x[r * 40 + c];
    picked[r * 2] = x[r * 40 + 39];
    picked[r * 2 + 1] = x[r * 40];
  }
  const auto out = run<In<i32, 2>, Out<i32, 2>, Out<i32, 2>, Out<i32, 2>>(
      machine, {{150, 40}, {40, 150}, {150, 2}, {150, 40}}, {x},
      [](auto a, auto t, auto g, auto v) {
        auto tile = load(a);
        store(t, transpose(tile));
        auto places = full<u32>(0, 150_c, 2_c);
        places.cols_at(0, 1_c) = full<u32>(39, 150_c, 1_c);
        store(g, gather(tile, places));
        auto sum = zeros<i32>(150_c, 40_c);
        loop("i", 3, [&](Index) { sum = sum + tile; });
        store(v, sum.rows_at(0, 150_c) - 2 * copy(tile));
      });
  checkSame(out[0], turned);
  checkSame(out[1], picked);
  checkSame(out[2], x);
}

TEST_CASE("numbers that a tile of integers does not hold") {
  const auto refused = [](const char *code, const auto &body) {
    try {
      recordProbe<In<i32, 2>, Out<i32, 2>>({{8, 8}, {8, 8}}, body);
      FAIL("no error; wanted " << code);
    } catch (const RecordError &error) {
      CHECK(error.code == code);
    }
  };
  const auto fill = [&](const auto &body) { refused("KILN-A160", body); };
  fill([](auto, auto y) { store(y, full<i32>(1.5, 8_c, 8_c)); });
  fill([](auto, auto y) { store(y, full<i32>(2147483648.0, 8_c, 8_c)); });
  fill([](auto, auto y) { store(y, cast<i32>(full<u8>(256, 8_c, 8_c))); });
  fill([](auto, auto y) { store(y, cast<i32>(full<u32>(-1, 8_c, 8_c))); });
  fill([](auto, auto y) { store(y, full<i32>(-inf, 8_c, 8_c)); });
  fill([](auto x, auto y) { store(y, keep(load(x), row(0) > col(0), 0.5)); });
  fill([](auto x, auto y) { store(y, where(load(x) > 0, load(x), 0.5)); });
  fill([](auto x, auto) {
    auto t = load(x);
    loop("i", 2, [&](Index) { t = 0.5; });
  });
  fill([](auto, auto y) {
    auto b = sbuf<i32>(8_c, 8_c);
    nc::memset(b, 1.5);
    store(y, b);
  });
  fill([](auto, auto y) {
    auto b = sbuf<i32>(8_c, 8_c);
    nc::memset(b, 16777217);
    store(y, b);
  });
  const auto meets = [&](const auto &body) { refused("KILN-A025", body); };
  meets([](auto x, auto y) { store(y, load(x) * 0.5); });
  meets([](auto x, auto y) { store(y, load(x) + 4294967296.0); });
  meets([](auto x, auto y) { store(y, max(load(x), 2147483648.0)); });
  meets([](auto x, auto y) { store(y, min(load(x), inf)); });
}

TEST_CASE("a negative number meets unsigned integers by its bits") {
  KILN_EVERY_TARGET();
  const Values x = manyBits(200, false);
  Values product, sum, difference;
  for (const double v : x) {
    product.push_back(wrap(std::fmod(v, 0x1p31) * -2, false));
    sum.push_back(wrap(v - 5, false));
    difference.push_back(wrap(-7 - v, false));
  }
  const auto out = run<In<u32, 2>, Out<u32, 2>, Out<u32, 2>, Out<u32, 2>>(
      machine, {{2, 100}, {2, 100}, {2, 100}, {2, 100}}, {x},
      [](auto a, auto p, auto s, auto d) {
        auto t = load(a);
        store(p, t * -2);
        store(s, t + -5);
        store(d, -7 - t);
      });
  checkSame(out[0], product);
  checkSame(out[1], sum);
  checkSame(out[2], difference);
  // Constants are no exception.
  checkSame(run<Out<f32, 2>>(machine, {{1, 1}}, {},
                             [](auto y) {
                               store(y, cast<f32>(full<u32>(1, 1, 1) * -2));
                             })[0],
            {0x1p32});
}

} // namespace kiln::test::integer_test

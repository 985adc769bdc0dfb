//===- TileFunctionsTest.cpp - Tile operations against doubles ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>
#include <functional>

namespace kiln::test::tile_functions_test {

namespace {

// More rows than partitions, and no multiple of them.
constexpr std::size_t rows = 200, cols = 40;
constexpr std::size_t count = rows * cols;
const std::vector<Extents> two{{rows, cols}, {rows, cols}};
const std::vector<Extents> three{{rows, cols}, {rows, cols}, {rows, cols}};

using Function = std::function<double(double)>;
using Function2 = std::function<double(double, double)>;

/// y = call(load(x)) of f32, against a function of each element.
template <class Call>
void checkUnary(const char *what, const Values &x, const Function &want,
                double tolerance, const Call &call) {
  INFO(what);
  Values expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    expected[i] = want(x[i]);
  checkNear(run<In<f32, 2>, Out<f32, 2>>(
                machine, two, {x},
                [&](auto a, auto y) { store(y, call(load(a))); })[0],
            expected, tolerance);
}
template <class Call>
void checkBinary(const char *what, const Values &a, const Values &b,
                 const Function2 &want, double tolerance, const Call &call) {
  INFO(what);
  Values expected(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    expected[i] = want(a[i], b[i]);
  checkNear(
      run<In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
          machine, three, {a, b},
          [&](auto x, auto y, auto z) { store(z, call(load(x), load(y))); })[0],
      expected, tolerance);
}

Values spreadOver(double range, std::uint64_t seed = 1) {
  Random random(seed);
  Values values(count);
  for (double &value : values)
    value = f((2 * random.uniform() - 1) * range);
  return values;
}

} // namespace

TEST_CASE("functions of one element") {
  KILN_EVERY_TARGET();
  const Values x = spreadOver(4);
  checkUnary(
      "arctan", x, [](double v) { return std::atan(v); }, 1e-6,
      [](const auto &t) { return arctan(t); });
  checkUnary(
      "sign", x, [](double v) { return (v > 0) - (v < 0); }, 0,
      [](const auto &t) { return sign(t); });
  checkUnary(
      "softplus", x, [](double v) { return std::log1p(std::exp(v)); }, 1e-6,
      [](const auto &t) { return softplus(t); });
  checkUnary(
      "mish", x,
      [](double v) { return v * std::tanh(std::log1p(std::exp(v))); }, 1e-6,
      [](const auto &t) { return mish(t); });
  checkUnary(
      "erf", x, [](double v) { return std::erf(v); }, 1e-6,
      [](const auto &t) { return erf(t); });
  checkUnary(
      "erf_dx", x,
      [](double v) { return 1.1283791670955126 * std::exp(-v * v); }, 1e-6,
      [](const auto &t) { return erf_dx(t); });
  const auto normal = [](double v) { return 0.5 * std::erfc(-v / M_SQRT2); };
  checkUnary(
      "gelu_dx", x,
      [&](double v) {
        return normal(v) + v * 0.3989422804014327 * std::exp(-v * v / 2);
      },
      1e-6, [](const auto &t) { return gelu_dx(t); });
  const auto sigma = [](double v) { return 1 / (1 + std::exp(-v)); };
  checkUnary(
      "gelu_apprx_sigmoid", x, [&](double v) { return v * sigma(1.702 * v); },
      1e-6, [](const auto &t) { return gelu_apprx_sigmoid(t); });
  checkUnary(
      "gelu_apprx_sigmoid_dx", x,
      [&](double v) {
        const double s = sigma(1.702 * v);
        return s + 1.702 * v * s * (1 - s);
      },
      1e-6, [](const auto &t) { return gelu_apprx_sigmoid_dx(t); });
  checkUnary(
      "gelu_apprx_tanh", x,
      [](double v) {
        return 0.5 * v *
               (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
      },
      1e-6, [](const auto &t) { return gelu_apprx_tanh(t); });
  checkUnary(
      "silu_dx", x,
      [&](double v) { return sigma(v) * (1 + v * (1 - sigma(v))); }, 1e-6,
      [](const auto &t) { return silu_dx(t); });
  checkUnary(
      "prelu", x, [](double v) { return v >= 0 ? v : 0.25 * v; }, 1e-7,
      [](const auto &t) { return prelu(t, 0.25); });
}

TEST_CASE("angles far from 0") {
  KILN_EVERY_TARGET();
  const Values x = spreadOver(3000);
  checkUnary(
      "sin", x, [](double v) { return std::sin(v); }, 2e-6,
      [](const auto &t) { return sin(t); });
  checkUnary(
      "cos", x, [](double v) { return std::cos(v); }, 2e-6,
      [](const auto &t) { return cos(t); });
  checkUnary(
      "tan", spreadOver(1.5), [](double v) { return std::tan(v); }, 1e-5,
      [](const auto &t) { return tan(t); });
}

TEST_CASE("angles beyond all turns that are reduced exactly") {
  KILN_EVERY_TARGET();
  // Up to 2^13 turns, at quarters of turns too.
  Values x = spreadOver(0x1p13 * 2 * M_PI);
  for (std::size_t i = 0; i < 400; ++i) {
    const std::size_t quarters = i * i / 5;
    x[i] = f((static_cast<double>(quarters) - 16000) * M_PI / 2);
  }
  checkUnary(
      "sin", x, [](double v) { return std::sin(v); }, 2e-7,
      [](const auto &t) { return sin(t); });
  checkUnary(
      "cos", x, [](double v) { return std::cos(v); }, 2e-7,
      [](const auto &t) { return cos(t); });
  // And beyond: what a sine may be, but NaN for no number.
  Random random(4);
  for (std::size_t i = 0; i < count; ++i)
    x[i] =
        f(std::ldexp(2 * random.uniform() - 1, 17 + static_cast<int>(i % 111)));
  x[0] = 0x1p31, x[1] = 1e38, x[2] = -0x1.fffffep127, x[3] = inf;
  const auto out = run<In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      machine, three, {x}, [](auto a, auto s, auto c) {
        const auto t = load(a);
        store(s, sin(t));
        store(c, cos(t));
      });
  for (const Values &values : out)
    for (std::size_t i = 0; i < count; ++i)
      if (!(i == 3 ? std::isnan(values[i]) : std::abs(values[i]) <= 1))
        FAIL("of " << x[i] << ": " << values[i]);
}

TEST_CASE("rounding to integers") {
  KILN_EVERY_TARGET();
  Values x = spreadOver(1000);
  // Ties, integers, what fp32 holds no fraction of, infinities and NaN.
  const double special[] = {
      0.5, 1.5,       2.5,        -0.5,       -1.5, 3,
      -4,  8388607.5, 8388608,    1e9,        -1e9, 0x1.8p127,
      inf, -inf,      -8388607.5, 0.49999997, -0.3, 0};
  std::copy(std::begin(special), std::end(special), x.begin());
  const auto check = [&](const char *what, const Function &want,
                         const auto &call) {
    INFO(what);
    Values expected(count);
    for (std::size_t i = 0; i < count; ++i)
      expected[i] = want(x[i]);
    checkSame(run<In<f32, 2>, Out<f32, 2>>(
                  machine, two, {x},
                  [&](auto a, auto y) { store(y, call(load(a))); })[0],
              expected);
  };
  check(
      "round", [](double v) { return std::nearbyint(v); },
      [](const auto &t) { return round(t); });
  check(
      "floor", [](double v) { return std::floor(v); },
      [](const auto &t) { return floor(t); });
  check(
      "ceil", [](double v) { return std::ceil(v); },
      [](const auto &t) { return ceil(t); });
  check(
      "trunc", [](double v) { return std::trunc(v); },
      [](const auto &t) { return trunc(t); });
}

TEST_CASE("divide, remainders and powers") {
  KILN_EVERY_TARGET();
  const Values a = spreadOver(100, 1);
  Values b = spreadOver(10, 2);
  for (double &value : b)
    value = std::abs(value) < 0.1 ? 3 : value;
  checkBinary("divide", a, b, std::divides<double>(), 1e-6,
              [](const auto &x, const auto &y) { return x / y; });
  checkBinary(
      "abs_max", a, b,
      [](double x, double y) { return std::abs(x) > std::abs(y) ? x : y; }, 0,
      [](const auto &x, const auto &y) { return abs_max(x, y); });
  checkBinary(
      "abs_min", a, b,
      [](double x, double y) { return std::abs(x) < std::abs(y) ? x : y; }, 0,
      [](const auto &x, const auto &y) { return abs_min(x, y); });
  // Whole numbers: remainders are exact.
  Values n(count), m(count);
  for (std::size_t i = 0; i < count; ++i) {
    n[i] = std::floor(a[i] * 20);
    m[i] = std::floor(b[i]) == 0 ? 7 : std::floor(b[i]);
  }
  checkBinary(
      "mod", n, m, [](double x, double y) { return x - y * std::floor(x / y); },
      0, [](const auto &x, const auto &y) { return mod(x, y); });
  checkBinary(
      "fmod", n, m, [](double x, double y) { return std::fmod(x, y); }, 0,
      [](const auto &x, const auto &y) { return fmod(x, y); });
  checkUnary(
      "mod 7", n, [](double x) { return x - 7 * std::floor(x / 7); }, 0,
      [](const auto &x) { return mod(x, 7); });
  checkUnary(
      "mod -2.5", n, [](double x) { return x + 2.5 * std::floor(x / -2.5); }, 0,
      [](const auto &x) { return mod(x, -2.5); });
  checkUnary(
      "fmod 7", n, [](double x) { return std::fmod(x, 7); }, 0,
      [](const auto &x) { return fmod(x, 7); });
  Values p = spreadOver(3, 3), e = spreadOver(2, 4);
  for (double &value : p)
    value = std::abs(value) + 0.1;
  for (double &value : p)
    value = f(value);
  checkBinary(
      "power", p, e, [](double x, double y) { return std::pow(x, y); }, 2e-6,
      [](const auto &x, const auto &y) { return power(x, y); });
  for (const double exponent : {2.0, 3.0, 0.5, -0.5, -1.0, 1.0, 1.7})
    checkUnary(
        "power of a number", p, [&](double x) { return std::pow(x, exponent); },
        2e-6, [&](const auto &x) { return power(x, exponent); });
}

TEST_CASE("magnitudes of unsigned numbers are exact") {
  KILN_EVERY_TARGET();
  Values a(count), b(count), most(count), least(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = 4294967295.0 - static_cast<double>(i % 5);
    b[i] = i % 2 == 0 ? 16777217.0 : 4294967295.0 - static_cast<double>(i % 7);
    most[i] = std::max(a[i], b[i]);
    least[i] = std::min(a[i], b[i]);
  }
  const auto out = run<In<u32, 2>, In<u32, 2>, Out<u32, 2>, Out<u32, 2>>(
      machine, std::vector<Extents>(4, {rows, cols}), {a, b},
      [&](auto x, auto y, auto z, auto w) {
        store(z, abs_max(load(x), load(y)));
        store(w, abs_min(load(x), load(y)));
      });
  checkSame(out[0], most);
  checkSame(out[1], least);
}

TEST_CASE("integers are exact") {
  KILN_EVERY_TARGET();
  Values a(count), b(count), want(count);
  Random random(5);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = std::floor((random.uniform() * 2 - 1) * 2147483647.0);
    b[i] = std::floor((random.uniform() * 2 - 1) * 2147483647.0);
    if (i % 4 == 1) // Closer to a, or to -a, than f32 can tell.
      b[i] = (i % 8 == 1 ? a[i] : -a[i]) + static_cast<double>(i % 3) - 1;
  }
  a[0] = b[2] = -2147483648.0;
  b[0] = a[2] = 2147483647.0;
  const auto wrapped = [](std::int64_t value) {
    return static_cast<double>(
        static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
  };
  const auto check = [&](const char *what, const auto &model,
                         const auto &call) {
    INFO(what);
    for (std::size_t i = 0; i < count; ++i)
      want[i] = model(static_cast<std::int64_t>(a[i]),
                      static_cast<std::int64_t>(b[i]));
    checkSame(run<In<i32, 2>, In<i32, 2>, Out<i32, 2>>(
                  machine, three, {a, b},
                  [&](auto x, auto y, auto z) {
                    store(z, call(load(x), load(y)));
                  })[0],
              want);
  };
  using Whole = std::int64_t;
  check(
      "add", [&](Whole x, Whole y) { return wrapped(x + y); },
      [](const auto &x, const auto &y) { return x + y; });
  check(
      "multiply by a number",
      [&](Whole x, Whole) { return wrapped(x * 16777217); },
      [](const auto &x, const auto &) { return x * 16777217; });
  check(
      "7 - x", [&](Whole x, Whole) { return wrapped(-123456789 - x); },
      [](const auto &x, const auto &) { return -123456789 - x; });
  check(
      "maximum",
      [&](Whole x, Whole y) { return static_cast<double>(std::max(x, y)); },
      [](const auto &x, const auto &y) { return max(x, y); });
  const auto magnitude = [](Whole x) { return x < 0 ? -x : x; };
  check(
      "abs_max",
      [&](Whole x, Whole y) {
        return static_cast<double>(magnitude(x) > magnitude(y) ? x : y);
      },
      [](const auto &x, const auto &y) { return abs_max(x, y); });
  check(
      "abs_min",
      [&](Whole x, Whole y) {
        return static_cast<double>(magnitude(x) < magnitude(y) ? x : y);
      },
      [](const auto &x, const auto &y) { return abs_min(x, y); });
  check(
      "where less",
      [&](Whole x, Whole y) { return wrapped(x < y ? x : y - 1000000001); },
      [](const auto &x, const auto &y) {
        return where(x < y, x, y - 1000000001);
      });
  check(
      "xor, and, shift",
      [&](Whole x, Whole y) {
        const auto bits = static_cast<std::uint32_t>(x ^ y) & 0xff00ffffu;
        return static_cast<double>(bits >> 4);
      },
      [](const auto &x, const auto &y) {
        return right_shift(bitwise_and(bitwise_xor(x, y), 0xff00ffff), 4);
      });
  check(
      "not or", [&](Whole x, Whole y) { return wrapped(~(x | y)); },
      [](const auto &x, const auto &y) { return invert(bitwise_or(x, y)); });
  // Narrow ones widen; a fraction is refused.
  const Values c = someValues(count, isa::DType::u16, 6);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = c[i] * c[i] + 65535;
  checkSame(run<In<u16, 2>, Out<i32, 2>>(machine, two, {c},
                                         [](auto x, auto y) {
                                           auto t = load(x);
                                           store(y, t * t + 65535);
                                         })[0],
            want);
  try {
    recordProbe<In<i32, 2>, Out<i32, 2>>(
        two, [](auto x, auto y) { store(y, load(x) * 0.5); });
    FAIL("a fraction of an integer tile was recorded");
  } catch (const RecordError &error) {
    CHECK(error.code == "KILN-A025");
    CHECK(error.message.find("0.5") != std::string::npos);
  }
}

} // namespace kiln::test::tile_functions_test

//===- TensorTest.cpp - Calls of tensor-engine instructions ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

namespace kiln::test::tensor_test {

namespace {

/// [M, N] = sum over k of a[k, m] b[k, n].
Values product(const Values &a, const Values &b, std::size_t k, std::size_t m,
               std::size_t n) {
  Values c(m * n);
  for (std::size_t i = 0; i < m * n; ++i)
    for (std::size_t x = 0; x < k; ++x)
      c[i] += a[x * m + i / n] * b[x * n + i % n];
  return c;
}

/// Values that their type holds, small enough for exact sums in fp32.
Values whole(std::size_t count, std::uint64_t seed) {
  Values values = someValues(count, isa::DType::i8, seed);
  for (double &value : values)
    value = static_cast<double>(static_cast<int>(value) % 8);
  return values;
}

} // namespace

KILN_INSTRUCTION(nc_matmul) {
  const Values a = whole(96 * 64, 1), b = whole(96 * 80, 2);
  Values want = product(a, b, 96, 64, 80);
  for (double &value : want)
    value *= 2; // accumulated onto itself
  for (const char *target : {"trn1", "trn2", "trn3"})
    checkSame(run<In<bf16, 2>, In<f16, 2>, Out<f32, 2>>(
                  target, {{96, 64}, {96, 80}, {64, 80}}, {a, b},
                  [](auto x, auto y, auto z) {
                    auto s = load(x);
                    auto m = load(y);
                    auto t = psum<f32>(64_c, 80_c);
                    nc::nc_matmul(t, s, m);
                    nc::nc_matmul(t, s, m, {.accumulate = true});
                    store(z, copy(t));
                  })[0],
              want);

  // Four tiles of the PE array, by row and column of 64.
  const Values c = whole(128 * 64, 3), d = whole(128 * 32, 4);
  Values tiles(128 * 32);
  for (std::size_t half = 0; half < 2; ++half) {
    const Values part =
        product(Values(c.begin() + static_cast<long>(half * 64 * 64),
                       c.begin() + static_cast<long>((half + 1) * 64 * 64)),
                Values(d.begin() + static_cast<long>(half * 64 * 32),
                       d.begin() + static_cast<long>((half + 1) * 64 * 32)),
                64, 64, 32);
    std::copy(part.begin(), part.end(),
              tiles.begin() + static_cast<long>(half * 64 * 32));
  }
  checkSame(run<In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
                "trn2", {{128, 64}, {128, 32}, {128, 32}}, {c, d},
                [](auto x, auto y, auto z) {
                  auto s = load(x);
                  auto m = load(y);
                  auto t = psum<f32>(128_c, 32_c);
                  for (int half : {0, 1})
                    nc::nc_matmul(
                        t.rows(half, 64_c), s.rows(half, 64_c),
                        m.rows(half, 64_c),
                        {.is_moving_onezero = false,
                         .tile_position = nc::Pair(64 * half, 64 * half),
                         .tile_size = nc::Pair(64, 64)});
                  store(z, copy(t));
                })[0],
            tiles);

  // Two rows of K in a partition, 8-bit floats: K = 2 * 64.
  const Values e = whole(64 * 2 * 32, 5), g = whole(64 * 2 * 48, 6);
  Values pairs(32 * 48);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t k = 0; k < 128; ++k)
      pairs[i] += e[k * 32 + i / 48] * g[k * 48 + i % 48];
  checkSame(run<In<f8e4m3, 2>, In<f8e5m2, 2>, Out<f32, 2>>(
                "trn2", {{64, 64}, {64, 96}, {32, 48}}, {e, g},
                [](auto x, auto y, auto z) {
                  auto t = psum<f32>(32_c, 48_c);
                  nc::nc_matmul(t, load(x).reshape(64_c, 2_c, 32_c),
                                load(y).reshape(64_c, 2_c, 48_c),
                                {.perf_mode = nc::PerformanceMode::double_row});
                  store(z, copy(t));
                })[0],
            pairs);
}

KILN_INSTRUCTION(nc_transpose) {
  const Values a = someValues(96 * 64, isa::DType::f32);
  Values want(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    want[i] = a[i % 96 * 64 + i / 96];
  checkSame(run<In<f32, 2>, Out<f32, 2>>("trn2", {{96, 64}, {64, 96}}, {a},
                                         [](auto x, auto y) {
                                           auto t = psum<f32>(64_c, 96_c);
                                           nc::nc_transpose(t, load(x));
                                           store(y, copy(t));
                                         })[0],
            want);
  // Integers, on the vector engine, within SBUF.
  const Values n = someValues(32 * 24, isa::DType::u16);
  Values turned(n.size());
  for (std::size_t i = 0; i < n.size(); ++i)
    turned[i] = n[i % 32 * 24 + i / 32];
  checkSame(run<In<u16, 2>, Out<u16, 2>>(
                "trn1", {{32, 24}, {24, 32}}, {n},
                [](auto x, auto y) {
                  auto t = sbuf<u16>(24_c, 32_c);
                  nc::nc_transpose(t, load(x), {.engine = nc::Engine::vector});
                  store(y, t);
                })[0],
            turned);
}

namespace {

/// What quantize_mx makes of [P, 4 F] values: the values of the packed elements
/// and the scales, [P / 8, F].
struct QuantizedWant {
  Values elements, scales;
};
QuantizedWant quantized(const Values &a, std::size_t partitions,
                        std::size_t width, isa::DType element,
                        int largestExponent) {
  QuantizedWant result{Values(a.size()), Values(partitions / 8 * width)};
  for (std::size_t g = 0; g < partitions / 8; ++g)
    for (std::size_t c = 0; c < width; ++c) {
      auto at = [&](std::size_t i) {
        return (g * 8 + i / 4) * width * 4 + c * 4 + i % 4;
      };
      double most = 0;
      for (std::size_t i = 0; i < 32; ++i)
        most = std::max(most, std::abs(a[at(i)]));
      const int exponent = std::ilogb(most) - (largestExponent - 1);
      result.scales[g * width + c] = exponent + 127;
      for (std::size_t i = 0; i < 32; ++i)
        result.elements[at(i)] =
            rounded(std::ldexp(a[at(i)], -exponent), element);
    }
  return result;
}
/// Scale row g lies at partition 32 (g / 4) + g % 4.
Values spread(const Values &scales, std::size_t width) {
  const std::size_t groups = scales.size() / width;
  Values rows((32 * ((groups - 1) / 4) + 4) * width, 0.0);
  for (std::size_t i = 0; i < scales.size(); ++i)
    rows[(32 * (i / width / 4) + i / width % 4) * width + i % width] =
        scales[i];
  return rows;
}

} // namespace

KILN_INSTRUCTION(quantize_mx) {
  const Values a = someValues(64 * 96, isa::DType::bf16);
  const QuantizedWant want = quantized(a, 64, 24, isa::DType::f8e4m3fn, 8);
  const auto out = run<In<bf16, 2>, Out<f8e4m3fn_x4, 2>, Out<u8, 2>>(
      "trn3", {{64, 96}, {64, 24}, {36, 24}}, {a}, [](auto x, auto y, auto z) {
        auto packed = sbuf<f8e4m3fn_x4>(64_c, 24_c);
        auto scale = sbuf<u8>(36_c, 24_c);
        nc::memset(scale, 0.0);
        nc::quantize_mx(packed, load(x), scale);
        store(y, packed);
        store(z, scale);
      });
  checkSame(out[0], want.elements);
  checkSame(out[1], spread(want.scales, 24));
}

KILN_INSTRUCTION(nc_matmul_mx) {
  constexpr std::size_t k = 64, m = 16, n = 40;
  const Values a = someValues(k * m * 4, isa::DType::bf16, 1);
  Values b(k * n * 4); // what four bits hold
  const Values moved = someValues(b.size(), isa::DType::i8, 2);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = rounded(moved[i] / 20, isa::DType::f4e2m1fn_x4);
  const QuantizedWant left = quantized(a, k, m, isa::DType::f8e5m2, 15);
  Values scale(k / 8 * n), want(m * n);
  for (std::size_t i = 0; i < scale.size(); ++i)
    scale[i] = std::ldexp(1.0, static_cast<int>(i % 5) - 2);
  for (std::size_t i = 0; i < want.size(); ++i)
    for (std::size_t x = 0; x < k * 4; ++x) {
      const std::size_t row = x / 4, q = x % 4, r = i / n, c = i % n;
      want[i] +=
          std::ldexp(left.elements[row * m * 4 + r * 4 + q],
                     static_cast<int>(left.scales[row / 8 * m + r]) - 127) *
          b[row * n * 4 + c * 4 + q] * scale[row / 8 * n + c];
    }
  // Rows between the scales must be numbers of the type: 1.
  Values scaleRows = spread(scale, n);
  for (double &value : scaleRows)
    value = value == 0 ? 1 : value;
  const auto out =
      run<In<bf16, 2>, In<f4e2m1fn_x4, 2>, In<f8e8m0, 2>, Out<f32, 2>>(
          "trn3", {{k, m * 4}, {k, n}, {36, n}, {m, n}}, {a, b, scaleRows},
          [](auto x, auto y, auto s, auto z) {
            auto packed = sbuf<f8e5m2_x4>(64_c, 16_c);
            auto scales = sbuf<f8e8m0>(36_c, 16_c);
            nc::quantize_mx(packed, load(x), scales);
            auto t = psum<f32>(16_c, 40_c);
            nc::nc_matmul_mx(t, packed, load(y), scales, load(s));
            store(z, copy(t));
          });
  checkNear(out[0], want, 1e-5);
}

} // namespace kiln::test::tensor_test

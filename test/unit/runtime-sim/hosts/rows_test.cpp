//===- rows_test.cpp - Row loops of all versions, bit for bit -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop of each version that this host can run against the plain one: many
// values, then every length up to a few vectors, whose rests wide loops treat
// apart. No LLVM here: the same program runs alone in an emulated computer.
//
//===----------------------------------------------------------------------===//

#include "../function/Bench.h"
#include "Versions.h"

#include "catch.h"

#include <algorithm>
#include <cstdio>
#include <functional>

using namespace bench;
using sim::Kernels;

namespace {

/// Beyond the widest vector of any version, and its remainder loops.
constexpr std::size_t longest = 70;
constexpr std::size_t many = 10007;

/// Magnitudes as they come, then all exponents and signs alike.
std::vector<float> values(unsigned seed) {
  std::vector<float> result = someFloats(many, seed);
  for (std::uint32_t i = 0; i < many; ++i)
    result.push_back(std::bit_cast<float>((i + seed) * 0x9e3779b1u));
  return result;
}

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> result;
  for (std::size_t n = 0; n <= longest; ++n)
    result.push_back(n);
  result.push_back(2 * many);
  return result;
}

enum class Holds { bits, floats };

/// What `call` leaves in a row of `bytes`, and behind it.
std::vector<std::uint8_t>
written(const Kernels &kernels, std::size_t bytes, Holds holds,
        const std::function<void(const Kernels &, void *)> &call) {
  constexpr std::size_t behind = 64;
  std::vector<std::uint8_t> row(bytes + behind, 0xab);
  call(kernels, row.data());
  if (holds == Holds::bits)
    return row;
  // Which NaN it is, canonicalise() decides afterwards.
  for (std::size_t at = 0; at < bytes; at += sizeof(float)) {
    float x;
    std::memcpy(&x, &row[at], sizeof x);
    if (std::isnan(x))
      x = std::bit_cast<float>(0x7fc00000u);
    std::memcpy(&row[at], &x, sizeof x);
  }
  return row;
}

/// Holds every version to the plain one.
void compare(const std::string &what, std::size_t bytes, Holds holds,
             const std::function<void(const Kernels &, void *)> &call) {
  const auto expected = written(*sim::allKernels()[0], bytes, holds, call);
  for (const Kernels *version : sim::versionsUnderTest()) {
    const auto found = written(*version, bytes, holds, call);
    const auto [a, b] =
        std::mismatch(expected.begin(), expected.end(), found.begin());
    INFO(version->name << ", " << what << ", " << bytes << " bytes, at byte "
                       << a - expected.begin());
    CHECK(a == expected.end());
  }
}

void compareFloats(const std::string &what, std::size_t n,
                   const std::function<void(const Kernels &, float *)> &call) {
  compare(what, n * sizeof(float), Holds::floats,
          [&](const Kernels &kernels, void *out) {
            call(kernels, static_cast<float *>(out));
          });
}

} // namespace

TEST_CASE("a version of the row loops can be forced") {
  REQUIRE_FALSE(sim::versionsUnderTest().empty());
  std::string names;
  for (const Kernels *version : sim::versionsUnderTest()) {
    const sim::Forced forced(version);
    CHECK(&sim::kernels() == version);
    names += std::string(" ") + version->name;
  }
  CHECK(&sim::kernels() == sim::allKernels().back());
  std::printf("versions compared with the plain one:%s\n", names.c_str());
}

TEST_CASE("functions of all versions give the same bits") {
  const std::vector<float> in = values(9);
  const Kernels &plain = *sim::allKernels()[0];
  REQUIRE(plain.numFunctions > 0);
  for (const std::size_t n : lengths()) {
    for (std::size_t f = 0; f < plain.numFunctions; ++f)
      compareFloats(plain.functions[f].name, n,
                    [&](const Kernels &k, float *o) {
                      k.functions[f].row(in.data(), o, n);
                    });
    compareFloats("prelu", n, [&](const Kernels &k, float *out) {
      k.prelu(in.data(), 0.3f, out, n);
    });
    compareFloats("affine", n, [&](const Kernels &k, float *out) {
      k.affine(in.data(), 0.3f, 1.7f, out, n);
    });
    compare("canonicalise", n * sizeof(float), Holds::bits,
            [&](const Kernels &k, void *out) {
              std::memcpy(out, in.data(), n * sizeof(float));
              k.canonicalise(static_cast<float *>(out), n);
            });
  }
}

TEST_CASE("operators of all versions give the same bits") {
  const std::vector<float> in = values(9), other = values(10);
  const Kernels &plain = *sim::allKernels()[0];
  REQUIRE(plain.numOperators > 0);
  REQUIRE(plain.numIntegerOperators > 0);
  for (const std::size_t n : lengths()) {
    for (std::size_t op = 0; op < plain.numOperators; ++op) {
      const Kernels::Operator &known = plain.operators[op];
      const std::string name = known.name;
      if (known.vv)
        compareFloats(name, n, [&](const Kernels &k, float *out) {
          k.operators[op].vv(in.data(), other.data(), out, n);
        });
      for (const float b : {-1.25f, 3.0f}) {
        if (known.vs)
          compareFloats(name + " scalar", n, [&](const Kernels &k, float *out) {
            k.operators[op].vs(in.data(), b, out, n);
          });
        if (known.sv)
          compareFloats("scalar " + name, n, [&](const Kernels &k, float *out) {
            k.operators[op].sv(in.data(), b, out, n);
          });
      }
    }
    std::vector<std::uint32_t> a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = std::bit_cast<std::uint32_t>(in[i]);
      b[i] = i % 3 ? std::bit_cast<std::uint32_t>(other[i])
                   : static_cast<std::uint32_t>(i % 40); // shifts
    }
    for (std::size_t op = 0; op < plain.numIntegerOperators; ++op)
      for (const bool isSigned : {false, true}) {
        const auto rowOf = [&](const Kernels &k) {
          const Kernels::IntegerOperator &entry = k.integerOperators[op];
          return isSigned ? entry.onSigned : entry.onUnsigned;
        };
        if (rowOf(plain))
          compare(plain.integerOperators[op].name, n * 4, Holds::bits,
                  [&](const Kernels &k, void *out) {
                    rowOf(k)(a.data(), b.data(),
                             static_cast<std::uint32_t *>(out), n);
                  });
      }
  }
}

TEST_CASE("conversions of all versions give the same bits") {
  const std::vector<float> in = values(11);
  const Kernels &plain = *sim::allKernels()[0];
  for (const isa::DTypeInfo &type : isa::dtypeTable) {
    const auto d = static_cast<std::size_t>(type.dtype);
    const std::string name(isa::name(type.dtype));
    for (const std::size_t length : lengths()) {
      // Packed types come by whole elements.
      const std::size_t elements = length / type.values;
      const std::size_t n = elements * type.values;
      for (std::size_t r = 0; r < Kernels::roundings; ++r)
        if (plain.narrow[r][d])
          compare("to " + name + ", rounding " + std::to_string(r),
                  elements * type.bytes, Holds::bits,
                  [&](const Kernels &k, void *out) {
                    k.narrow[r][d](in.data(), out, n, 5);
                  });
      if (plain.widen[d])
        compareFloats("from " + name, n, [&](const Kernels &k, float *out) {
          k.widen[d](in.data(), out, n);
        });
    }
  }
}

TEST_CASE("ordered sums and extremes of all versions give the same bits") {
  const std::vector<float> in = values(12);
  for (const std::size_t n : lengths()) {
    for (std::size_t count = 1; count <= Kernels::maxSumRows; ++count)
      compareFloats("sumRows", count, [&](const Kernels &k, float *out) {
        const float *rows[Kernels::maxSumRows];
        for (std::size_t r = 0; r < count; ++r) {
          rows[r] = &in[n <= longest ? r * 100 : 0];
          out[r] = static_cast<float>(r);
        }
        k.sumRows(rows, count, n, out);
      });
    for (std::size_t at = 0; at + n <= in.size() && at < 3000; at += 97)
      for (const float start : {-INFINITY, INFINITY, 0.0f}) {
        compareFloats("maxRow", 1, [&](const Kernels &k, float *out) {
          *out = k.maxRow(start, &in[at], n);
        });
        compareFloats("minRow", 1, [&](const Kernels &k, float *out) {
          *out = k.minRow(start, &in[at], n);
        });
      }
  }
}

TEST_CASE("products of all versions give the same bits") {
  const std::vector<float> in = someFloats(61 * 170, 13);
  constexpr std::size_t depth = 61;
  // Every rest of rows and of columns that a tile may leave.
  for (std::size_t m = 1; m <= longest; ++m)
    for (const bool isBf16 : {false, true})
      for (const bool accumulate : {false, true}) {
        const std::size_t n = longest + 1 - m;
        const std::ptrdiff_t size = isBf16 ? 2 : 4;
        compare("product", m * n * sizeof(float), Holds::bits,
                [&](const Kernels &k, void *to) {
                  std::vector<float> packed(k.packedSize(m, depth));
                  std::vector<float> panel(depth * Kernels::panelColumns);
                  auto *out = static_cast<float *>(to);
                  std::fill_n(out, m * n, 1.5f);
                  k.pack({in.data(), 80 * size, isBf16}, m, depth,
                         packed.data());
                  const Kernels::Product product{packed.data(),
                                                 {&in[5000], 82 * size, isBf16},
                                                 out,
                                                 accumulate};
                  k.matmul(&product, 1, {depth, m, n, n}, panel.data());
                });
      }
}

TEST_CASE("products side by side give the bits of one after the other") {
  constexpr std::size_t depth = 19, m = 21, n = 77, pitch = 200;
  const std::vector<float> in = someFloats(2 * depth * pitch, 17);
  for (const Kernels *version : sim::versionsUnderTest()) {
    CAPTURE(std::string(version->name));
    std::vector<float> packed(3 * version->packedSize(m, depth));
    std::vector<float> panel(depth * Kernels::panelColumns);
    const auto rowsAt = [&](std::size_t first) {
      return Kernels::Rows{&in[first], pitch * sizeof(float), false};
    };
    for (std::size_t p = 0; p < 3; ++p)
      version->pack(rowsAt(40 * p), m, depth,
                    packed.data() + p * version->packedSize(m, depth));
    const auto stationary = [&](std::size_t p) {
      return packed.data() + p * version->packedSize(m, depth);
    };
    // Two places; the second product has the first one's moving operand, the
    // third another, the fourth adds to the first place once more.
    std::vector<float> together(2 * m * n, 0.5f), apart = together;
    const auto products = [&](std::vector<float> &out) {
      return std::array<Kernels::Product, 4>{{
          {stationary(0), rowsAt(0), out.data(), false},
          {stationary(1), rowsAt(0), &out[m * n], true},
          {stationary(2), rowsAt(100), &out[m * n], true},
          {stationary(1), rowsAt(100), out.data(), true},
      }};
    };
    const Kernels::ProductShape shape{depth, m, n, n};
    version->matmul(products(together).data(), 4, shape, panel.data());
    for (const Kernels::Product &product : products(apart))
      version->matmul(&product, 1, shape, panel.data());
    CHECK(firstDifference(together, apart) == none);
  }
}

TEST_CASE(
    "bf16 operands of a product are the fp32 numbers that they stand for") {
  constexpr std::size_t M = 45, N = 39, K = 67;
  for (const Kernels *version : sim::versionsUnderTest()) {
    CAPTURE(std::string(version->name));
    const auto bf16 = static_cast<std::size_t>(isa::DType::bf16);
    const std::vector<float> in = someFloats(K * (M + N), 11);
    std::vector<std::uint16_t> narrow(in.size());
    std::vector<float> wide(in.size());
    version->narrow[0][bf16](in.data(), narrow.data(), in.size(), 0);
    version->widen[bf16](narrow.data(), wide.data(), in.size());
    const auto product = [&](const sim::Kernels::Rows &left,
                             const sim::Kernels::Rows &right) {
      std::vector<float> packed(version->packedSize(M, K));
      std::vector<float> panel(K * Kernels::panelColumns), out(M * N);
      version->pack(left, M, K, packed.data());
      const Kernels::Product whole{packed.data(), right, out.data(), false};
      version->matmul(&whole, 1, {K, M, N, N}, panel.data());
      return out;
    };
    const auto expected = product({wide.data(), M * sizeof(float), false},
                                  {&wide[K * M], N * sizeof(float), false});
    CHECK(firstDifference(product({narrow.data(), M * 2, true},
                                  {&narrow[K * M], N * 2, true}),
                          expected) == none);
    // One element by hand.
    float sum = 0.0f;
    for (std::size_t k = 0; k < K; ++k)
      sum = std::fma(wide[k * M + 44], wide[K * M + k * N + 38], sum);
    CHECK(sameFloat(expected[44 * N + 38], sum));
  }
}

TEST_CASE("every version of the kernels transposes") {
  for (const Kernels *version : sim::versionsUnderTest())
    for (const unsigned bytes : {1u, 2u, 4u})
      for (const std::size_t rows : {1u, 7u, 8u, 33u})
        for (const std::size_t columns : {1u, 8u, 15u, 64u}) {
          CAPTURE(std::string(version->name), bytes, rows, columns);
          const std::size_t inPitch = columns * bytes + 12;
          const std::size_t outPitch = rows * bytes + 4;
          std::vector<std::uint8_t> in(rows * inPitch), out(columns * outPitch);
          for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
          version->transpose(in.data(), static_cast<std::ptrdiff_t>(inPitch),
                             out.data(), static_cast<std::ptrdiff_t>(outPitch),
                             rows, columns, bytes);
          std::vector<std::uint8_t> expected(out.size());
          for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c)
              for (unsigned b = 0; b < bytes; ++b)
                expected[c * outPitch + r * bytes + b] =
                    in[r * inPitch + c * bytes + b];
          CHECK(out == expected);
        }
}

//===- conversions_test.cpp - Every type against APFloat ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion between two types is a widening to fp32 and a narrowing from it.
// Each half is held to APFloat: all patterns of 8 and 16 bits, 2^24 spread
// patterns of 32 bits, and every tie and limit.
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"
#include "kernels/Kernels.h"

#include "catch.h"

#include <algorithm>
#include <span>

using namespace kiln;
using isa::DType;
using sim::Kernels;

namespace {

constexpr std::size_t block = 1 << 16;
const Kernels &fast = sim::kernels();

std::size_t at(DType dtype) { return static_cast<std::size_t>(dtype); }

/// A row of the bytes of one type, read back as zero-extended patterns.
class Row {
public:
  explicit Row(DType dtype) : bytes(isa::info(dtype).bytes) {}
  void *data() { return words.data(); }
  std::uint32_t operator[](std::size_t i) const {
    std::uint32_t value = 0;
    std::memcpy(&value, raw() + i * bytes, bytes);
    return value;
  }
  void set(std::size_t i, std::uint32_t value) {
    std::memcpy(reinterpret_cast<char *>(words.data()) + i * bytes, &value,
                bytes);
  }

private:
  const char *raw() const {
    return reinterpret_cast<const char *>(words.data());
  }
  unsigned bytes;
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(block);
};

std::vector<float> narrow(DType dtype, std::size_t rounding,
                          const std::vector<float> &in, Row &out,
                          std::uint32_t seed = 0) {
  fast.narrow[rounding][at(dtype)](in.data(), out.data(), in.size(), seed);
  return in;
}

/// Calls check(values) for blocks of the spread patterns, then of `more`.
template <class Check>
void overFloats(const std::vector<float> &more, Check &&check) {
  std::vector<float> values(block);
  for (std::uint32_t first = 0; first < oracle::spreadCount; first += block) {
    for (std::uint32_t i = 0; i < block; ++i)
      values[i] = std::bit_cast<float>(oracle::spread(first + i));
    check(values);
  }
  for (std::size_t first = 0; first < more.size(); first += block) {
    values.assign(more.begin() + static_cast<std::ptrdiff_t>(first),
                  more.begin() + static_cast<std::ptrdiff_t>(
                                     std::min(more.size(), first + block)));
    check(values);
  }
}

std::string named(DType dtype) { return std::string(isa::name(dtype)); }

} // namespace

TEST_CASE("fp32 narrows to every float type as APFloat does") {
  for (const oracle::Format &format : oracle::floatFormats()) {
    Row plain(format.dtype), saturated(format.dtype);
    const std::uint32_t largest = oracle::largest(format);
    const std::uint32_t sign = 1u << (format.bits + format.unused - 1);
    std::size_t wrong = 0, count = 0;
    overFloats(oracle::ties(format), [&](const std::vector<float> &in) {
      narrow(format.dtype, 0, in, plain);
      narrow(format.dtype, Kernels::saturating, in, saturated);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint32_t want = oracle::narrowed(format, in[i]);
        const bool over = !std::isnan(in[i]) && (want & (sign - 1)) > largest;
        wrong += plain[i] != want;
        wrong += saturated[i] != (over ? (want & sign) | largest : want);
      }
      count += in.size();
    });
    CAPTURE(named(format.dtype), count);
    CHECK(wrong == 0);
    CHECK(count > oracle::spreadCount);
  }
}

TEST_CASE("fp32 narrows to every integer: nearest even, saturating, NaN is 0") {
  for (const oracle::Integer &type : oracle::integers()) {
    Row out(type.dtype);
    const std::uint32_t mask = type.bits == 32 ? ~0u : (1u << type.bits) - 1;
    std::size_t wrong = 0;
    overFloats(oracle::integerTies(), [&](const std::vector<float> &in) {
      narrow(type.dtype, 0, in, out);
      for (std::size_t i = 0; i < in.size(); ++i)
        wrong +=
            out[i] !=
            (static_cast<std::uint32_t>(oracle::integerOf(in[i], type)) & mask);
    });
    CAPTURE(named(type.dtype));
    CHECK(wrong == 0);
  }
}

TEST_CASE("the manual's examples of integers") {
  const std::vector<float> in{2.5f, 3.5f, 300.0f, -1.0f, NAN, -2.5f};
  Row u8(DType::u8), i8(DType::i8);
  narrow(DType::u8, 0, in, u8);
  narrow(DType::i8, 0, in, i8);
  const std::uint32_t unsignedWant[] = {2, 4, 255, 0, 0, 0};
  const std::uint32_t signedWant[] = {2, 4, 127, 255, 0, 254};
  for (std::size_t i = 0; i < in.size(); ++i) {
    CHECK(u8[i] == unsignedWant[i]);
    CHECK(i8[i] == signedWant[i]);
  }
}

TEST_CASE("every pattern of every float type widens exactly") {
  std::vector<float> out(block);
  for (const oracle::Format &format : oracle::floatFormats()) {
    Row in(format.dtype);
    const std::uint64_t patterns =
        format.unused ? oracle::spreadCount : std::uint64_t{1} << format.bits;
    std::size_t wrong = 0;
    for (std::uint64_t first = 0; first < patterns; first += block) {
      const std::size_t n = std::min<std::uint64_t>(block, patterns - first);
      for (std::size_t i = 0; i < n; ++i)
        in.set(i, format.unused
                      ? oracle::spread(static_cast<std::uint32_t>(first + i))
                      : static_cast<std::uint32_t>(first + i));
      fast.widen[at(format.dtype)](in.data(), out.data(), n);
      for (std::size_t i = 0; i < n; ++i)
        wrong += std::bit_cast<std::uint32_t>(out[i]) !=
                 oracle::widened(format, in[i]);
    }
    CAPTURE(named(format.dtype));
    CHECK(wrong == 0);
  }
}

TEST_CASE("integers widen to the nearest fp32") {
  std::vector<float> out(block);
  for (const oracle::Integer &type : oracle::integers()) {
    Row in(type.dtype);
    const std::uint64_t patterns = type.bits == 32
                                       ? oracle::spreadCount + block
                                       : std::uint64_t{1} << type.bits;
    std::size_t wrong = 0;
    for (std::uint64_t first = 0; first < patterns; first += block) {
      const std::size_t n = std::min<std::uint64_t>(block, patterns - first);
      // The last block: ties, which lie at half steps above 2^24.
      const bool atTies = first >= oracle::spreadCount;
      for (std::uint32_t i = 0; i < n; ++i)
        in.set(i, atTies ? (1u << (24 + i % 8)) + (i >> 3) * (1u << i % 8) +
                               (1u << i % 8) / 2 * (i & 1)
                         : (type.bits == 32
                                ? oracle::spread(
                                      static_cast<std::uint32_t>(first) + i)
                                : i));
      fast.widen[at(type.dtype)](in.data(), out.data(), n);
      for (std::size_t i = 0; i < n; ++i)
        wrong += out[i] != oracle::floatOf(in[i], type);
    }
    CAPTURE(named(type.dtype));
    CHECK(wrong == 0);
  }
}

TEST_CASE("scales, packed types and booleans") {
  const oracle::Format e8m0{DType::f8e8m0, &llvm::APFloat::Float8E8M0FNU(), 8};
  const oracle::Format e2m1{DType::f4e2m1fn_x4, &llvm::APFloat::Float4E2M1FN(),
                            4};
  for (std::uint32_t code = 0; code < 256; ++code) {
    float x;
    fast.widen[at(DType::f8e8m0)](&code, &x, 1);
    CHECK(std::bit_cast<std::uint32_t>(x) == oracle::widened(e8m0, code));
    // A byte holds two of the small floats, the first in its low half.
    float pair[2];
    fast.widen[at(DType::f4e2m1fn_x4)](&code, pair, 2);
    CHECK(std::bit_cast<std::uint32_t>(pair[0]) ==
          oracle::widened(e2m1, code & 15));
    CHECK(std::bit_cast<std::uint32_t>(pair[1]) ==
          oracle::widened(e2m1, code >> 4));
    fast.widen[at(DType::boolean)](&code, &x, 1);
    CHECK(x == (code ? 1.0f : 0.0f));
  }
  // Element 0 in the lowest byte.
  const std::uint32_t packed = 0x40383000u | 0x28u;
  float four[4];
  fast.widen[at(DType::f8e4m3fn_x4)](&packed, four, 4);
  CHECK(four[0] == 0.25f);
  CHECK(four[1] == 0.5f);
  CHECK(four[2] == 1.0f);
  CHECK(four[3] == 2.0f);
  const float in[] = {0.0f, -0.0f, 0x1p-149f, -3.0f, NAN, INFINITY};
  std::uint8_t out[6];
  fast.narrow[0][at(DType::boolean)](in, out, 6, 0);
  CHECK(std::vector<int>(out, out + 6) == std::vector<int>{0, 0, 1, 1, 1, 1});
  // Nothing converts to a scale or to the smallest float.
  CHECK(fast.narrow[0][at(DType::f8e8m0)] == nullptr);
  CHECK(fast.narrow[0][at(DType::f4e2m1fn_x4)] == nullptr);
}

TEST_CASE("stochastic rounding takes a neighbour, in proportion") {
  constexpr std::size_t draws = 4096;
  for (const oracle::Format &format : oracle::floatFormats()) {
    Row out(format.dtype);
    CAPTURE(named(format.dtype));
    std::size_t wrong = 0, far = 0;
    for (std::uint32_t i = 0; i < 4000; ++i) {
      const float x = std::bit_cast<float>(oracle::spread(i * 4099u));
      const std::uint32_t down =
          oracle::narrowed(format, x, llvm::RoundingMode::TowardZero);
      const std::uint32_t sign = 1u << (format.bits + format.unused - 1);
      if (std::isnan(x) || (down & (sign - 1)) >= oracle::largest(format))
        continue;
      const std::uint32_t up = down + (1u << format.unused);
      const double low = std::bit_cast<float>(oracle::widened(format, down));
      const double high = std::bit_cast<float>(oracle::widened(format, up));
      const double share = (static_cast<double>(x) - low) / (high - low);
      narrow(format.dtype, Kernels::stochastic, std::vector<float>(draws, x),
             out, i * 7919u + 1);
      std::size_t above = 0;
      for (std::size_t k = 0; k < draws; ++k) {
        wrong += out[k] != down && out[k] != up;
        above += out[k] == up;
      }
      wrong += share == 0 && above != 0;
      const double sigma = std::sqrt(draws * share * (1 - share));
      far +=
          std::fabs(static_cast<double>(above) - draws * share) > 5 * sigma + 1;
    }
    CHECK(wrong == 0);
    CHECK(far == 0);
  }
}

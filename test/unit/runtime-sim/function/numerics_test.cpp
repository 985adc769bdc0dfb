//===- numerics_test.cpp - Conversions and functions ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions against llvm::APFloat, functions against long double, and every
// version of the kernels against the others.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "kernels/Kernels.h"

#include "catch.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>

#include <cmath>

using namespace bench;
using Function = isa::ActivationFunction;

namespace {

/// 2^22 patterns over all of fp32, and ties of both 16-bit formats.
std::vector<float> manyFloats() {
  std::vector<float> result;
  for (std::uint64_t u = 0; u <= 0xffffffffu; u += 1021)
    result.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(u)));
  for (std::uint32_t high = 0; high < 0x10000u; ++high)
    for (const std::uint32_t low :
         {0u, 0x1000u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0xf000u})
      result.push_back(std::bit_cast<float>(high << 16 | low));
  return result;
}

std::uint16_t convert(float x, const llvm::fltSemantics &format) {
  llvm::APFloat value(x);
  bool lost = false;
  value.convert(format, llvm::APFloat::rmNearestTiesToEven, &lost);
  if (value.isNaN())
    value = llvm::APFloat::getQNaN(format, value.isNegative());
  return static_cast<std::uint16_t>(value.bitcastToAPInt().getZExtValue());
}

std::int64_t toInteger(float x, unsigned bits, bool isSigned) {
  if (std::isnan(x))
    return 0;
  llvm::APSInt result(bits, !isSigned);
  bool exact = false;
  llvm::APFloat(x).convertToInteger(result, llvm::APFloat::rmNearestTiesToEven,
                                    &exact);
  return result.getExtValue();
}

std::size_t at(DType dtype) { return static_cast<std::size_t>(dtype); }

long double reference(Function function, long double x) {
  switch (function) {
  case Function::exp:
    return std::exp(x);
  case Function::log:
    return std::log(x);
  case Function::tanh:
    return std::tanh(x);
  case Function::sigmoid:
    return 1 / (1 + std::exp(-x));
  case Function::silu:
    return x / (1 + std::exp(-x));
  case Function::gelu:
    return x * 0.5L * std::erfc(-x / std::sqrt(2.0L));
  case Function::gelu_apprx_tanh:
    return x / (1 + std::exp(-2 * std::sqrt(2 / 3.14159265358979323846264L) *
                             (x + 0.044715L * x * x * x)));
  case Function::rsqrt:
    return 1 / std::sqrt(x);
  case Function::sqrt:
    return std::sqrt(x);
  case Function::reciprocal:
    return 1 / x;
  case Function::square:
    return x * x;
  default:
    return x;
  }
}

} // namespace

TEST_CASE("fp32 converts to the 16-bit formats as APFloat does") {
  const std::vector<float> in = manyFloats();
  std::vector<std::uint16_t> out(in.size());
  for (const auto &[dtype, format] :
       {std::pair{DType::bf16, &llvm::APFloat::BFloat()},
        {DType::f16, &llvm::APFloat::IEEEhalf()}}) {
    sim::kernels().narrow[at(dtype)](in.data(), out.data(), in.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < in.size(); ++i)
      wrong += out[i] != convert(in[i], *format);
    CHECK(wrong == 0);
  }
}

TEST_CASE("all 16-bit patterns widen exactly") {
  std::vector<std::uint16_t> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<std::uint16_t>(i);
  std::vector<float> out(in.size());
  for (const auto &[dtype, format] :
       {std::pair{DType::bf16, &llvm::APFloat::BFloat()},
        {DType::f16, &llvm::APFloat::IEEEhalf()}}) {
    sim::kernels().widen[at(dtype)](in.data(), out.data(), in.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      llvm::APFloat value(*format, llvm::APInt(16, in[i]));
      bool lost = false;
      value.convert(llvm::APFloat::IEEEsingle(),
                    llvm::APFloat::rmNearestTiesToEven, &lost);
      wrong += !sameFloat(out[i], value.convertToFloat());
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("fp32 converts to integers: nearest even, saturating, NaN is 0") {
  std::vector<float> in = manyFloats();
  for (const float x : {2.5f, 3.5f, 300.0f, -1.0f, 0.5f, 1.5f, 254.5f, 255.5f,
                        2147483520.0f, 2147483648.0f, -2147483648.0f})
    in.push_back(x);
  std::vector<std::int32_t> wide(in.size());
  std::vector<std::uint8_t> narrow(in.size());
  sim::kernels().narrow[at(DType::i32)](in.data(), wide.data(), in.size());
  sim::kernels().narrow[at(DType::u8)](in.data(), narrow.data(), in.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    wrong += wide[i] != toInteger(in[i], 32, true) ||
             narrow[i] != toInteger(in[i], 8, false);
  CHECK(wrong == 0);
}

TEST_CASE("functions agree with long double, rounded once") {
  const std::vector<float> in = manyFloats();
  std::vector<float> out(in.size());
  for (const Function function :
       {Function::exp, Function::log, Function::tanh, Function::sigmoid,
        Function::silu, Function::gelu, Function::gelu_apprx_tanh,
        Function::rsqrt, Function::sqrt, Function::reciprocal,
        Function::square}) {
    sim::kernels().activation[static_cast<std::size_t>(function)](
        in.data(), out.data(), in.size());
    // Half an ulp, and what binary64 may lose before the one rounding.
    long double worst = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!std::isfinite(in[i]))
        continue;
      const long double exact = reference(function, in[i]);
      const float want = static_cast<float>(exact);
      if (sameFloat(out[i], want))
        continue;
      if (!std::isfinite(want) || !std::isfinite(out[i])) {
        ++wrong;
        continue;
      }
      const float size = std::fabs(want);
      const long double ulp =
          static_cast<long double>(std::nextafterf(size, INFINITY)) - size;
      worst = std::max(worst, std::fabs(out[i] - exact) / ulp);
    }
    CAPTURE(std::string(isa::name(function)));
    CHECK(wrong == 0);
    CHECK(worst <= 0.5000001L);
  }
}

TEST_CASE("functions at their special points") {
  const float inf = INFINITY;
  const auto one = [](Function function, float x) {
    float result;
    sim::kernels().activation[static_cast<std::size_t>(function)](&x, &result,
                                                                  1);
    return result;
  };
  const struct {
    Function function;
    float x, y;
  } points[] = {
      {Function::exp, -inf, 0.0f},        {Function::exp, 0.0f, 1.0f},
      {Function::exp, -0.0f, 1.0f},       {Function::exp, inf, inf},
      {Function::log, 0.0f, -inf},        {Function::log, 1.0f, 0.0f},
      {Function::log, inf, inf},          {Function::log, -1.0f, NAN},
      {Function::tanh, inf, 1.0f},        {Function::tanh, -inf, -1.0f},
      {Function::tanh, -0.0f, -0.0f},     {Function::sigmoid, -inf, 0.0f},
      {Function::sigmoid, inf, 1.0f},     {Function::silu, -inf, -0.0f},
      {Function::silu, inf, inf},         {Function::gelu, -inf, -0.0f},
      {Function::gelu, inf, inf},         {Function::rsqrt, 0.0f, inf},
      {Function::rsqrt, -1.0f, NAN},      {Function::sqrt, -0.0f, -0.0f},
      {Function::relu, -0.0f, 0.0f},      {Function::relu, NAN, NAN},
      {Function::sign, -3.0f, -1.0f},     {Function::sign, -0.0f, 0.0f},
      {Function::sign, NAN, NAN},         {Function::abs, -2.0f, 2.0f},
      {Function::reciprocal, -0.0f, -inf}};
  for (const auto &point : points) {
    CAPTURE(std::string(isa::name(point.function)), point.x);
    CHECK(sameFloat(one(point.function, point.x), point.y));
  }
}

TEST_CASE("every version of the kernels gives the same bits") {
  const auto versions = sim::allKernels();
  const sim::Kernels &plain = *versions[0];
  const std::vector<float> in = someFloats(100003, 9);
  std::vector<float> a(in.size()), b(in.size());
  for (const sim::Kernels *version : versions) {
    CAPTURE(std::string(version->name));
    for (std::size_t f = 1; f < 16; ++f) {
      plain.activation[f](in.data(), a.data(), in.size());
      version->activation[f](in.data(), b.data(), in.size());
      CHECK(firstDifference(a, b) == none);
    }
    plain.affine(in.data(), 0.3f, 1.7f, a.data(), in.size());
    version->affine(in.data(), 0.3f, 1.7f, b.data(), in.size());
    CHECK(firstDifference(a, b) == none);
    CHECK(sameFloat(plain.maxRow(-INFINITY, in.data(), in.size()),
                    version->maxRow(-INFINITY, in.data(), in.size())));

    constexpr std::size_t K = 61, M = 23, N = 77;
    const auto product = [&](const sim::Kernels &k) {
      std::vector<float> left((M + k.mr) * K), right((N + k.nr) * K);
      for (std::size_t i = 0; i < K; ++i) {
        k.packRow(&in[i * M], M, left.data(), k.mr, i, K);
        k.packRow(&in[5000 + i * N], N, right.data(), k.nr, i, K);
      }
      std::vector<float> out(M * N, 1.0f);
      k.matmul(left.data(), right.data(), out.data(), N, K, M, N, true);
      return out;
    };
    CHECK(firstDifference(product(plain), product(*version)) == none);
  }
}

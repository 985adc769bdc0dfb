//===- functions_test.cpp - Functions within their stated error -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function against long double over the whole of fp32 and densely where it
// is delicate. The table states the largest error in units in the last place;
// a test measures it.
//
//===----------------------------------------------------------------------===//

#include "../function/Bench.h"
#include "Oracle.h"
#include "kernels/Kernels.h"

#include "catch.h"

#include <cstdio>
#include <cstdlib>

using namespace bench;
using sim::Kernels;

namespace {

using Wide = long double;
constexpr Wide pi = 3.14159265358979323846264338327950288L;

Wide sigmoid(Wide x) { return 1 / (1 + std::exp(-x)); }
Wide normal(Wide x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }
Wide density(Wide x) { return std::exp(-x * x / 2) / std::sqrt(2 * pi); }
Wide gatedSlope(Wide y) { return sigmoid(y) * (1 + y * sigmoid(-y)); }

struct Accuracy {
  const char *name;
  Wide (*exact)(Wide);
  Wide ulps; ///< No error is larger.
};

// Half an ulp is the one rounding to fp32; the rest is lost before it, most of
// it where a derivative crosses zero.
const Accuracy accuracies[] = {
    {"copy", [](Wide x) { return x; }, 0},
    {"square", [](Wide x) { return x * x; }, 0.5L},
    {"sigmoid", sigmoid, 0.5000001L},
    {"gelu", [](Wide x) { return x * normal(x); }, 0.5000001L},
    {"gelu_dx", [](Wide x) { return normal(x) + x * density(x); }, 0.501L},
    {"gelu_apprx_tanh",
     [](Wide x) {
       const Wide u = std::sqrt(2 / pi) * (x + 0.044715L * x * x * x);
       return x * sigmoid(2 * u);
     },
     0.5000001L},
    {"gelu_apprx_sigmoid", [](Wide x) { return x * sigmoid(1.702L * x); },
     0.5000001L},
    {"gelu_apprx_sigmoid_dx", [](Wide x) { return gatedSlope(1.702L * x); },
     0.502L},
    {"silu", [](Wide x) { return x * sigmoid(x); }, 0.5000001L},
    {"silu_dx", gatedSlope, 0.5000001L},
    {"tanh", [](Wide x) { return std::tanh(x); }, 0.5000001L},
    {"softplus",
     [](Wide x) {
       return std::max(x, Wide{0}) + std::log1p(std::exp(-std::fabs(x)));
     },
     0.5000001L},
    {"mish",
     [](Wide x) {
       const Wide soft =
           std::max(x, Wide{0}) + std::log1p(std::exp(-std::fabs(x)));
       return x * std::tanh(soft);
     },
     0.5000001L},
    {"erf", [](Wide x) { return std::erf(x); }, 0.5000001L},
    {"erf_dx", [](Wide x) { return 2 / std::sqrt(pi) * std::exp(-x * x); },
     0.5000001L},
    {"exp", [](Wide x) { return std::exp(x); }, 0.5000001L},
    {"log", [](Wide x) { return std::log(x); }, 0.5000001L},
    {"sin",
     [](Wide x) {
       const Wide past = std::fabs(x) - pi;
       const Wide cubic = past * past * past / 6 - past;
       return past > 0 ? std::copysign(Wide{1}, x) * cubic : std::sin(x);
     },
     0.5000001L},
    {"arctan", [](Wide x) { return std::atan(x); }, 0.5000001L},
    {"sqrt", [](Wide x) { return std::sqrt(x); }, 0.5L},
    {"rsqrt", [](Wide x) { return 1 / std::sqrt(x); }, 0.5000001L},
    {"reciprocal", [](Wide x) { return 1 / x; }, 0.5L},
};

Kernels::Unary function(const Kernels &kernels, std::string_view name) {
  for (std::size_t i = 0; i < kernels.numFunctions; ++i)
    if (kernels.functions[i].name == name)
      return kernels.functions[i].row;
  return nullptr;
}
Kernels::Operator alu(const Kernels &kernels, std::string_view name) {
  for (std::size_t i = 0; i < kernels.numOperators; ++i)
    if (kernels.operators[i].name == name)
      return kernels.operators[i];
  return {};
}

/// All magnitudes, and densely between -8 and 8 and around zeros and seams.
std::vector<float> samples() {
  std::vector<float> result;
  for (std::uint64_t u = 0; u <= 0xffffffffu; u += 4093)
    result.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(u)));
  for (int i = -(1 << 19); i <= 1 << 19; ++i)
    result.push_back(static_cast<float>(i) * 0x1p-16f + 0x1p-22f);
  // Zeros of the derivatives, pi and its half, seams of the approximations.
  for (const float center :
       {-0.751791537f, -1.27846456f, -0.751154f, 3.14159274f, 1.57079637f, 1.0f,
        0.414213562f, 2.41421366f, 40.0f, 104.0f, 88.7228394f, 0.707106769f,
        1.41421354f, 10.0f, 25.0f, 12.5f}) {
    const auto bits = std::bit_cast<std::uint32_t>(center);
    for (std::uint32_t near = bits - 4096; near < bits + 4096; ++near) {
      result.push_back(std::bit_cast<float>(near));
      result.push_back(std::bit_cast<float>(near ^ 0x80000000u));
    }
  }
  return result;
}

/// The distance of `got` from `exact` in ulps of the fp32 result, or -1 where
/// no distance makes sense and the two do not agree.
Wide distance(float got, Wide exact) {
  const auto want = static_cast<float>(exact);
  if (sameFloat(got, want) || (std::isfinite(want) && got == exact))
    return std::isfinite(want) ? std::fabs(got - exact) : 0;
  if (!std::isfinite(want) || !std::isfinite(got))
    return -1;
  return std::fabs(got - exact);
}
Wide ulp(Wide exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::ldexp(Wide{1}, std::max(exponent - 24, -149));
}

struct Measured {
  Wide worst = 0;
  std::size_t wrong = 0;
};
void measure(Measured &result, float got, Wide exact) {
  const Wide error = distance(got, exact);
  if (error < 0)
    ++result.wrong;
  else if (std::isfinite(static_cast<float>(exact)))
    result.worst = std::max(result.worst, error / ulp(exact));
}
/// Printed on request, to state bounds anew.
void report(const char *name, const Measured &measured) {
  if (std::getenv("KILN_SHOW_ULPS"))
    std::printf("%-24s %.9Lf ulp\n", name, measured.worst);
}

} // namespace

TEST_CASE("functions keep within their stated error") {
  const std::vector<float> in = samples();
  std::vector<float> out(in.size());
  for (const Accuracy &accuracy : accuracies) {
    const Kernels::Unary row = function(sim::kernels(), accuracy.name);
    REQUIRE(row);
    row(in.data(), out.data(), in.size());
    Measured measured;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (std::isfinite(in[i]))
        measure(measured, out[i], accuracy.exact(in[i]));
    report(accuracy.name, measured);
    CAPTURE(std::string(accuracy.name), measured.worst);
    CHECK(measured.wrong == 0);
    CHECK(measured.worst <= accuracy.ulps);
  }
}

TEST_CASE("power keeps within its stated error") {
  const Kernels::Operator power = alu(sim::kernels(), "power");
  REQUIRE(power.vv);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> base(-8.0f, 8.0f), near(0.99f, 1.01f);
  std::uniform_real_distribution<float> few(-30.0f, 30.0f),
      many(-8000.0f, 8000.0f);
  std::vector<float> a, b;
  for (unsigned i = 0; i < 1u << 20; ++i) {
    const bool close = i % 2;
    a.push_back(close ? near(random) : base(random));
    float exponent = close ? many(random) : few(random);
    b.push_back(i % 3 ? exponent : std::nearbyint(exponent));
  }
  for (unsigned i = 0; i < 1u << 16; ++i) {
    a.push_back(std::bit_cast<float>(oracle::spread(i * 257u)));
    b.push_back(std::bit_cast<float>(oracle::spread(i * 4159u + 13)));
  }
  std::vector<float> out(a.size());
  power.vv(a.data(), b.data(), out.data(), a.size());
  Measured measured;
  for (std::size_t i = 0; i < a.size(); ++i)
    measure(measured, out[i],
            std::pow(static_cast<Wide>(a[i]), static_cast<Wide>(b[i])));
  report("power", measured);
  CAPTURE(measured.worst);
  CHECK(measured.wrong == 0);
  CHECK(measured.worst <= 0.500001L);
}

TEST_CASE("power at its special points") {
  const float inf = INFINITY;
  const struct {
    float a, b, result;
  } points[] = {{2, 3, 8},         {2, -1, 0.5f},        {-2, 3, -8},
                {-2, 2, 4},        {-2, 0.5f, NAN},      {0, 0, 1},
                {NAN, 0, 1},       {1, NAN, 1},          {NAN, 1, NAN},
                {-0.0f, 3, -0.0f}, {-0.0f, 2, 0},        {0, -1, inf},
                {-0.0f, -1, -inf}, {-1, inf, 1},         {-1, -inf, 1},
                {0.5f, inf, 0},    {2, -inf, 0},         {2, inf, inf},
                {-inf, 3, -inf},   {-inf, 2, inf},       {-inf, 0.5f, inf},
                {inf, -2, 0},      {-1, 16777217.0f, 1}, {-1, 8388607.0f, -1}};
  const Kernels::Operator power = alu(sim::kernels(), "power");
  for (const auto &point : points) {
    float result;
    power.vv(&point.a, &point.b, &result, 1);
    CAPTURE(point.a, point.b);
    CHECK(sameFloat(result, point.result));
  }
}

TEST_CASE("functions at their special points") {
  const float inf = INFINITY;
  const struct {
    const char *name;
    float x, y;
  } points[] = {{"exp", -inf, 0.0f},
                {"exp", 0.0f, 1.0f},
                {"exp", -0.0f, 1.0f},
                {"exp", inf, inf},
                {"log", 0.0f, -inf},
                {"log", 1.0f, 0.0f},
                {"log", inf, inf},
                {"log", -1.0f, NAN},
                {"tanh", inf, 1.0f},
                {"tanh", -inf, -1.0f},
                {"tanh", -0.0f, -0.0f},
                {"sigmoid", -inf, 0.0f},
                {"sigmoid", inf, 1.0f},
                {"silu", -inf, -0.0f},
                {"silu", inf, inf},
                {"gelu", -inf, -0.0f},
                {"gelu", inf, inf},
                {"rsqrt", 0.0f, inf},
                {"rsqrt", -1.0f, NAN},
                {"sqrt", -0.0f, -0.0f},
                {"relu", -0.0f, 0.0f},
                {"relu", NAN, NAN},
                {"sign", -3.0f, -1.0f},
                {"sign", -0.0f, 0.0f},
                {"sign", NAN, NAN},
                {"abs", -2.0f, 2.0f},
                {"reciprocal", -0.0f, -inf},
                {"erf", inf, 1.0f},
                {"erf", -0.0f, -0.0f},
                {"erf_dx", inf, 0.0f},
                {"softplus", -inf, 0.0f},
                {"softplus", inf, inf},
                {"mish", inf, inf},
                {"mish", -inf, -0.0f},
                {"silu_dx", inf, 1.0f},
                {"silu_dx", -inf, -0.0f},
                {"gelu_dx", inf, 1.0f},
                {"arctan", inf, 1.57079637f},
                {"arctan", -inf, -1.57079637f},
                {"sin", -0.0f, -0.0f},
                {"sin", inf, inf},
                {"sin", 9.0f, 27.6526f},
                {"sin", -9.0f, -27.6526f},
                {"erf", NAN, NAN},
                {"mish", NAN, NAN},
                {"sin", NAN, NAN},
                {"exp", NAN, NAN},
                {"log", NAN, NAN},
                {"gelu_dx", NAN, NAN}};
  for (const auto &point : points) {
    float result;
    function(sim::kernels(), point.name)(&point.x, &result, 1);
    CAPTURE(std::string(point.name), point.x, result);
    if (std::string_view(point.name) == "sin" && std::fabs(point.x) == 9.0f)
      CHECK(std::fabs(result - point.y) < 5e-5f);
    else
      CHECK(sameFloat(result, point.y));
  }
}

TEST_CASE("every function of the instruction set has rows") {
  for (const auto &entry : isa::EnumTraits<isa::ActivationFunction>::entries) {
    CAPTURE(std::string(entry.name));
    if (entry.name != "prelu")
      CHECK(sim::kernels().activation[static_cast<std::size_t>(entry.value)]);
  }
}

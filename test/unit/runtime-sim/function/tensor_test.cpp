//===- tensor_test.cpp - Matrix products and transposes -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "catch.h"

using namespace bench;
using isa::TensorKind;

namespace {

std::vector<float> product(const std::vector<float> &s,
                           const std::vector<float> &m, std::size_t K,
                           std::size_t M, std::size_t N,
                           const std::vector<float> *onto) {
  std::vector<float> out(M * N);
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < N; ++j) {
      float acc = 0.0f;
      for (std::size_t k = 0; k < K; ++k)
        acc = std::fma(s[k * M + i], m[k * N + j], acc);
      out[i * N + j] = onto ? (*onto)[i * N + j] + acc : acc;
    }
  return out;
}

template <class T>
sim::TensorData typed(std::string name, DType dtype, std::vector<T> &values) {
  if (dtype == DType::f32)
    return data(std::move(name), values);
  std::vector<std::uint16_t> narrow;
  for (float &x : values) {
    narrow.push_back(slowBf16(x));
    x = widenBf16(narrow.back());
  }
  return data(std::move(name), narrow);
}

} // namespace

TEST_CASE("nc_matmul: k in order, one add into PSUM") {
  struct Shape {
    unsigned K, M, N;
  };
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const Shape s : {Shape{128, 128, 512},
                          {128, 100, 65},
                          {37, 5, 3},
                          {1, 1, 1},
                          {64, 17, 130}})
      for (const bool accumulate : {false, true}) {
        CAPTURE(s.K, s.M, s.N, accumulate, static_cast<int>(dtype));
        Program program;
        program.tensor("s", dtype, TensorKind::input, {s.K, s.M});
        program.tensor("m", dtype, TensorKind::input, {s.K, s.N});
        program.tensor("c", DType::f32, TensorKind::output, {s.M, s.N});
        const Access left = sbuf(dtype, s.K, s.M, 0);
        const Access right = sbuf(dtype, s.K, s.N, 1024);
        const Access sum = psum(DType::f32, s.M, s.N);
        const Access out = sbuf(DType::f32, s.M, s.N, 8192);
        program.load(left, 0);
        program.load(right, 1);
        program.then(Engine::tensor,
                     isa::NcMatmul{sum, left, right, false, false});
        if (accumulate)
          program.then(Engine::tensor,
                       isa::NcMatmul{sum, left, right, true, false});
        program.then(Engine::vector, isa::TensorCopy{out, sum});
        program.store(2, out);
        std::vector<float> a = someFloats(s.K * s.M, s.M, false);
        std::vector<float> b = someFloats(s.K * s.N, s.N, false);
        const auto da = typed("s", dtype, a), db = typed("m", dtype, b);
        const sim::Result result = run(program, {da, db});
        if (result.fault)
          FAIL(result.fault->text);
        std::vector<float> expected = product(a, b, s.K, s.M, s.N, nullptr);
        if (accumulate)
          expected = product(a, b, s.K, s.M, s.N, &expected);
        CHECK(firstDifference(values<float>(result.outputs[0]), expected) ==
              none);
      }
}

TEST_CASE("transposes move bits") {
  constexpr unsigned P = 96, F = 40;
  Program program;
  program.tensor("a", DType::f32, TensorKind::input, {P, F});
  program.tensor("t", DType::f32, TensorKind::output, {F, P});
  program.tensor("u", DType::f32, TensorKind::output, {F, P});
  const Access in = sbuf(DType::f32, P, F, 0);
  const Access turned = psum(DType::f32, F, P);
  const Access out = sbuf(DType::f32, F, P, 1024);
  program.load(in, 0);
  program.then(Engine::tensor, isa::NcTranspose{turned, in});
  program.then(Engine::vector, isa::TensorCopy{out, turned});
  program.store(1, out);
  program.then(
      Engine::sync,
      isa::DmaTranspose{out, hbm(0, DType::f32, {{F, P}, {1, F}}), 0, {}});
  program.store(2, out);
  const std::vector<float> a = someFloats(P * F, 5);
  const sim::Result result = run(program, {data("a", a)});
  if (result.fault)
    FAIL(result.fault->text);
  for (const auto &output : result.outputs) {
    const auto got = values<std::uint32_t>(output);
    for (std::size_t p = 0; p < P; ++p)
      for (std::size_t f = 0; f < F; ++f)
        if (got[f * P + p] != std::bit_cast<std::uint32_t>(a[p * F + f]))
          FAIL(p << " " << f);
  }
}

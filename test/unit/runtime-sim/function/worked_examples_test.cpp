//===- worked_examples_test.cpp - Addresses and sums, worked by hand ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a reader of the manual would work out on paper, for patterns, offsets
// and sums over several instructions. The examples of single instructions are
// in the tests of their groups.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "catch.h"

using namespace bench;
using isa::TensorKind;

namespace {

sim::Result mustRun(const Program &program,
                    const std::vector<sim::TensorData> &inputs) {
  sim::Result result = bench::run(program, inputs);
  if (result.fault)
    FAIL(result.fault->code + " " + result.fault->text);
  return result;
}

} // namespace

// Pattern [[16, 16], [1, 8]] from element 8 of a [16, 16] tile.
TEST_CASE("a pattern with an offset is the right half of a tile") {
  Program program;
  program.tensor("x", DType::f32, TensorKind::input, {16, 16});
  program.tensor("y", DType::f32, TensorKind::output, {16, 8});
  const Access half = sbuf(DType::f32, 16, 8, 256);
  program.load(sbuf(DType::f32, 16, 16, 0), 0);
  program.then(Engine::vector,
               isa::TensorCopy{half, sbuf(DType::f32, 16, 8, 8 * 4)});
  program.store(1, half);
  const std::vector<float> in = someFloats(16 * 16, 1);
  std::vector<float> want;
  for (unsigned w = 0; w < 16; ++w)
    for (unsigned z = 0; z < 8; ++z)
      want.push_back(in[w * 16 + 8 + z]);
  const sim::Result result = mustRun(program, {data("x", in)});
  CHECK(firstDifference(values<float>(result.outputs[0]), want) == none);
}

// [128, 256] of i32, seen as [[512, 128], [1, 512]] of bf16: the low half of
// each word comes first.
TEST_CASE("a pattern may see the bytes of a tensor as another type") {
  Program program;
  program.tensor("x", DType::i32, TensorKind::input, {128, 256});
  program.tensor("y", DType::bf16, TensorKind::output, {128, 512});
  const Access tile = sbuf(DType::bf16, 128, 512, 0);
  program.then(
      Engine::sync,
      isa::DmaCopy{tile, hbm(0, DType::bf16, {{512, 128}, {1, 512}}), 0, {}});
  program.store(1, tile);
  std::vector<std::uint32_t> in;
  std::vector<std::uint16_t> want;
  std::mt19937 random(2);
  for (unsigned i = 0; i < 128 * 256; ++i) {
    in.push_back(static_cast<std::uint32_t>(random()));
    want.push_back(static_cast<std::uint16_t>(in.back()));
    want.push_back(static_cast<std::uint16_t>(in.back() >> 16));
  }
  const sim::Result result = mustRun(program, {data("x", in)});
  CHECK(values<std::uint16_t>(result.outputs[0]) == want);
}

// A register that holds 384 and counts rows of a [512, 512] tensor.
TEST_CASE("a register moves a pattern by whole rows") {
  Program program;
  program.tensor("x", DType::f32, TensorKind::input, {512, 512});
  program.tensor("y", DType::f32, TensorKind::output, {128, 512});
  const isa::Register row{3};
  Access rows = hbm(0, DType::f32, {{512, 128}, {1, 512}});
  rows.numTerms = 1;
  rows.terms[0] = {row, 512 * 4};
  const Access tile = sbuf(DType::f32, 128, 512, 0);
  program.then(Engine::sync, isa::RegisterMove{row, {384}});
  program.then(Engine::sync, isa::DmaCopy{tile, rows, 0, {}});
  program.store(1, tile);
  const std::vector<float> in = someFloats(512 * 512, 3);
  const sim::Result result = mustRun(program, {data("x", in)});
  const std::vector<float> want(in.begin() + 384 * 512, in.end());
  CHECK(firstDifference(values<float>(result.outputs[0]), want) == none);
}

// An index tile of [128, 2] lists row 0..127 in its first column, 128..255 in
// its second: four times as many as the table has.
TEST_CASE("dma_transpose reads its index column by column") {
  constexpr unsigned columns = 32, tableRows = 64;
  Program program;
  program.module.generation = isa::Generation::v3;
  program.tensor("x", DType::bf16, TensorKind::input, {tableRows, columns});
  program.tensor("list", DType::u32, TensorKind::input, {128, 2});
  program.tensor("y", DType::bf16, TensorKind::output, {columns, 256});
  const Access index = sbuf(DType::u32, 128, 2, 0);
  const Access tile = sbuf(DType::bf16, columns, 256, 64);
  isa::DmaTranspose transpose;
  transpose.dst = tile;
  transpose.src = hbm(0, DType::bf16, {{columns, 256}, {1, columns}});
  transpose.queue = 1;
  transpose.src_index = index;
  program.load(index, 1);
  program.then(Engine::gpsimd, transpose);
  program.store(2, tile);
  std::mt19937 random(4);
  std::vector<std::uint16_t> x(tableRows * columns), want(columns * 256);
  std::vector<std::uint32_t> list(256);
  for (std::uint16_t &bits : x)
    bits = static_cast<std::uint16_t>(random() & 0x7f7f); // No NaN
  for (std::uint32_t &row : list)
    row = static_cast<std::uint32_t>(random() % tableRows);
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned c = 0; c < columns; ++c)
      want[c * 256 + a] = x[list[a % 128 * 2 + a / 128] * columns + c];
  const sim::Result result =
      mustRun(program, {data("x", x), data("list", list)});
  CHECK(values<std::uint16_t>(result.outputs[0]) == want);
}

// A contraction of 512 in four products, accumulate = 0, 1, 1, 1: four sums of
// 128, added in PSUM one after the other. One sum of 512 rounds differently.
TEST_CASE("a long contraction is four sums, added in order") {
  constexpr unsigned M = 24, N = 40;
  Program program;
  program.tensor("s", DType::f32, TensorKind::input, {128, 4 * M});
  program.tensor("m", DType::f32, TensorKind::input, {128, 4 * N});
  program.tensor("c", DType::f32, TensorKind::output, {M, N});
  const Access sum = psum(DType::f32, M, N);
  const Access out = sbuf(DType::f32, M, N, 8192);
  program.load(sbuf(DType::f32, 128, 4 * M, 0), 0);
  program.load(sbuf(DType::f32, 128, 4 * N, 4096), 1);
  for (unsigned t = 0; t < 4; ++t)
    program.then(Engine::tensor,
                 isa::NcMatmul{sum, sbuf(DType::f32, 128, M, t * M * 4),
                               sbuf(DType::f32, 128, N, 4096 + t * N * 4),
                               t > 0, false});
  program.then(Engine::vector, isa::TensorCopy{out, sum});
  program.store(2, out);
  const std::vector<float> s = someFloats(128 * 4 * M, 5, false),
                           m = someFloats(128 * 4 * N, 6, false);
  std::vector<float> want;
  unsigned differ = 0;
  double worst = 0;
  for (unsigned i = 0; i < M; ++i)
    for (unsigned j = 0; j < N; ++j) {
      float total = 0, once = 0;
      double exact = 0, size = 0;
      for (unsigned t = 0; t < 4; ++t) {
        float part = 0;
        for (unsigned k = 0; k < 128; ++k) {
          const float a = s[k * 4 * M + t * M + i];
          const float b = m[k * 4 * N + t * N + j];
          part = std::fma(a, b, part);
          once = std::fma(a, b, once);
          exact += static_cast<double>(a) * b;
          size += std::fabs(static_cast<double>(a) * b);
        }
        total = t > 0 ? total + part : part;
      }
      want.push_back(total);
      differ += total != once;
      worst = std::max(worst, std::fabs(total - exact) / size);
    }
  const sim::Result result = mustRun(program, {data("s", s), data("m", m)});
  CHECK(firstDifference(values<float>(result.outputs[0]), want) == none);
  CHECK(differ > 0);
  CHECK(worst < 1e-6);
}

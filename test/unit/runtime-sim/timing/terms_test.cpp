//===- terms_test.cpp - What a time consists of ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Numbers by hand, from docs/timing.md. alone_test.cpp adds the terms up, for
// all instructions.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "kiln/machine/cost_terms.h"

namespace kiln::test::terms_test {

using namespace kiln::sim::test;
using machine::CostTerm;

namespace {

using Named = std::vector<std::pair<std::string, double>>;

/// Terms in cycles of `ghz`.
Named cycles(const std::vector<CostTerm> &terms, double ghz) {
  Named named;
  for (const CostTerm &term : terms)
    named.emplace_back(std::string(term.name), ns(term.time) * ghz);
  return named;
}

void requireSame(const Named &found, const Named &wanted) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i, found[i].second);
    REQUIRE(found[i].first == wanted[i].first);
    REQUIRE(found[i].second == Approx(wanted[i].second).margin(0.01));
  }
}

} // namespace

TEST_CASE("elements that lie far apart cost a term of their own") {
  const isa::TensorCopy copy = tensorCopy(
      sbuf(DType::f32, 128, 512), sbuf(DType::f32, 128, 512, 32768, 16));
  const auto terms = machine::termsOf(copy, Engine::vector, isa::trn2);
  requireSame(cycles(terms.occupancy, isa::trn2.vector_ghz),
              {{"stream", 512}, {"stride", 512}, {"start", 68}});
  requireSame(cycles(terms.latency, isa::trn2.vector_ghz),
              {{"stream", 512}, {"stride", 512}, {"pipeline", 148}});
  REQUIRE(terms.occupancy[1].parameter == "stride_penalty_factor");
  REQUIRE(terms.occupancy[2].parameter == "vector_ii_extra_cycles");
}

TEST_CASE("two tiles of one memory pass one after the other") {
  const isa::TensorTensor sum =
      tensorTensor(sbuf(DType::f32, 128, 256), sbuf(DType::f32, 128, 256, 4096),
                   sbuf(DType::f32, 128, 256, 8192));
  const auto terms = machine::termsOf(sum, Engine::vector, isa::trn2);
  requireSame(cycles(terms.occupancy, isa::trn2.vector_ghz),
              {{"stream", 256}, {"second tile", 256}, {"start", 68}});
}

TEST_CASE("an instruction of few elements takes the shortest interval") {
  isa::Target slow = isa::trn2;
  slow.vector_ii_extra_cycles = 10;
  const isa::TensorCopy copy =
      tensorCopy(sbuf(DType::f32, 128, 8), psum(DType::f32, 128, 8));
  const auto terms = machine::termsOf(copy, Engine::vector, slow);
  requireSame(cycles(terms.occupancy, slow.vector_ghz),
              {{"stream", 8}, {"start", 10}, {"shortest interval", 46}});
}

TEST_CASE("a loaded address and a function table have their terms") {
  isa::TensorCopy copy =
      tensorCopy(sbuf(DType::f32, 128, 100), psum(DType::f32, 128, 100));
  copy.dst.numTerms = 1;
  const auto moved = machine::termsOf(copy, Engine::vector, isa::trn2, {true});
  requireSame(cycles(moved.occupancy, isa::trn2.vector_ghz),
              {{"stream", 100}, {"start", 68}, {"loaded address", 432}});
  requireSame(cycles(moved.latency, isa::trn2.vector_ghz),
              {{"stream", 100}, {"pipeline", 148}, {"loaded address", 352}});
  const auto exp = machine::termsOf(activation(isa::ActivationFunction::exp,
                                               sbuf(DType::f32, 128, 100),
                                               psum(DType::f32, 128, 100)),
                                    Engine::scalar, isa::trn2);
  requireSame(cycles(exp.beside, 1), {{"function table", 1290}});
}

TEST_CASE("an f32 product has four passes") {
  const auto terms = machine::termsOf(matmul(DType::f32, 128, 128, 512),
                                      Engine::tensor, isa::trn2);
  const double ghz = isa::trn2.tensor_ghz;
  requireSame(cycles(terms.occupancy, ghz),
              {{"stream", 512}, {"bubble", 3}, {"passes", 3 * 515}});
  requireSame(
      cycles(terms.latency, ghz),
      {{"stream", 512}, {"bubble", 3}, {"passes", 3 * 515}, {"pipeline", 390}});
  requireSame(cycles(terms.beside, ghz), {{"stationary load", 256}});
  // Of few columns, both halves of the stationary operand take longer.
  const auto narrow = machine::termsOf(matmul(DType::f32, 128, 128, 16),
                                       Engine::tensor, isa::trn2);
  requireSame(cycles(narrow.occupancy, ghz), {{"stream", 16},
                                              {"bubble", 3},
                                              {"shortest interval", 45},
                                              {"passes", 3 * 64},
                                              {"second stationary load", 256}});
}

TEST_CASE("a transfer of short rows pays for rows, descriptors and starts") {
  const isa::DmaCopy load =
      dmaCopy(sbuf(DType::bf16, 128, 128), hbm(DType::bf16, 128, 128));
  const auto terms = machine::termsOf(load, Engine::sync, isa::trn2);
  // Each engine moves 8 rows of 256 bytes; the rate is that of full packets.
  const double data = 8 * 256 / (4096 / (4096 / 23.0 - 10));
  const Named moves{{"data", data}, {"rows", 3.2}, {"descriptors", 10}};
  requireSame(cycles(terms.occupancy, 1), moves);
  requireSame(cycles(terms.latency, 1), {{"start", 740},
                                         {"engine's start", 349.995},
                                         moves[0],
                                         moves[1],
                                         moves[2],
                                         {"completion", 300}});
  requireSame(cycles(terms.beside, 1),
              {{"descriptor generation", 485 + 1.1 * 128}});
}

TEST_CASE("an engine without data may be the last one to give its token") {
  const isa::DmaCopy load =
      dmaCopy(sbuf(DType::f32, 8, 16), hbm(DType::f32, 8, 16));
  const auto terms = machine::termsOf(load, Engine::sync, isa::trn2);
  requireSame(cycles(terms.latency, 1), {{"start", 740},
                                         {"engine's start", 349.995},
                                         {"its part of the token", 10},
                                         {"completion", 300}});
}

TEST_CASE("single elements of a transfer are filled up and read first") {
  isa::Access apart = sbuf(DType::bf16, 128, 16, 0, 2);
  const auto terms = machine::termsOf(dmaCopy(apart, hbm(DType::bf16, 128, 16)),
                                      Engine::sync, isa::trn2);
  const double rate = 4096 / (4096 / 23.0 - 10);
  requireSame(cycles(terms.occupancy, 1),
              {{"data", 8 * 16 * 2 / rate},
               {"short rows", 8 * 16 * 62 / rate},
               {"partial writes", 8 * 16 * 64 / rate},
               {"rows", 8 * 16 * 0.4},
               {"descriptors", 10}});
}

TEST_CASE("a transpose on the way is slower than a copy") {
  isa::DmaTranspose transpose;
  transpose.dst = sbuf(DType::bf16, 128, 128);
  transpose.src = hbm(DType::bf16, 128, 128);
  const auto terms = machine::termsOf(transpose, Engine::sync, isa::trn2);
  REQUIRE(terms.occupancy.back().name == "slower than a copy");
  REQUIRE(terms.occupancy.back().parameter == "dma_transpose_efficiency_hbm");
  const double all = ns(machine::sumOf(terms.occupancy));
  REQUIRE(ns(terms.occupancy.back().time) == Approx(0.1 * all).margin(0.01));
}

TEST_CASE("HBM limits copies within it") {
  const auto terms = machine::termsOf(
      dmaCopy(hbm(DType::bf16, 4096, 2048, 1), hbm(DType::bf16, 4096, 2048)),
      Engine::gpsimd, isa::trn2);
  const auto limit = std::ranges::find_if(
      terms.latency, [](auto &term) { return term.name == "HBM limit"; });
  REQUIRE(limit != terms.latency.end());
  REQUIRE(limit->parameter == "hbm_bytes_per_ns");
  REQUIRE(limit->time > 0);
}

} // namespace kiln::test::terms_test

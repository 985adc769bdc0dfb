//===- meetings_test.cpp - Ranks that do not agree ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

using namespace ranks;

namespace {

/// Rank r takes the branch r != 0 of the kernel: collectives of two kinds.
Program branching(isa::Body then, isa::Body otherwise) {
  Program program;
  const auto add = [&](isa::Body body) -> isa::Instruction & {
    return program.add(Engine::gpsimd, std::move(body));
  };
  program.tensor("x", DType::f32, isa::TensorKind::input, {8});
  program.tensor("y", DType::f32, isa::TensorKind::inout, {8});
  add(isa::RankId{{0}});
  add(isa::If{isa::Register{0}});
  add(std::move(then)).signals.push_back({0, 1});
  add(isa::Else{});
  add(std::move(otherwise)).signals.push_back({0, 1});
  add(isa::EndIf{});
  add(isa::Semaphore{}).waits.push_back({0, 1});
  return program;
}

Access whole(unsigned tensor) { return hbm(tensor, DType::f32, {{1, 8}}); }
isa::Body reduceBy(isa::AluOp op, isa::RankLists lists = {{0, 1}}) {
  return isa::AllReduce{{whole(0)}, {whole(1)}, std::move(lists), op, 8, {}};
}

sim::LaunchExecution run(const Program &program, unsigned ranks,
                         std::uint64_t seed = 0) {
  const std::vector<sim::TensorData> inputs{
      data("x", std::vector<float>(8, 1)), data("y", std::vector<float>(8, 2))};
  sim::Options options;
  options.interleaveSeed = seed;
  return go({{&program.module, 1}, ranks, inputs, {}}, options);
}

void expectMismatch(const isa::Body &then, const isa::Body &otherwise,
                    const std::string &part) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto result = run(branching(then, otherwise), 2, seed);
    REQUIRE(result.fault);
    CAPTURE(result.fault->text);
    CHECK(result.fault->code == "KILN-X015");
    CHECK(result.fault->text.find(part) != std::string::npos);
    REQUIRE(result.fault->instructions.size() == 2);
    CHECK(result.fault->instructions[0].rank !=
          result.fault->instructions[1].rank);
    CHECK(result.fault->instructions[0].location.line !=
          result.fault->instructions[1].location.line);
  }
}

} // namespace

TEST_CASE("peers that differ are both named") {
  const isa::Body add = reduceBy(isa::AluOp::add);
  CHECK(!run(branching(add, add), 2).fault);
  expectMismatch(add, reduceBy(isa::AluOp::maximum), "different operators");
  expectMismatch(add,
                 isa::CollectivePermuteImplicit{
                     {whole(0)}, {whole(1)}, {{0, 1}}, {0}, 8, {}},
                 "collective_permute_implicit");
  auto shorter = std::get<isa::AllReduce>(add);
  shorter.srcs[0].dims[0].size = shorter.dsts[0].dims[0].size = 7;
  expectMismatch(add, shorter, "srcs of");
  auto twice = std::get<isa::AllReduce>(add);
  twice.srcs = {shorter.srcs[0], shorter.srcs[0]};
  twice.dsts = {shorter.dsts[0], shorter.dsts[0]};
  expectMismatch(add, twice, "srcs ");
}

TEST_CASE("a rank that never comes") {
  // Lists that cross: rank 0 takes part in one of its own.
  const auto result = run(branching(reduceBy(isa::AluOp::add, {{0, 1}}),
                                    reduceBy(isa::AluOp::add, {{1, 0}})),
                          2);
  REQUIRE(result.fault);
  CAPTURE(result.fault->text);
  CHECK(result.fault->code == "KILN-X006");
  CHECK(result.fault->text.find("rank 0 gpsimd instruction") !=
        std::string::npos);
  CHECK(result.fault->text.find("that waits for rank 1") != std::string::npos);
}

TEST_CASE("ranks that are not there, and ranks in no list") {
  Program program;
  program.tensor("x", DType::f32, isa::TensorKind::input, {8});
  program.tensor("y", DType::f32, isa::TensorKind::inout, {8});
  program.then(Engine::gpsimd, reduceBy(isa::AluOp::add, {{0, 1}, {2, 3}}));
  CHECK(!run(program, 4).fault);
  const auto few = run(program, 3);
  REQUIRE(few.fault);
  CHECK(few.fault->code == "KILN-X017");
  CHECK(
      few.fault->text.find("names rank 3, but this launch has ranks 0 to 2") !=
      std::string::npos);
  const auto many = run(program, 5);
  REQUIRE(many.fault);
  CHECK(many.fault->code == "KILN-X015");
  CHECK(many.fault->text.find("rank 4, which is not in any list") !=
        std::string::npos);
}

TEST_CASE("what a rank does to its own operands without order is a race") {
  Program program;
  program.tensor("x", DType::f32, isa::TensorKind::input, {8});
  program.tensor("y", DType::f32, isa::TensorKind::inout, {8});
  program.add(Engine::gpsimd, reduceBy(isa::AluOp::add));
  program.add(Engine::sync,
              isa::DmaCopy{sbuf(DType::f32, 1, 8, 0), whole(1), 0, {}});
  const auto result = run(program, 2);
  REQUIRE(result.fault);
  CAPTURE(result.fault->text);
  CHECK(result.fault->code == "KILN-X005");
  CHECK(result.fault->text.find("tensor y") != std::string::npos);
  CHECK(result.fault->instructions.size() == 2);
}

TEST_CASE("ranks share what is equal") {
  // 64 ranks of two cores: 4 GiB if every memory on chip were made at once.
  Program program;
  const std::size_t n = 1 << 20;
  program.tensor("x", DType::f32, isa::TensorKind::input,
                 {static_cast<std::int64_t>(n)});
  program.tensor("y", DType::f32, isa::TensorKind::output, {4, 8});
  const Access tile = sbuf(DType::f32, 4, 8, 0);
  program.then(Engine::sync,
               isa::DmaCopy{tile, hbm(0, DType::f32, {{1, 32}}), 0, {}});
  isa::RankLists all(1);
  for (int r = 0; r < 64; ++r)
    all[0].push_back(r);
  program.then(Engine::gpsimd,
               isa::AllReduce{{tile}, {tile}, all, isa::AluOp::add, 8, {}});
  program.store(1, tile);
  const auto modules = pairOf(program, {});
  const sim::TensorData in = data("x", std::vector<float>(n, 0.5f));
  const auto result = pass({modules, 64, {&in, 1}, {}});
  REQUIRE(result.outputs.size() == 64);
  for (const auto &rank : result.outputs)
    CHECK(values<float>(rank[0]) == std::vector<float>(32, 32.0f));
}

//===- ways_test.cpp - Collectives take the best way there is -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launches.h"

#include <algorithm>

namespace kiln::test::ways_test {

using namespace bench;
using namespace kiln::sim::test;

namespace {

enum class Kind : std::uint8_t { reduceScatter, gather, reduce };

/// Picoseconds of a launch of `ranks` that does one collective on `elements`
/// f32 in all, on both cores if ranks have two.
sim::Picoseconds time(Kind kind, unsigned ranks, std::uint64_t elements,
                      const isa::Target &target, unsigned cores = 1) {
  std::vector<Program> programs(cores);
  for (Program &program : programs) {
    program.module.generation = target.generation;
    const auto piece = static_cast<std::int64_t>(elements / ranks);
    const auto all = static_cast<std::int64_t>(elements);
    program.tensor("x", DType::f32, isa::TensorKind::input,
                   {kind == Kind::gather ? piece : all});
    program.tensor("y", DType::f32,
                   cores > 1 ? isa::TensorKind::internal
                             : isa::TensorKind::output,
                   {kind == Kind::reduceScatter ? piece : all});
    const Access x = program.whole(0), y = program.whole(1);
    if (kind == Kind::reduceScatter)
      program.then(Engine::gpsimd,
                   isa::ReduceScatter{
                       {x}, {y}, listOf(ranks), 0, isa::AluOp::add, 8, {}});
    else if (kind == Kind::gather)
      program.then(Engine::gpsimd,
                   isa::AllGather{{x}, {y}, listOf(ranks), 0, 8, {}});
    else
      program.then(
          Engine::gpsimd,
          isa::AllReduce{{x}, {y}, listOf(ranks), isa::AluOp::add, 8, {}});
  }
  if (cores == 1)
    return timeOf({{&programs[0].module, 1}, ranks, {}, {}}, target).makespan;
  const auto modules = pairOf(programs[0], programs[1]);
  return timeOf({modules, ranks, {}, {}}, target).makespan;
}

/// Sizes from 4 bytes a rank to beyond 56 MiB, on both sides of each limit;
/// each a multiple of `ranks` elements.
std::vector<std::uint64_t> sizesFor(unsigned ranks, const isa::Target &target) {
  std::vector<std::uint64_t> sizes;
  for (double size = 4.0 * ranks; size < (96 << 20); size *= 1.9)
    sizes.push_back(static_cast<std::uint64_t>(size));
  for (const int limit :
       {target.collective_mesh_max_bytes, target.collective_halving_max_bytes})
    for (const int off : {-4096, -4, 0, 4, 4096})
      sizes.push_back(
          static_cast<std::uint64_t>(limit + off * static_cast<int>(ranks)));
  for (std::uint64_t &size : sizes)
    size = std::max<std::uint64_t>(size / 4 / ranks, 1) * ranks;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

void checkRanks(unsigned ranks, const isa::Target &target, unsigned cores) {
  std::array<sim::Picoseconds, 3> before{};
  for (const std::uint64_t elements : sizesFor(ranks, target)) {
    std::array<sim::Picoseconds, 3> now{};
    for (const Kind kind : {Kind::reduceScatter, Kind::gather, Kind::reduce}) {
      const auto k = static_cast<std::size_t>(kind);
      now[k] = time(kind, ranks, elements, target, cores);
      CAPTURE(target.name, ranks, cores, k, elements * 4, before[k], now[k]);
      CHECK(now[k] >= before[k]);
    }
    CAPTURE(target.name, ranks, cores, elements * 4);
    CHECK(now[2] <= now[0] + now[1]);
    before = now;
  }
}

} // namespace

TEST_CASE("collectives of 2 to 64 ranks: more bytes never take less time") {
  for (unsigned ranks = 2; ranks <= 64; ++ranks)
    checkRanks(ranks, isa::trn2, 1);
}

TEST_CASE("the same on the other targets, and with two cores a rank") {
  for (const unsigned ranks : {2u, 3u, 4u, 8u, 16u, 23u, 32u, 33u, 64u}) {
    checkRanks(ranks, isa::trn1, 1);
    checkRanks(ranks, isa::trn3, 1);
  }
  for (const unsigned ranks : {2u, 4u, 5u, 16u, 64u})
    checkRanks(ranks, isa::trn2, 2);
}

TEST_CASE("an all-reduce takes one hop, or two, or a ring's") {
  const auto us = [](std::uint64_t bytes, const isa::Target &target) {
    return static_cast<double>(time(Kind::reduce, 64, bytes / 4, target)) / 1e6;
  };
  // The smallest takes one hop. A larger one lets each rank reduce a part:
  // one hop more, and a thirtieth of the bytes.
  CHECK(us(256, isa::trn2) == Approx(4 + 1.5 + .3).margin(.6));
  CHECK(us(65536, isa::trn2) == Approx(4 + 2 * 1.5 + .3).margin(2));
  // Where the mesh ends nothing becomes cheaper, nor more than a little dearer.
  const double below = us((1 << 20) - 256, isa::trn2);
  const double from = us(1 << 20, isa::trn2);
  CHECK(from >= below);
  CHECK(from < 2 * below);
  // Without the mesh: six hops each way, and without halving 32 of a ring.
  isa::Target target = isa::trn2;
  target.collective_mesh_max_bytes = 0;
  const double halving = us(256, target);
  CHECK(halving == Approx(4 + 12 * 1.5 + .3).margin(.4));
  target.collective_halving_max_bytes = 0;
  CHECK(us(256, target) == Approx(halving + (64 - 12) * 1.5).margin(.01));
  // A larger limit of an algorithm never makes anything slower.
  target.collective_halving_max_bytes = 1 << 30;
  CHECK(us(128 << 20, target) <= us(128 << 20, isa::trn2));
}

} // namespace kiln::test::ways_test

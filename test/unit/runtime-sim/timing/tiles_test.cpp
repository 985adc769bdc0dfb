//===- tiles_test.cpp - Parts of the PE array at work side by side --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

namespace kiln::test::tiles_test {

using namespace kiln::sim::test;

namespace {

struct Tile {
  int row, column, rows, columns;
};

isa::NcMatmul tiled(Tile tile, std::uint32_t n) {
  isa::NcMatmul op = matmul(DType::bf16, static_cast<unsigned>(tile.rows),
                            static_cast<std::uint32_t>(tile.columns), n);
  op.stationary.partition = op.moving.partition =
      static_cast<std::uint8_t>(tile.row);
  op.dst.partition = static_cast<std::uint8_t>(tile.column);
  op.tile_position = {tile.row, tile.column};
  op.tile_size = {tile.rows, tile.columns};
  return op;
}

/// Time of each product when the tiles take turns, a hundred times.
double each(const std::vector<Tile> &tiles, std::uint32_t n) {
  ModuleBuilder builder;
  constexpr int turns = 100;
  for (int i = 0; i < turns; ++i)
    for (const Tile &tile : tiles)
      builder.add(Engine::tensor, tiled(tile, n));
  isa::Target target = isa::trn2;
  target.pe_cold_rate = 1;
  const Timing timing = builder.time(target);
  return ns(timing.makespan) / (turns * static_cast<double>(tiles.size()));
}

} // namespace

TEST_CASE("products in tiles that share no cell run side by side") {
  const double alone = each({{0, 0, 64, 64}}, 512);
  REQUIRE(each({{0, 0, 64, 128}, {64, 0, 64, 128}}, 512) ==
          Approx(alone / 2).epsilon(.03));
  REQUIRE(each({{0, 0, 64, 64}, {0, 64, 64, 64}}, 512) ==
          Approx(alone / 2).epsilon(.03));
  REQUIRE(each({{0, 0, 32, 32},
                {32, 32, 32, 32},
                {64, 64, 32, 32},
                {96, 96, 32, 32}},
               512) == Approx(alone / 4).epsilon(.03));
}

TEST_CASE("tiles that share a cell take turns") {
  const double alone = each({{0, 0, 64, 64}}, 512);
  REQUIRE(each({{0, 0, 64, 128}, {0, 64, 64, 64}}, 512) ==
          Approx(alone).epsilon(.03));
  REQUIRE(each({{0, 0, 128, 128}, {96, 96, 32, 32}}, 512) ==
          Approx(alone).epsilon(.03));
}

} // namespace kiln::test::tiles_test

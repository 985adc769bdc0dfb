//===- TileOperationsTest.cpp - Which operation of a line it was ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/tile_operations.h"

#include "catch.h"

using kiln::isa::Module;
using kiln::isa::noteTileOperation;
using kiln::isa::TileOperations;
using kiln::isa::tileOperationsFact;

namespace {

Module withOperations(const std::string &text) {
  Module module;
  module.locations.resize(10);
  module.facts[tileOperationsFact] = text;
  return module;
}

} // namespace

TEST_CASE("a location says which operation on tiles it is of") {
  Module module;
  module.locations.resize(10);
  noteTileOperation(module, 3, "load");
  noteTileOperation(module, 9, "exp");
  CHECK(module.facts.at(tileOperationsFact) == "3:load 9:exp");
  const TileOperations operations(module);
  CHECK(operations.of(3) == "load");
  CHECK(operations.of(9) == "exp");
  CHECK(operations.of(4).empty());
  CHECK(TileOperations(Module()).of(3).empty());
}

TEST_CASE("of a fact about operations, only what makes no sense is left out") {
  const auto *const text = GENERATE(
      "4:exp", "10:add 4:exp", "0:add 4:exp", "x 4:exp", "5 4:exp  ",
      "-4:add 4:exp", "99999999999:add 4:exp", " 4:exp", "+4:add 4:exp");
  const TileOperations operations(withOperations(text));
  CHECK(operations.of(4) == "exp");
  for (const std::uint32_t other : {0u, 5u, 9u, 10u})
    CHECK(operations.of(other).empty());
}

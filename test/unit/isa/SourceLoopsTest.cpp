//===- SourceLoopsTest.cpp - Scopes and loops around a place --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/scopes.h"
#include "kiln/isa/source_loops.h"

#include "catch.h"

using namespace kiln::isa;

TEST_CASE("scopes keep their names, whatever is in them") {
  const std::vector<std::string> names =
      GENERATE(std::vector<std::string>{"rows"},
               std::vector<std::string>{"a/b", "c", "d#1/2", "\\", "h\\h"},
               std::vector<std::string>{"x", "", "y"});
  std::string scopes;
  for (const std::string &name : names)
    appendScope(scopes, name);
  CHECK(splitScopes(scopes) == names);
  CHECK(scopes.find('#') == std::string::npos);
  CHECK(splitScopes("").empty());
}

TEST_CASE("scopes as text show no marks") {
  CHECK(scopesText("rows/columns") == "rows/columns");
  CHECK(scopesText("q\\/k/rows") == "q/k > rows");
}

TEST_CASE("a location knows its loops, and its turn of what was unrolled") {
  Module module;
  module.locations.resize(10);
  noteSourceLoops(module, 3, "0=8");
  noteSourceLoops(module, 9, "0=8,2=4@3");
  noteSourceLoops(module, 4, "1=1");
  CHECK(module.facts.at(sourceLoopsFact) == "3:0=8 9:0=8,2=4@3 4:1=1");
  const SourceLoops loops(module);
  CHECK(loops.of(3) == std::vector<SourceLoop>{{0, 8, {}}});
  CHECK(loops.of(9) == std::vector<SourceLoop>{{0, 8, {}}, {2, 4, 3}});
  CHECK(textOf(loops.of(9)) == "0=8,2=4@3");
  CHECK(loops.isRepeated(9));
  CHECK(!loops.isRepeated(4)); // Once.
  CHECK(loops.of(5).empty());
}

TEST_CASE("of a fact about loops, only what makes no sense is left out") {
  const auto *const text =
      GENERATE("4:1=8", "10:0=2 4:1=8", "x 4:1=8", "4:1=8,1=9", "4:0=x,1=8",
               "4:0=3@3,1=8", "4:0=3@,1=8", "4:=,1=8 ", " 4:1=8,,");
  Module module;
  module.locations.resize(10);
  module.facts[sourceLoopsFact] = text;
  const SourceLoops loops(module);
  CHECK(loops.of(4) == std::vector<SourceLoop>{{1, 8, {}}});
  for (const std::uint32_t other : {0u, 5u, 10u})
    CHECK(loops.of(other).empty());
}

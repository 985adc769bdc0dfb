//===- CallersTest.cpp - The calls that lead to a place ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/callers.h"
#include "catch.h"

using kiln::isa::Callers;
using kiln::isa::Module;
using kiln::isa::noteCaller;
using Calls = std::vector<std::uint32_t>;

namespace {

Module withCallers(const std::string &text) {
  Module module;
  module.locations.resize(10);
  module.facts[kiln::isa::callersFact] = text;
  return module;
}

} // namespace

TEST_CASE("calls lead from a helper to the kernel, innermost first") {
  Module module = withCallers("5:3 8:5");
  noteCaller(module, 9, 3);
  CHECK(module.facts.at(kiln::isa::callersFact) == "5:3 8:5 9:3");
  const Callers callers(module);
  CHECK(callers.of(8) == Calls{5, 3});
  CHECK(callers.of(5) == Calls{3});
  CHECK(callers.of(9) == Calls{3});
  CHECK(callers.of(3).empty());
  CHECK(Callers(Module()).of(8).empty());
}

TEST_CASE("what makes no sense in the fact is left out, and every chain ends") {
  const auto [text, kept] = GENERATE(table<std::string, Calls>({
      {"5:5 6:7 4:2", {2}},       // Not below itself.
      {"10:3 9:0 4:1", {1}},      // No such place; unknown.
      {"4:2 5", {2}},             // Cut off.
      {"4:2 x 5:y", {2}},         // No number.
      {"4:-2", {}},               // The same.
      {"99999999999:1 4:2", {2}}, // Too large.
      {"", {}},
  }));
  const Callers callers(withCallers(text));
  CHECK(callers.of(4) == kept);
  for (const std::uint32_t other : {5u, 6u, 9u, 10u})
    CHECK(callers.of(other).empty());
}

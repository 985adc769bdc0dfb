//===- interpreted.h - Interprets a body of a few lines
//------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_INTERPRET_INTERPRETED_H
#define KILN_TEST_INTERPRET_INTERPRETED_H

#include "catch.h"
#include "kiln/interpret.h"
#include "probe.h"

#include <cmath>

namespace kiln::test {

template <class... Tensors, class Body>
interpret::Result interpreted(const std::vector<Extents> &shapes,
                              const interpret::Inputs &inputs,
                              const Body &body) {
  const program::Program program = recordProbe<Tensors...>(shapes, body);
  interpret::Result result = interpret::interpret(program, inputs);
  if (result.fault)
    UNSCOPED_INFO(result.fault->text);
  return result;
}

/// The numbers of an output, which must all be exact.
inline Values exactValues(const interpret::Result &result,
                          const std::string &name) {
  REQUIRE(!result.fault);
  Values values;
  for (const interpret::Number &number : result.ranks.at(0).at(name).elements) {
    CHECK(number.bound == 0);
    values.push_back(number.value);
  }
  return values;
}
inline const interpret::Number &numberAt(const interpret::Result &result,
                                         const std::string &name,
                                         std::size_t place) {
  REQUIRE(!result.fault);
  return result.ranks.at(0).at(name).elements.at(place);
}

/// first, first + 1, ...
inline Values counting(std::size_t count, double first = 0) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = first + static_cast<double>(i);
  return values;
}

} // namespace kiln::test

#endif // KILN_TEST_INTERPRET_INTERPRETED_H

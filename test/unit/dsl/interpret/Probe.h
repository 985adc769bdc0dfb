//===- Probe.h - Interprets a body of a few lines ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_INTERPRET_PROBE_H
#define KILN_TEST_INTERPRET_PROBE_H

#include "catch.h"
#include "kiln/interpret.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

#include <cmath>

namespace kiln::test {

using Values = std::vector<double>;
using Extents = std::vector<std::int64_t>;

/// A kernel whose tensors are called a, b, c, ...
template <class Body, class... Tensors> struct Probe {
  BOOST_HANA_DEFINE_STRUCT(Probe, (int, unused));
  const Body *body = nullptr;
  const std::vector<Extents> *shapes = nullptr;
  void describe(Signature &s) const {
    static constexpr const char *names[] = {"a", "b", "c", "d"};
    for (std::size_t i = 0; i < shapes->size(); ++i) {
      const Extents &n = (*shapes)[i];
      if (n.size() == 2)
        s.argument(names[i], {n[0], n[1]});
      else
        s.argument(names[i], {n[0], n[1], n[2]});
    }
  }
  void operator()(Tensors... tensors) const { (*body)(tensors...); }
};

template <class... Tensors, class Body>
program::Program probe(const std::vector<Extents> &shapes, const Body &body,
                       const Core &core = {}) {
  Probe<Body, Tensors...> kernel{};
  kernel.body = &body;
  kernel.shapes = &shapes;
  return record(kernel, "probe", core);
}
template <class... Tensors, class Body>
interpret::Result interpreted(const std::vector<Extents> &shapes,
                              const interpret::Inputs &inputs,
                              const Body &body) {
  const program::Program program = probe<Tensors...>(shapes, body);
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

#endif // KILN_TEST_INTERPRET_PROBE_H

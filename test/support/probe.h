//===- probe.h - A kernel around a few calls -------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_SUPPORT_PROBE_H
#define KILN_TEST_SUPPORT_PROBE_H

#include "kiln/kiln.h"
#include "kiln/record.h"

#include <vector>

namespace kiln::test {

using Values = std::vector<double>;
using Extents = std::vector<std::int64_t>;

/// A kernel whose tensors are called a, b, c, ... and have these extents.
template <class Body, class... Tensors> struct Probe {
  BOOST_HANA_DEFINE_STRUCT(Probe, (int, unused));
  const Body *body = nullptr;
  const std::vector<Extents> *shapes = nullptr;
  void describe(Signature &s) const {
    static constexpr const char *names[] = {"a", "b", "c", "d",
                                            "e", "f", "g", "h"};
    for (std::size_t i = 0; i < shapes->size(); ++i) {
      const Extents &n = (*shapes)[i];
      if (n.size() == 1)
        s.argument(names[i], {n[0]});
      else if (n.size() == 2)
        s.argument(names[i], {n[0], n[1]});
      else
        s.argument(names[i], {n[0], n[1], n[2]});
    }
  }
  void operator()(Tensors... tensors) const { (*body)(tensors...); }
};

template <class... Tensors, class Body>
program::Program recordProbe(const std::vector<Extents> &shapes,
                             const Body &body, const Core &core = {}) {
  Probe<Body, Tensors...> kernel{};
  kernel.body = &body;
  kernel.shapes = &shapes;
  return record(kernel, "probe", core);
}

} // namespace kiln::test

#endif // KILN_TEST_SUPPORT_PROBE_H

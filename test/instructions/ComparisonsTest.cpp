//===- ComparisonsTest.cpp - Registers that are compared ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <limits>

namespace kiln::test::comparisons_test {

namespace {

using Limits = std::numeric_limits<std::int32_t>;

/// Their differences need up to 33 bits.
const Values numbers = {
    Limits::min(), Limits::min() + 1.0, -0x1p30,      -3, -1, 0, 1, 5,
    0x1p30,        Limits::max() - 1.0, Limits::max()};

void checkComparisons(const std::string &target) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  constexpr std::int64_t kinds = 10;
  Values want;
  for (const double p : numbers)
    for (const double q : numbers)
      for (const bool truth : {p<q, p <= q, p> q, p >= q, p == q, p != q,
                               p<5, p >= 0, p> - 3, 1 >= p && p != q})
        want.push_back(truth);
  const auto found = run<In<i32, 2>, Out<i32, 2>>(
      target, {{1, count}, {count * count, kinds}}, {numbers},
      [&](auto n, auto y) {
        loop("p", count, [&](Index i) {
          const Index p = nc::register_load(n.cols_at(i, 1_c));
          loop("q", count, [&](Index j) {
            const Index q = nc::register_load(n.cols_at(j, 1_c));
            const Condition truths[] = {
                p<q, p <= q, p> q,   p >= q,          p == q, p != q,
                p<5, p >= 0, p> - 3, 1 >= p && p != q};
            for (std::int64_t k = 0; k < kinds; ++k)
              nc::register_store(y.rows_at(i * count + j, 1_c).cols_at(k, 1_c),
                                 truths[k].index());
          });
        });
      });
  checkSame(found[0], want);
}

} // namespace

TEST_CASE("comparisons of registers hold for all 32 bits") {
  checkComparisons("trn1");
  checkComparisons("trn3");
}

} // namespace kiln::test::comparisons_test

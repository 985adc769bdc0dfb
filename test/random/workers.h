//===- workers.h - Seeds in processes of their own ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RANDOM_WORKERS_H
#define KILN_TEST_RANDOM_WORKERS_H

#include <cstdint>
#include <functional>
#include <string>

namespace kiln::test {

/// What became of a seed.
struct Report {
  std::uint32_t kind = 0; ///< trial::Class
  std::uint64_t compared = 0, elements = 0;
  std::string text;
};

struct WorkPlan {
  std::uint64_t first, last;
  unsigned jobs;
  unsigned timeout; ///< Seconds for a seed.
};

/// Runs `work` for every seed in `jobs` processes, and `done` here for each, in
/// any order. A process that dies takes one seed with it.
void runWorkers(const WorkPlan &plan,
                const std::function<Report(std::uint64_t)> &work,
                const std::function<void(std::uint64_t, const Report &)> &done);

/// Runs `body` in a child; the signal that ended it, or 0.
int inOtherProcess(unsigned timeout, const std::function<void()> &body);

} // namespace kiln::test

#endif // KILN_TEST_RANDOM_WORKERS_H

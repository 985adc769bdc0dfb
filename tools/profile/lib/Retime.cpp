//===- Retime.cpp - The same binary on another machine -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/retime.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace kiln::profile {

Retimer::Retimer(const sim::Launch &launch, const isa::Target &target,
                 const sim::LaunchTimingOptions &values)
    : launch(launch), machine(target), values(values) {
  this->values.trace = false;
}

std::optional<Retimed> Retimer::time(const Variant &variant) const {
  sim::LaunchTimingOptions options = values;
  options.changes = variant.changes;
  const auto timing = sim::simulateLaunch(launch, variant.target, options);
  if (!timing)
    return std::nullopt;
  Retimed result{timing->makespan, 0};
  for (const sim::Timing &core : timing->cores)
    result.lowerBound = std::max(result.lowerBound, core.lowerBound);
  return result;
}

std::vector<std::optional<Retimed>>
Retimer::time(std::span<const Variant> variants) const {
  std::vector<std::optional<Retimed>> results(variants.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < variants.size();)
      results[i] = time(variants[i]);
  };
  const std::size_t helpers =
      std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()),
                            std::max<std::size_t>(1, variants.size())) -
      1;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < helpers; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

} // namespace kiln::profile

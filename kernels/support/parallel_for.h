//===- parallel_for.h - Rows of a reference, on all cores -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_PARALLEL_FOR_H
#define KILN_KERNELS_SUPPORT_PARALLEL_FOR_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kiln::kernels {

/// Calls call(body, i) for each i below `count`, on several threads. Not a
/// template: a kernel file would compile the threads once per caller.
inline void parallelCalls(std::int64_t count, const void *body,
                          void (*call)(const void *body, std::int64_t i)) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure; // The first one; it ends the others.
  std::mutex failing;
  const auto work = [&] {
    try {
      for (std::int64_t i = next++; i < count; i = next++)
        call(body, i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure)
        failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> helpers;
  const std::int64_t cores = std::thread::hardware_concurrency();
  for (std::int64_t i = 1; i < std::min(cores, count); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  if (failure)
    std::rethrow_exception(failure);
}

/// Calls body(i) for each i below `count`, on several threads. The calls must
/// not depend on one another.
template <class Body> void parallelFor(std::int64_t count, const Body &body) {
  parallelCalls(count, &body, [](const void *each, std::int64_t i) {
    (*static_cast<const Body *>(each))(i);
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_PARALLEL_FOR_H

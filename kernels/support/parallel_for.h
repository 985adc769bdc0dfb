//===- parallel_for.h - Rows of a reference, on all cores -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_PARALLEL_FOR_H
#define KILN_KERNELS_SUPPORT_PARALLEL_FOR_H

#include <pthread.h>
#include <unistd.h>

#include <cstdint>
#include <exception>

namespace kiln::kernels {

/// Calls call(body, i) for each i below `count`, on several threads. Not a
/// template: a kernel file would compile the threads once per caller. They are
/// POSIX's: <thread> and <atomic> take as long to compile as the language.
inline void parallelCalls(std::int64_t count, const void *body,
                          void (*call)(const void *body, std::int64_t i)) {
  struct Work {
    std::int64_t count;
    const void *body;
    void (*call)(const void *body, std::int64_t i);
    std::int64_t next = 0;
    bool hasFailed = false;
    std::exception_ptr failure = nullptr; // The first one; it ends the others.

    static void *run(void *work) {
      auto &own = *static_cast<Work *>(work);
      const auto take = [&own] {
        return __atomic_fetch_add(&own.next, 1, __ATOMIC_RELAXED);
      };
      try {
        for (std::int64_t i = take(); i < own.count; i = take())
          own.call(own.body, i);
      } catch (...) {
        if (!__atomic_exchange_n(&own.hasFailed, true, __ATOMIC_RELAXED))
          own.failure = std::current_exception();
        __atomic_store_n(&own.next, own.count, __ATOMIC_RELAXED);
      }
      return nullptr;
    }
  } work{count, body, call};
  constexpr std::int64_t most = 256;
  pthread_t helpers[most];
  const std::int64_t cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  std::int64_t started = 0;
  while (started < most && started + 1 < cores && started + 1 < count &&
         ::pthread_create(&helpers[started], nullptr, Work::run, &work) == 0)
    ++started;
  Work::run(&work); // If no thread can be had, all of it.
  while (started > 0)
    ::pthread_join(helpers[--started], nullptr);
  if (work.failure)
    std::rethrow_exception(work.failure);
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

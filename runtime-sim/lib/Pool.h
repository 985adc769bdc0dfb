//===- Pool.h - Host threads for one instruction at a time ------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_POOL_H
#define KILN_SIM_LIB_POOL_H

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace kiln::sim {

/// Runs small batches of independent tasks on a few threads. Instructions take
/// microseconds, so idle threads watch for work a while before they sleep.
/// Results do not depend on which thread runs a task.
class Pool {
public:
  /// `threads` with the caller's own; 0 asks the host. Fewer if the host has
  /// no more to give.
  explicit Pool(unsigned threads);
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  static constexpr unsigned maxThreads = 8;
  unsigned size() const { return workers.load(std::memory_order_relaxed); }

  /// Calls task(i, worker) once for every i < count <= 65535, and returns when
  /// all calls have. `worker` < size(); no two calls share one at a time. The
  /// range is split into equal parts, and each worker begins with its own,
  /// batch after batch, so that what it wrote is still in its caches; workers
  /// without work help the others. Throws what a task throws, after all others
  /// are done.
  template <class Task> void run(unsigned count, const Task &task) {
    runBatch(
        count,
        [](const void *context, unsigned i, unsigned worker) {
          (*static_cast<const Task *>(context))(i, worker);
        },
        &task);
  }

private:
  using Call = void (*)(const void *context, unsigned i, unsigned worker);
  void runBatch(unsigned count, Call call, const void *context);
  void watch(unsigned worker);
  /// Claims and runs one task of the current batch, if there is one left.
  bool runOne(unsigned worker);

  bool claimFrom(unsigned owner, unsigned worker);

  /// Batch number, end and next of the part of the batch that a worker owns:
  /// one word, so that a late thread cannot claim a task of a batch that it has
  /// not read.
  struct alignas(64) Part {
    std::atomic<std::uint64_t> ticket{0};
  };
  std::array<Part, maxThreads> parts;
  std::atomic<Call> batchCall{nullptr};
  std::atomic<const void *> batchContext{nullptr};
  std::atomic<unsigned> unfinished{0};
  /// The first exception of the batch; its thread alone writes it.
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  /// Rises with every batch; idle threads sleep on it.
  std::atomic<std::uint32_t> published{0};
  std::atomic<bool> stopping{false};
  std::atomic<unsigned> workers{1};
  std::vector<std::thread> helpers;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_POOL_H

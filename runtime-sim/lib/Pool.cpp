//===- Pool.cpp - Host threads for one instruction at a time --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include <algorithm>
#include <cfenv>
#include <utility>

namespace kiln::sim {

namespace {

constexpr unsigned endShift = 16;
constexpr unsigned batchShift = 32;
constexpr std::uint64_t fieldMask = 0xffff;
/// Some hundred microseconds: longer than the work of one thread between two
/// batches, and longer than waking a thread.
constexpr unsigned watchRounds = 10000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

} // namespace

Pool::Pool(unsigned threads) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  threads = std::min(threads, maxThreads);
  helpers.reserve(threads);
  try {
    for (unsigned worker = 1; worker < threads; ++worker)
      helpers.emplace_back([this, worker] { watch(worker); });
  } catch (const std::exception &) {
    // Fewer threads are slower, not wrong.
  }
  workers.store(static_cast<unsigned>(helpers.size()) + 1);
}

Pool::~Pool() {
  stopping.store(true);
  published.fetch_add(1);
  published.notify_all();
  for (std::thread &helper : helpers)
    helper.join();
}

bool Pool::claimFrom(unsigned owner, unsigned worker) {
  std::atomic<std::uint64_t> &ticket = parts[owner].ticket;
  std::uint64_t seen = ticket.load(std::memory_order_acquire);
  while (true) {
    const std::uint64_t next = seen & fieldMask;
    if (next >= (seen >> endShift & fieldMask))
      return false;
    const Call call = batchCall.load(std::memory_order_relaxed);
    const void *context = batchContext.load(std::memory_order_relaxed);
    // Success means that the batch is still the one just read.
    if (!ticket.compare_exchange_weak(seen, seen + 1,
                                      std::memory_order_acq_rel))
      continue;
    // The others still use what the caller has on its stack.
    try {
      call(context, static_cast<unsigned>(next), worker);
    } catch (...) {
      if (!failed.exchange(true, std::memory_order_relaxed))
        failure = std::current_exception();
    }
    unfinished.fetch_sub(1, std::memory_order_release);
    return true;
  }
}

bool Pool::runOne(unsigned worker) {
  for (unsigned i = 0; i < size(); ++i)
    if (claimFrom((worker + i) % size(), worker))
      return true;
  return false;
}

void Pool::watch(unsigned worker) {
  std::fesetenv(FE_DFL_ENV);
  while (!stopping.load(std::memory_order_relaxed)) {
    unsigned round = 0;
    while (round < watchRounds && !runOne(worker)) {
      pause();
      ++round;
    }
    if (round < watchRounds)
      continue;
    const std::uint32_t seen = published.load();
    if (!runOne(worker) && !stopping.load())
      published.wait(seen);
  }
}

void Pool::runBatch(unsigned count, Call call, const void *context) {
  if (helpers.empty() || count < 2) {
    for (unsigned i = 0; i < count; ++i)
      call(context, i, 0);
    return;
  }
  batchCall.store(call, std::memory_order_relaxed);
  batchContext.store(context, std::memory_order_relaxed);
  unfinished.store(count, std::memory_order_relaxed);
  const std::uint64_t batch = published.load(std::memory_order_relaxed) + 1;
  for (unsigned owner = 0; owner < size(); ++owner) {
    const std::uint64_t begin = std::uint64_t{count} * owner / size();
    const std::uint64_t end = std::uint64_t{count} * (owner + 1) / size();
    parts[owner].ticket.store(batch << batchShift | end << endShift | begin,
                              std::memory_order_release);
  }
  published.store(static_cast<std::uint32_t>(batch));
  published.notify_all();
  while (runOne(0))
    ;
  for (unsigned round = 0; unfinished.load(std::memory_order_acquire) != 0;
       ++round)
    if (round < watchRounds)
      pause();
    else
      std::this_thread::yield();
  if (failed.exchange(false, std::memory_order_relaxed))
    std::rethrow_exception(std::exchange(failure, nullptr));
}

} // namespace kiln::sim

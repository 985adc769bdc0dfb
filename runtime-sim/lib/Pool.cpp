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
#include <system_error>

namespace kiln::sim {

namespace {

constexpr unsigned countShift = 16;
constexpr unsigned batchShift = 32;
constexpr std::uint64_t fieldMask = 0xffff;
/// Some tens of microseconds: longer than the gap between two instructions.
constexpr unsigned watchRounds = 2000;

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
  try {
    for (unsigned worker = 1; worker < threads; ++worker)
      helpers.emplace_back([this, worker] { watch(worker); });
  } catch (const std::system_error &) {
    // Fewer threads are slower, not wrong.
  }
}

Pool::~Pool() {
  stopping.store(true);
  ticket.fetch_add(std::uint64_t{1} << batchShift);
  ticket.notify_all();
  for (std::thread &helper : helpers)
    helper.join();
}

bool Pool::runOne(unsigned worker) {
  std::uint64_t seen = ticket.load(std::memory_order_acquire);
  while (true) {
    const std::uint64_t claimed = seen & fieldMask;
    if (claimed >= (seen >> countShift & fieldMask))
      return false;
    const Call call = batchCall.load(std::memory_order_relaxed);
    const void *context = batchContext.load(std::memory_order_relaxed);
    // Success means that the batch is still the one just read.
    if (!ticket.compare_exchange_weak(seen, seen + 1,
                                      std::memory_order_acq_rel))
      continue;
    call(context, static_cast<unsigned>(claimed), worker);
    unfinished.fetch_sub(1, std::memory_order_release);
    return true;
  }
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
    const std::uint64_t seen = ticket.load();
    if ((seen & fieldMask) >= (seen >> countShift & fieldMask) &&
        !stopping.load())
      ticket.wait(seen);
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
  const std::uint64_t batch = (ticket.load() >> batchShift) + 1;
  ticket.store(batch << batchShift | std::uint64_t{count} << countShift,
               std::memory_order_release);
  ticket.notify_all();
  while (runOne(0))
    ;
  for (unsigned round = 0; unfinished.load(std::memory_order_acquire) != 0;
       ++round)
    if (round < watchRounds)
      pause();
    else
      std::this_thread::yield();
}

} // namespace kiln::sim

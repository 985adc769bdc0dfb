//===- LargePages.cpp - Memory of the host in large pages -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks come from the host directly: if a C library places aligned blocks of
// many megabytes between small ones, it may leave holes that no later block
// fits, so that a process grows with every run. Under the address sanitizer
// they come from operator new, which it watches.
//
//===----------------------------------------------------------------------===//

#include "LargePages.h"

#if defined(__SANITIZE_ADDRESS__)
#define KILN_WATCHED_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KILN_WATCHED_MEMORY 1
#endif
#endif

#if defined(__linux__) && !defined(KILN_WATCHED_MEMORY)
#include "kiln/isa/rounding.h"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

namespace kiln::sim {

namespace {

std::size_t wholePages(std::size_t bytes) {
  return isa::roundUp(bytes, largePageBytes);
}

void *map(std::size_t bytes) {
  if (bytes > SIZE_MAX - 2 * largePageBytes)
    throw std::bad_alloc();
  const std::size_t whole = wholePages(bytes);
  // Room to begin at a large page; the rest is returned.
  void *const region =
      mmap(nullptr, whole + largePageBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED)
    throw std::bad_alloc();
  char *const begin = static_cast<char *>(region);
  const std::size_t ahead =
      (largePageBytes - reinterpret_cast<std::uintptr_t>(begin)) %
      largePageBytes;
  char *const block = begin + ahead;
  if (ahead > 0)
    munmap(begin, ahead);
  if (ahead < largePageBytes)
    munmap(block + whole, largePageBytes - ahead);
#if defined(MADV_HUGEPAGE)
  // Only advice: without large pages everything works, more slowly.
  static_cast<void>(madvise(block, whole, MADV_HUGEPAGE));
#endif
  return block;
}

/// An unused block.
struct Idle {
  void *block = nullptr;
  std::size_t bytes = 0;
};

/// SBUF and PSUM of one core.
class Kept {
public:
  /// One of that size, or null.
  void *take(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    for (Idle &idle : last)
      if (idle.block && idle.bytes == bytes)
        return std::exchange(idle.block, nullptr);
    return nullptr;
  }
  /// Takes a block and returns the one that it replaces.
  Idle put(Idle released) {
    const std::lock_guard lock(mutex);
    for (Idle &idle : last)
      if (!idle.block)
        return std::exchange(idle, released);
    return std::exchange(last[oldest++ % last.size()], released);
  }

private:
  std::mutex mutex;
  std::array<Idle, 2> last;
  std::size_t oldest = 0;
};

Kept &kept() {
  // Never destroyed: blocks of static objects come back after everything.
  static Kept &all = *new Kept;
  return all;
}

} // namespace

void *allocateLargePages(std::size_t bytes) {
  void *const idle = kept().take(wholePages(bytes));
  return idle ? idle : map(bytes);
}

void releaseLargePages(void *block, std::size_t bytes) {
  const Idle replaced = kept().put({block, wholePages(bytes)});
  if (replaced.block)
    munmap(replaced.block, replaced.bytes);
}

} // namespace kiln::sim

#else

namespace kiln::sim {

void *allocateLargePages(std::size_t bytes) {
  // Without enough memory, the sanitizer ends the process instead of throwing.
  if (void *const block =
          ::operator new(bytes, std::align_val_t{largePageBytes}, std::nothrow))
    return block;
  throw std::bad_alloc();
}
void releaseLargePages(void *block, std::size_t) {
  ::operator delete(block, std::align_val_t{largePageBytes});
}

} // namespace kiln::sim

#endif

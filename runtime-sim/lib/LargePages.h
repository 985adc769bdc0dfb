//===- LargePages.h - Memory of the host in large pages ---------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_LARGEPAGES_H
#define KILN_SIM_LIB_LARGEPAGES_H

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kiln::sim {

/// Allocates for containers of megabytes. A tile has a row in each of 128
/// partitions, far apart: with ordinary pages the host looks up more of them
/// than it remembers, with large ones it does not.
template <class T> struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U> LargePages(const LargePages<U> &) {}

  T *allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void *const memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Only advice: without large pages everything works, more slowly.
    if (bytes >= pageBytes)
      static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, std::size_t count) {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }
  friend bool operator==(const LargePages &, const LargePages &) {
    return true;
  }

private:
  static constexpr std::size_t pageBytes = std::size_t{2} << 20;

  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= pageBytes ? pageBytes
                                               : alignof(std::max_align_t)};
  }
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_LARGEPAGES_H

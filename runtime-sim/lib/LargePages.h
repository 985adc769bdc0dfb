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
#include <limits>
#include <new>

namespace kiln::sim {

inline constexpr std::size_t largePageBytes = std::size_t{2} << 20;

/// Blocks of at least a large page, which begin at one. Released ones go back
/// to the host, but for the last two: a process that runs one module after the
/// other has the memory on chip of one of them, and does not ask the host to
/// clear it each time. Any thread may call; throws std::bad_alloc.
void *allocateLargePages(std::size_t bytes);
void releaseLargePages(void *block, std::size_t bytes);

/// Allocates for containers of megabytes. A tile has a row in each of 128
/// partitions, far apart: with ordinary pages the host needs more of them than
/// its TLB holds, with large ones it does not.
template <class T> struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U> LargePages(const LargePages<U> &) {}

  T *allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T *>(bytes < largePageBytes ? ::operator new(bytes)
                                                   : allocateLargePages(bytes));
  }
  void deallocate(T *memory, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < largePageBytes)
      ::operator delete(memory);
    else
      releaseLargePages(memory, bytes);
  }
  /// An element without a value is left as it is: megabytes are filled at once.
  template <class U> void construct(U *) {}

  friend bool operator==(const LargePages &, const LargePages &) {
    return true;
  }
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_LARGEPAGES_H

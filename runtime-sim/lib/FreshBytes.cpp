//===- FreshBytes.cpp - On-chip memory that nothing has written -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreshBytes.h"

#if defined(__linux__)
#include "kiln/isa/rounding.h"

#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>

namespace kiln::sim {

namespace {

#if defined(__linux__)

/// As many bytes of 0xff as one mapping shows; a region repeats it.
constexpr std::size_t sourceBytes = std::size_t{1} << 20;

/// A file in memory, made at the first use; -1 if the host has none to give.
int freshSource() {
  static const int file = [] {
    const int made = memfd_create("kiln-fresh", MFD_CLOEXEC);
    if (made < 0)
      return -1;
    const std::vector<std::uint8_t> bytes(sourceBytes, FreshBytes::fresh);
    std::size_t written = 0;
    while (written < sourceBytes) {
      const ssize_t step =
          write(made, bytes.data() + written, sourceBytes - written);
      if (step <= 0) {
        close(made);
        return -1;
      }
      written += static_cast<std::size_t>(step);
    }
    return made;
  }();
  return file;
}

#endif

} // namespace

#if defined(__linux__)

bool FreshBytes::map(std::size_t bytes) {
  const int source = freshSource();
  if (source < 0 || bytes == 0)
    return false;
  const std::size_t whole = isa::roundUp(bytes, sourceBytes);
  void *const region = mmap(nullptr, whole, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED)
    return false;
  address = static_cast<std::uint8_t *>(region);
  mappedBytes = whole;
  for (std::size_t at = 0; at < whole; at += sourceBytes)
    if (mmap(address + at, sourceBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, source,
             0) == MAP_FAILED) {
      munmap(address, mappedBytes);
      address = nullptr;
      mappedBytes = 0;
      return false;
    }
  return true;
}

FreshBytes::~FreshBytes() {
  if (mappedBytes != 0)
    munmap(address, mappedBytes);
}

void FreshBytes::release() {
  // The pages of the file show again.
  if (mappedBytes != 0)
    static_cast<void>(madvise(address, mappedBytes, MADV_DONTNEED));
}

#else

bool FreshBytes::map(std::size_t) { return false; }
FreshBytes::~FreshBytes() = default;
void FreshBytes::release() {}

#endif

FreshBytes::FreshBytes(std::size_t bytes, bool lazy) {
  if (lazy && map(bytes))
    return;
  plain.resize(bytes);
  std::fill_n(plain.data(), bytes, fresh);
  address = plain.data();
}

} // namespace kiln::sim

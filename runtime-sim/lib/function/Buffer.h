//===- Buffer.h - Memory that only grows ------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_BUFFER_H
#define KILN_SIM_LIB_FUNCTION_BUFFER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln::sim {

/// Memory that only grows and starts at a cache line; for the same use again
/// and again.
class Buffer {
public:
  template <class T> T *get(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (lines.size() * sizeof(Line) < bytes)
      lines.resize(bytes / sizeof(Line) + 1);
    return reinterpret_cast<T *>(lines.data());
  }

private:
  struct alignas(64) Line {
    std::uint8_t bytes[64];
  };
  std::vector<Line> lines;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_BUFFER_H

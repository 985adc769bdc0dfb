//===- Scratch.h - Memory for one instruction -------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_SCRATCH_H
#define KILN_SIM_LIB_FUNCTION_SCRATCH_H

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kiln::sim {

/// Memory that an instruction allocates piece by piece and releases as a whole.
/// Pieces start at a cache line, are uninitialised, and never move.
class Scratch {
public:
  /// `count` objects; valid until the scope they were taken in ends.
  template <class T> T *get(std::size_t count) {
    const std::size_t lines = isa::ceilDiv(count * sizeof(T), lineBytes);
    if (blocks.empty() || used + lines > blocks.back().size)
      addBlock(lines);
    Line *piece = blocks.back().lines.get() + used;
    used += lines;
    return reinterpret_cast<T *>(piece);
  }

  /// Releases at its end what was allocated since it began.
  class Scope {
  public:
    explicit Scope(Scratch &scratch)
        : scratch(scratch), blocks(scratch.blocks.size()), used(scratch.used) {}
    ~Scope() { scratch.giveBack(blocks, used); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Scratch &scratch;
    std::size_t blocks, used;
  };

private:
  static constexpr std::size_t lineBytes = 64;
  struct alignas(lineBytes) Line {
    std::uint8_t bytes[lineBytes];
  };
  struct Block {
    std::unique_ptr<Line[]> lines;
    std::size_t size;
  };

  void addBlock(std::size_t lines) {
    const std::size_t size = std::max(
        lines, blocks.empty() ? std::size_t{1024} : 2 * blocks.back().size);
    blocks.push_back({std::make_unique_for_overwrite<Line[]>(size), size});
    used = 0;
  }
  /// The largest block stays for the next instruction.
  void giveBack(std::size_t count, std::size_t usedOfLast) {
    if (blocks.size() == count) {
      used = usedOfLast;
    } else if (count == 0) {
      blocks.erase(blocks.begin(), blocks.end() - 1);
      used = 0;
    }
  }

  std::vector<Block> blocks; ///< Only the last one has room.
  std::size_t used = 0;      ///< Lines of the last block.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_SCRATCH_H

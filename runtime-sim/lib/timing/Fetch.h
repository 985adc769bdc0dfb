//===- Fetch.h - Instructions that a sequencer has at hand --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_FETCH_H
#define KILN_SIM_LIB_TIMING_FETCH_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"
#include "kiln/machine/fetch.h"
#include "kiln/sim/trace.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace kiln::sim::timing {

/// The instruction buffer of one sequencer. Instructions lie in HBM and come
/// in blocks of one DMA packet, over the engines that move data. The buffer is
/// full when the kernel starts; then each block entered asks for those behind
/// it, and a loop that fits stays.
class Fetch {
public:
  Fetch(std::span<const isa::Instruction> stream, const isa::Target &target)
      : blockSize(machine::fetchBlock(target)) {
    const std::size_t blocks = stream.size() / blockSize + 1;
    const std::uint32_t room = machine::fetchBlocks(target);
    if (blocks <= room)
      return; // All of it fits: nothing is ever fetched.
    // So there are fewer than the stream has blocks, however many the machine
    // says.
    slots.resize(room);
    for (std::uint32_t i = 0; i < slots.size(); ++i)
      slots[i] = {i, 0};
    findLimits(stream, blocks);
  }

  bool isActive() const { return !limits.empty(); }
  std::uint32_t blockOf(std::uint32_t index) const { return index / blockSize; }

  static constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();

  /// When `block` is here; `never` if it is on its way or not asked for.
  Picoseconds arrival(std::uint32_t block) const {
    const Slot &slot = slots[block % slots.size()];
    return slot.block == block ? slot.arrival : never;
  }
  void arrived(std::uint32_t block, Picoseconds time) {
    Slot &slot = slots[block % slots.size()];
    if (slot.block == block)
      slot.arrival = time;
  }

  /// Calls `ask(block)` for each block that entering `block` makes the buffer
  /// ask for.
  template <class Ask> void enter(std::uint32_t block, Ask ask) {
    if (block == current)
      return;
    current = block;
    for (std::uint32_t b = block; b <= limits[block]; ++b) {
      Slot &slot = slots[b % slots.size()];
      if (slot.block == b)
        continue;
      slot = {b, never};
      ask(b);
    }
  }

private:
  struct Slot {
    std::uint32_t block = ~std::uint32_t{0};
    Picoseconds arrival = never;
  };

  /// As far ahead as the buffer is deep, but not over the head of a loop that
  /// the buffer holds.
  void findLimits(std::span<const isa::Instruction> stream,
                  std::size_t blocks) {
    const auto depth = static_cast<std::uint32_t>(slots.size()) - 1;
    const auto last = static_cast<std::uint32_t>(blocks - 1);
    limits.resize(blocks);
    for (std::uint32_t b = 0; b < blocks; ++b)
      limits[b] = std::min(b + depth, last);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < stream.size(); ++i) {
      if (isa::isLoop(stream[i].body))
        open.push_back(blockOf(i));
      if (!std::holds_alternative<isa::LoopEnd>(stream[i].body) || open.empty())
        continue;
      const std::uint32_t begin = open.back();
      open.pop_back();
      if (blockOf(i) - begin > depth)
        continue;
      for (std::uint32_t b = begin; b <= blockOf(i); ++b)
        limits[b] = std::min(limits[b], std::max(begin + depth, blockOf(i)));
    }
  }

  std::uint32_t blockSize;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> limits; ///< By block: the last one to ask for.
  std::uint32_t current = 0;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_FETCH_H

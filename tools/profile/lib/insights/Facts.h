//===- Facts.h - What the rules look at ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_INSIGHTS_FACTS_H
#define KILN_PROFILE_LIB_INSIGHTS_FACTS_H

#include "kiln/isa/instruction.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"
#include "kiln/profile/render.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kiln::profile::insights {

using sim::Picoseconds;
using sim::StallReason;

/// An instruction that takes time on an engine or a queue.
struct Item {
  unsigned core = 0; ///< Of a rank.
  isa::Engine engine = isa::Engine::tensor;
  std::uint32_t index = 0;
  const isa::Instruction *instruction = nullptr;
  std::vector<isa::OperandAccess> accesses;
  machine::InstructionCost cost;            ///< Unless it is a transfer.
  std::optional<machine::DmaPlan> transfer; ///< Of a DMA.
  std::uint64_t runs = 0;
  bool isRepeated = false;    ///< By a loop of the program or of its source.
  std::uint64_t dmaWaits = 0; ///< How often it waited for a transfer.
  /// For how long it kept its engine idle.
  std::array<Picoseconds, sim::numStallReasons> stalls{};

  isa::Opcode opcode() const { return isa::opcode(instruction->body); }
  bool isProduct() const { return !transfer && engine == isa::Engine::tensor; }
  bool isLane() const { return !transfer && engine != isa::Engine::tensor; }
  /// For which all its runs occupy its engine, or the busiest DMA engine.
  Picoseconds busy() const;
  const isa::Access *operand(std::string_view name) const;
  const isa::Access *written() const; ///< The first tile that it writes.
  const isa::Access *read() const;    ///< The first tile that it reads.
  bool reads(isa::Space space) const;
  bool writes(isa::Space space) const;
  unsigned partitions() const; ///< The most that an operand has.
};

/// A launch as the rules see it: the instructions of one rank, and their times.
/// It refers to the launch.
class Facts {
public:
  explicit Facts(const LaunchProfile &launch);

  const LaunchProfile &launch;
  const isa::Target &target;
  const isa::Module &module(const Item &item) const {
    return launch.modules[item.core];
  }
  std::vector<Item> items; ///< Core by core, stream by stream.
  Picoseconds makespan = 0;

  /// Of all engines of a rank, for one reason.
  Picoseconds stall(StallReason reason) const;
  /// Waits of an instruction for buffers, from the sites of its stream.
  Picoseconds bufferWait(const Item &item) const;
  /// The same for results of collectives: of all reasons, or of one.
  Picoseconds collectiveWait(const Item &item) const;
  Picoseconds collectiveWait(const Item &item, StallReason reason) const;
  Picoseconds busy(isa::Engine engine) const;
  /// Bytes of a partition that buffers have.
  std::uint64_t sbufInUse() const {
    return launch.reports[firstCore].sbufAllocatedBytes;
  }
  double share(Picoseconds time) const {
    return static_cast<double>(time) /
           static_cast<double>(std::max<Picoseconds>(1, makespan));
  }

private:
  void addItems(unsigned core);
  void addStalls(unsigned core);
  bool isCollective(const sim::Producer &producer, unsigned core) const;

  std::size_t firstCore = 0;            ///< Of the rank that is examined.
  std::vector<Picoseconds> bufferWaits; ///< By item.
  std::vector<std::array<Picoseconds, sim::numStallReasons>>
      collectiveWaits; ///< By item.
};

} // namespace kiln::profile::insights

#endif // KILN_PROFILE_LIB_INSIGHTS_FACTS_H

//===- Checker.h - Watches a run for what must not happen -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_CHECKS_CHECKER_H
#define KILN_SIM_LIB_CHECKS_CHECKER_H

#include "Knowledge.h"
#include "Remarks.h"
#include "Shadow.h"

#include "../Faults.h"
#include "../Layout.h"
#include "../PlacedAccess.h"
#include "../RankModules.h"
#include "../peers/PeerGroup.h"

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/sim/executor.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace kiln::sim {

/// Uninitialised reads and races of a core, by happens-before over semaphores
/// and, between the cores of a rank, over what they meet in.
class Checker {
public:
  /// `first` watches core 0 of the rank; null for that core itself.
  Checker(const RankModules &rank, const CoreId &id, const isa::Target &target,
          const Options &options, Checker *first);

  /// A wait takes `count` tokens, oldest first: the engine now knows what the
  /// engines that signalled them knew.
  void take(isa::Engine engine, unsigned semaphore, std::uint32_t count);

  /// An engine instruction issues; its accesses follow.
  void beginInstruction(isa::Engine engine, std::uint32_t index);
  void signalInstruction(isa::Engine engine, unsigned semaphore,
                         std::uint32_t count);

  /// What the most recent instruction of `engine` and all before it know.
  Knowledge knowledge(isa::Engine engine) const;
  /// `engine` has waited for something that knew that.
  void learn(isa::Engine engine, const Knowledge &other) {
    known[static_cast<unsigned>(engine)].join(other);
  }

  /// A transfer issues. It knows what its engine has waited for, not what the
  /// engine's own pipeline still works on.
  struct Transfer {
    Event event;
    Knowledge knows;
    unsigned queue = 0;
    /// Its end also passes on what its peers knew.
    Knowledge met;
  };
  Transfer issueTransfer(isa::Engine engine, std::uint32_t index,
                         unsigned queue);
  /// It arrives at a meeting; meetings of one key are distinguished by the
  /// order in which the core arrives at them, which must be deterministic.
  std::optional<Fault> meet(const PeerKey &key, const Transfer &transfer);
  std::optional<Fault> meet(const PeerKey &key, isa::Engine engine);
  /// In queue order.
  void completeTransfer(const Transfer &transfer);
  void signalTransfer(const Transfer &transfer, unsigned semaphore,
                      std::uint32_t count);

  /// Reads first, then writes; of the last begun instruction of `engine`.
  std::optional<Fault> access(isa::Engine engine,
                              const std::vector<PlacedAccess> &accesses);
  std::optional<Fault> access(const Transfer &transfer,
                              const std::vector<PlacedAccess> &accesses);

  /// The last writers of the operands that are read, each once.
  std::vector<Event> writersOfReads(const std::vector<PlacedAccess> &accesses);

  /// Where the last report found a byte that nothing had written.
  std::optional<MemoryRange> unwritten;

  /// Every byte of the outputs must have been written.
  std::optional<Fault> finish();
  /// What was noticed, once the checkers of the rank have finished; by that of
  /// core 0.
  std::vector<Fault> takeRemarks();

private:
  struct Tokens {
    std::uint32_t count;
    Knowledge giver;
  };
  void give(unsigned semaphore, std::uint32_t count, const Knowledge &giver);
  VectorClock clockOf(isa::Engine engine) const;
  std::optional<Fault> meet(const PeerKey &key, const Event &event,
                            const VectorClock &clock);
  std::optional<Fault> visit(const Event &event, const VectorClock &clock,
                             const std::vector<PlacedAccess> &accesses,
                             bool writes);
  /// A product may only add to what products of the same type have started;
  /// generation v4 reads back whatever is there.
  std::optional<Fault>
  checkAccumulation(const Event &event,
                    const std::vector<PlacedAccess> &accesses);
  template <class Visit>
  void forEachWriter(const PlacedAccess &placed, Visit &&visit);
  Shadow *shadowOf(const isa::Access &access);
  /// A tensor in HBM is declared with a type.
  void checkDeclared(const Event &event, const PlacedAccess &placed,
                     bool writes);
  Fault report(const Conflict &conflict, const Event &event,
               const PlacedAccess &access, bool writes);

  std::uint8_t agentOf(isa::Engine engine) const {
    return static_cast<std::uint8_t>(id.core * agentsOfCore +
                                     static_cast<unsigned>(engine));
  }

  const RankModules &rank;
  const CoreId id;
  const isa::Module &module;
  std::unique_ptr<Remarks> ownRemarks; ///< Of core 0, for the rank.
  Remarks *remarks;                    ///< Null if not requested.
  RemarkPlace remarkPlace;             ///< Of the access that is checked.
  Shadow sbuf, psum;
  std::deque<Shadow> owned;      ///< They never move.
  std::vector<Shadow *> tensors; ///< Null if it cannot be written.
  /// What each engine has learnt by waiting.
  std::array<Knowledge, isa::numEngines> known;
  std::array<Event, isa::numEngines> current;
  std::array<std::uint64_t, isa::dmaQueues> issued{};
  std::array<Knowledge, isa::dmaQueues> completed;
  std::vector<std::deque<Tokens>> tokens;
  struct Attendance {
    Event event;
    std::uint64_t begun = 0; ///< Instructions of its engine by then.
  };
  std::map<PeerKey, Attendance> attended; ///< Of each the last.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_CHECKS_CHECKER_H

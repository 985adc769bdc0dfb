//===- SynchronisationChecker.h - Proof on emitted streams ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Takes nothing but the emitted streams. Shares no code with the insertion of
// tokens (SyncProblem) nor with the executor: a mistake must be made twice to
// go unseen.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEMS_SYNCHRONISATIONCHECKER_H
#define KILN_COMPILER_PROBLEMS_SYNCHRONISATIONCHECKER_H

#include "kiln/compiler/Problems/OrderPromises.h"
#include "kiln/isa/module.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::problems {

/// One instruction of a report.
struct SyncParty {
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0;               ///< In its stream.
  std::vector<std::uint64_t> iterations; ///< Of the loops around it.
};

struct SyncReport {
  enum class Kind : std::uint8_t {
    unordered,  ///< Two accesses, at least one a write, that nothing orders.
    wrongOrder, ///< Ordered, but against the sequential program.
    deadlock,   ///< Streams wait and nobody can signal.
    imbalance,  ///< A semaphore does not end at 0, or passes 65535.
    promise,    ///< The user asked for an order that is not kept.
    structure,  ///< Loops that do not match, a queue with two feeders, ...
    limit,      ///< Too long to be played: nothing is proved.
  };
  Kind kind = Kind::unordered;
  std::string text; ///< Names both instructions, source lines and the bytes.
  std::vector<SyncParty> parties;
};

struct CheckOptions {
  /// Iterations of each loop that are played; 0 = from the rings and tokens.
  std::uint32_t iterations = 0;
  /// Dynamic instructions to play beside a few for each that stands in the
  /// text. If that is too little for a deep nest of loops, levels are played
  /// apart.
  std::uint64_t budget = 400'000;
  /// The same where instructions have no positions, which are played whole.
  std::uint64_t whole = 4'000'000;
  /// A play of more than this is given up: Kind::limit.
  std::uint64_t limit = 32'000'000;
  /// Promises without the order of the source prove too little.
  bool needsSource = false;
};

/// Nothing if every hazard is ordered in the direction of the sequential
/// program, tokens balance and nothing waits for ever. A semaphore should have
/// one producing stream beside its consumer; with more, only what holds for
/// every race between them counts as ordered. And the promises are kept, among
/// them the order of the source.
std::optional<SyncReport>
checkSynchronisation(const isa::Module &module,
                     const CheckOptions &options = {},
                     const OrderPromises &promises = {});

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEMS_SYNCHRONISATIONCHECKER_H

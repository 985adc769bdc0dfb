//===- SynchronisationChecker.h - Proof on emitted streams ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Uses only the emitted streams. Shares no code with the insertion of tokens
// (SyncProblem) or with the executor, so a mistake must be made twice to go
// unnoticed.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROVE_SYNCHRONISATIONCHECKER_H
#define KILN_COMPILER_PROVE_SYNCHRONISATIONCHECKER_H

#include "kiln/compiler/prove/OrderPromises.h"
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
  std::vector<std::uint64_t> iterations; ///< One per loop around it.
};

struct SyncReport {
  enum class Kind : std::uint8_t {
    unordered,  ///< Two accesses, at least one a write, that nothing orders.
    wrongOrder, ///< Ordered, but against the sequential program.
    deadlock,   ///< Streams wait and nothing can signal.
    imbalance,  ///< A semaphore does not end at 0, or passes 65535.
    promise,    ///< The user asked for an order that is not kept.
    structure,  ///< Loops that do not match, a queue with two feeders, ...
    limit,      ///< Too long to simulate: nothing is proved.
  };
  Kind kind = Kind::unordered;
  std::string text; ///< Names both instructions, source lines and the bytes.
  std::vector<SyncParty> parties;
};

struct CheckOptions {
  /// Iterations of each loop to simulate; 0 = derived from the rings and
  /// tokens.
  std::uint32_t iterations = 0;
  /// Dynamic instructions to simulate, besides a few for each instruction in
  /// the text. If that is too few for a deep nest of loops, its levels are
  /// simulated separately.
  std::uint64_t budget = 400'000;
  /// The same for instructions without positions, which are simulated whole.
  std::uint64_t whole = 4'000'000;
  /// A simulation of more than this is abandoned: Kind::limit.
  std::uint64_t limit = 32'000'000;
  /// Refuses promises without the order of the source, which prove too little.
  bool needsSource = false;
};

/// Empty if every hazard is ordered as in the sequential program, tokens
/// balance, nothing waits forever, and the promises are kept, including the
/// order of the source. A semaphore should have one producing stream besides
/// its consumer; with more, only what holds for every race between them counts
/// as ordered.
std::optional<SyncReport>
checkSynchronisation(const isa::Module &module,
                     const CheckOptions &options = {},
                     const OrderPromises &promises = {});

} // namespace kiln::problems

#endif // KILN_COMPILER_PROVE_SYNCHRONISATIONCHECKER_H

//===- SourceTimes.h - When the source does a step --------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_SOURCETIMES_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_SOURCETIMES_H

#include "Trace.h"

#include "kiln/compiler/prove/SourceOrder.h"

#include <unordered_map>

namespace kiln::problems::checker {

/// A time is an iteration of each source loop around, and a number in the
/// innermost. Iterations are a tree, so neighbours are compared in few steps.
class SourceTimes {
public:
  SourceTimes(const Trace &trace, const SourceOrder &order)
      : trace(trace), order(order) {}

  /// Finds the times of all steps. Reports steps that have none, and
  /// instructions that are missing or duplicated.
  std::optional<SyncReport> run();

  /// The source runs step `a` after step `b`. For counters that begin at
  /// different places in memory it is unknown which is ahead: the parts into
  /// which such a loop was divided keep their order.
  bool isLater(std::uint32_t a, std::uint32_t b) const;

private:
  struct Iteration {
    std::uint32_t parent = 0, depth = 0;
    std::int32_t loop = 0;
    std::int64_t counter = 0;
    std::uint32_t origin = 0; ///< Of the counter: see Frame.
  };
  struct Time {
    std::uint32_t iteration = 0;
    std::int32_t number = 0;
  };
  struct Key {
    std::uint32_t parent;
    std::int32_t loop;
    std::int64_t counter;
    std::uint32_t origin;
    friend bool operator==(const Key &, const Key &) = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key &key) const;
  };

  std::optional<SyncReport> count() const;
  std::int32_t numberAt(std::uint32_t position) const {
    return position < order.numbers.size() ? order.numbers[position]
                                           : SourceOrder::none;
  }
  /// Nothing if the source says no iteration.
  std::optional<std::uint32_t>
  iterationOf(std::int32_t number, std::uint32_t frame,
              const std::vector<SourceOrder::Turn> &turns);

  const Trace &trace;
  const SourceOrder &order;
  std::vector<Iteration> iterations{Iteration()}; ///< [0]: outside all loops.
  std::unordered_map<Key, std::uint32_t, HashOfKey> numberOf;
  std::vector<Time> times; ///< By step.
};

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_SOURCETIMES_H

//===- Meanings.cpp - What each instruction computes ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"

#include "Indirection.h"

#include <cstdlib>
#include <type_traits>
#include <variant>

namespace kiln::sim {

Outcome execute(Lanes &lanes, const isa::Body &body, isa::Engine engine,
                const StreamCursor &cursor, std::uint64_t serial,
                LaneRange range) {
  const Scratch::Scope scope(lanes.scratch);
  lanes.cursor = &cursor;
  lanes.engine = engine;
  lanes.range = range;
  lanes.converter.begin(static_cast<std::uint64_t>(engine), serial);
  return std::visit(
      [&](const auto &op) {
        // The scheduler runs sequencers and queues itself.
        if constexpr (requires { run(lanes, op); }) {
          const Outcome outcome = lanes.resolve(op);
          return outcome == Outcome::done ? run(lanes, op) : outcome;
        } else {
          return std::abort(), Outcome::done;
        }
      },
      body);
}

} // namespace kiln::sim

//===- Preparation.h - A collective that waits for its trigger --*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A core has room for one prepared collective. Its preparation fills the room
// when it issues, the trigger of the same collective empties it when it issues.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_PREPARATION_H
#define KILN_SIM_LIB_SCHEDULE_PREPARATION_H

#include "../peers/PeerOp.h"

#include <optional>
#include <string>

namespace kiln::sim {

struct CoreContext;

class Preparation {
public:
  /// Instruction `index` of `engine` issues as `op`: why it must not issue now.
  std::optional<std::string> issue(const CoreContext &core, isa::Engine engine,
                                   std::uint32_t index, const PeerOp &op);
  /// At the end: a preparation that was never triggered.
  std::optional<Fault> findLeft(const CoreContext &core) const;

private:
  struct Room {
    isa::Engine engine = isa::Engine::sync;
    std::uint32_t index = 0;
    const isa::Body *body = nullptr;
    const std::uint8_t *kept = nullptr, *metadata = nullptr;
  };
  static std::optional<std::string> difference(const Room &prepared,
                                               const PeerOp &trigger);
  std::optional<Room> room;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_PREPARATION_H

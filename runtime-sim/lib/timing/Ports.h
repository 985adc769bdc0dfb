//===- Ports.h - Memory ports that engines share or exclude each other from -=//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_PORTS_H
#define KILN_SIM_LIB_TIMING_PORTS_H

#include "kiln/isa/dtype.h"
#include "kiln/isa/target.h"
#include "kiln/machine/ports.h"
#include "kiln/sim/trace.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace kiln::sim::timing {

/// The streams at the ports of the memories, and how fast they are.
///
/// Each engine has one stream of elements at a time, and at most two engines
/// meet at a port. If the machine excludes one of them, the first to request
/// streams and the other waits until that stream ends. If the machine
/// alternates cycles, both run at half rate while they overlap. The shares are
/// recomputed whenever a stream begins or ends, so a later stream slows down
/// the one that is under way.
class Ports {
public:
  explicit Ports(const isa::Target &target)
      : excluding(machine::exclusivePorts(target)) {}

  /// Instruction `who` wants to pass `ports` from `begin` on, which is `lead`
  /// after its start, and needs `length` for it alone.
  void ask(const Producer &who, std::uint16_t ports, Picoseconds begin,
           Picoseconds lead, Picoseconds length) {
    Pass pass;
    pass.phase = Phase::coming;
    pass.ports = ports;
    pass.who = who;
    pass.lead = lead;
    pass.since = pass.asked = begin;
    pass.end = begin + length;
    pass.left = 2 * length;
    passes[who.engine] = pass;
    soonest = std::min(soonest, begin);
  }

  /// When something begins or ends.
  Picoseconds next() const { return soonest; }

  /// The stream that `engine` has asked for ends no sooner.
  Picoseconds earliestEnd(isa::Engine engine) const {
    return passes[static_cast<std::size_t>(engine)].end;
  }

  /// Handles what happens at next(). Tells `book`
  ///   waited(engine, reason, until, producer): did not start before `until`;
  ///   slowed(engine, reason, until, time, producer): lost `time` in the
  ///     stretch that ends at `until`;
  ///   ended(engine, start, lost): ended, began at `start`, and took `lost`
  ///     longer than alone. It may ask again.
  template <class Book> void step(Book &&book);

private:
  enum class Phase : std::uint8_t { none, coming, waiting, passing };
  static constexpr std::uint8_t nobody = Producer::nobody;

  struct Pass {
    Phase phase = Phase::none;
    std::uint8_t other = nobody; ///< Engine that it waits for or shares with.
    std::uint16_t ports = 0;
    Producer who;
    Picoseconds lead = 0;
    Picoseconds asked = 0; ///< When it wanted to begin; then, when it did.
    Picoseconds since = 0; ///< When `other` last changed.
    Picoseconds end = 0;   ///< If nothing changes.
    /// Work left at `since`: two units a picosecond alone, one when shared.
    std::int64_t left = 0;
    Picoseconds shared = 0; ///< Time for which it had half of the port.
    Picoseconds lost = 0;   ///< Half of that, rounded up, has been told.
  };

  static constexpr std::size_t firstLane =
      static_cast<std::size_t>(isa::Engine::vector);
  static constexpr std::size_t endLane =
      static_cast<std::size_t>(isa::Engine::gpsimd) + 1;

  std::uint16_t common(std::size_t a, std::size_t b) const {
    return passes[a].ports & passes[b].ports &
           machine::conflictingPorts(static_cast<isa::Engine>(a),
                                     static_cast<isa::Engine>(b));
  }
  /// The engine that excludes `engine`, which waits: one that streams, or that
  /// requested first.
  std::uint8_t blocker(std::size_t engine) const {
    const Pass &own = passes[engine];
    for (std::size_t i = firstLane; i < endLane; ++i) {
      const Pass &pass = passes[i];
      const bool isBefore =
          pass.phase == Phase::passing ||
          (pass.phase == Phase::waiting &&
           (pass.asked < own.asked || (pass.asked == own.asked && i < engine)));
      if (isBefore && (common(engine, i) & excluding) != 0)
        return static_cast<std::uint8_t>(i);
    }
    return nobody;
  }
  /// The engine that gets every second cycle of a port through which `engine`
  /// streams.
  std::uint8_t sharer(std::size_t engine) const {
    for (std::size_t i = firstLane; i < endLane; ++i)
      if (passes[i].phase == Phase::passing && common(engine, i) != 0)
        return static_cast<std::uint8_t>(i);
    return nobody;
  }
  StallReason reasonFor(std::size_t engine, std::size_t other) const {
    const bool isBank =
        (common(engine, other) & machine::psumBankPorts & ~excluding) != 0;
    return isBank ? StallReason::bank : StallReason::port;
  }

  /// Books what `engine` did from `since` to `now`.
  template <class Book>
  void pass(std::size_t engine, Picoseconds now, Book &book) {
    Pass &own = passes[engine];
    const Picoseconds time = now - own.since;
    own.since = now;
    if (own.other == nobody) {
      if (own.phase == Phase::passing)
        own.left -= 2 * time;
      return;
    }
    const StallReason reason = reasonFor(engine, own.other);
    const Producer &producer = passes[own.other].who;
    if (own.phase == Phase::waiting) {
      own.end += time;
      book.waited(static_cast<isa::Engine>(engine), reason, now - own.lead,
                  producer);
      return;
    }
    own.left -= time;
    own.shared += time;
    const Picoseconds lost = (own.shared + 1) / 2 - own.lost;
    own.lost += lost;
    book.slowed(static_cast<isa::Engine>(engine), reason, now, lost, producer);
  }

  std::uint16_t excluding; ///< Ports that are not shared cycle by cycle.
  std::array<Pass, endLane> passes;
  Picoseconds soonest = std::numeric_limits<Picoseconds>::max();
};

template <class Book> void Ports::step(Book &&book) {
  const Picoseconds now = soonest;
  std::array<bool, endLane> ended{};
  for (std::size_t i = firstLane; i < endLane; ++i) {
    Pass &own = passes[i];
    if (own.phase == Phase::coming && own.asked <= now)
      own.phase = Phase::waiting;
    else if (own.phase == Phase::passing && own.end <= now) {
      pass(i, now, book);
      ended[i] = true;
    }
  }
  for (std::size_t i = firstLane; i < endLane; ++i)
    if (ended[i])
      passes[i].phase = Phase::none;
  const auto meet = [&](std::size_t i, std::uint8_t other) {
    if (other == passes[i].other)
      return;
    pass(i, now, book);
    passes[i].other = other;
  };
  // One that waits no more may have been in another one's way.
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = firstLane; i < endLane; ++i) {
      if (passes[i].phase != Phase::waiting)
        continue;
      const std::uint8_t other = blocker(i);
      meet(i, other);
      if (other != nobody)
        continue;
      passes[i].phase = Phase::passing;
      passes[i].asked = now;
      moved = true;
    }
  }
  soonest = std::numeric_limits<Picoseconds>::max();
  for (std::size_t i = firstLane; i < endLane; ++i) {
    Pass &own = passes[i];
    if (own.phase == Phase::passing) {
      meet(i, sharer(i));
      own.end =
          own.since + (own.other == nobody ? (own.left + 1) / 2 : own.left);
    }
    if (own.phase == Phase::passing)
      soonest = std::min(soonest, own.end);
    else if (own.phase == Phase::coming)
      soonest = std::min(soonest, own.asked);
  }
  for (std::size_t i = firstLane; i < endLane; ++i)
    if (ended[i])
      book.ended(static_cast<isa::Engine>(i), passes[i].asked - passes[i].lead,
                 passes[i].lost);
}

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_PORTS_H

//===- SimulatorPeers.cpp - A core meets others in time -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim::timing {

/// A transfer that others join takes its place in the queue and waits there.
void Simulator::meet(Stream &stream, const machine::DmaPlan &own,
                     Picoseconds time, std::uint32_t tag) {
  const std::uint32_t index = stream.cursor->index();
  const isa::Body &body = stream.cursor->head().body;
  const std::optional<PeerGroup> group = peerGroupOf(body, options.id);
  if (!group) {
    error = fault(stream, "KILN-X015",
                  "the rank is not in any list of the replica group; name "
                  "every rank of the launch in it");
    return;
  }
  const std::vector<std::uint32_t> *sent = nullptr;
  if (hasTable(body)) {
    if (!options.sentCounts) {
      ++result.fullBuffersAssumed;
    } else {
      const auto &known = (*options.sentCounts)[number(stream)];
      if (stream.tables == known.size() ||
          known[stream.tables].size() != group->members.size()) {
        error = fault(stream, "KILN-X203",
                      fmt::format("collective number {} with a table of the {} "
                                  "stream has no counts for {} ranks; run with "
                                  "values to supply them",
                                  stream.tables, isa::name(stream.engine),
                                  group->members.size()));
        return;
      }
      sent = &known[stream.tables++];
    }
  }
  pending[tag].issued = time;
  concernsOthers = true;
  world.arrive(*group, body,
               {this, options.number, static_cast<std::uint8_t>(number(stream)),
                index, time, dma.hold(time, own.queue, tag), tag, &own, sent});
}

void Simulator::release(std::uint32_t held, std::uint32_t tag,
                        const Start &start, Picoseconds now, Picoseconds ready,
                        const machine::DmaPlan &touch) {
  pending[tag].start = start;
  dma.release(held, now, ready, touch);
  countTransfer(touch);
}

/// The stream has come to a barrier once all it did before is complete.
void Simulator::runBarrier(Stream &stream, Picoseconds time) {
  stream.barrier = std::max(time, stream.complete);
  stream.sequencer = std::max(stream.sequencer, time);
  const isa::Body &body = stream.cursor->head().body;
  concernsOthers = true;
  world.arrive(*peerGroupOf(body, options.id), body,
               {this, options.number, static_cast<std::uint8_t>(number(stream)),
                stream.cursor->index(), *stream.barrier, 0, 0, nullptr,
                nullptr});
}

void Simulator::passBarrier(std::uint8_t engine, const Start &start) {
  Stream &stream = streams[engine];
  const Picoseconds since = *stream.barrier;
  const Picoseconds passed =
      start.time + machine::nanoseconds(target.core_barrier_ns);
  idle(stream, StallReason::dependence, since);
  if (start.last.core != options.number)
    idle(stream, StallReason::waitPeer, start.time, start.last);
  idle(stream, StallReason::semaphore, passed);
  stream.sequencer = passed;
  const Token token = tokenOf(stream, stream.cursor->index());
  draw(stream, token.producer, since, passed, passed);
  stream.barrier.reset();
  give(stream.cursor->head().signals, passed + semaphoreTime, token);
  moveOn(stream);
  estimate(stream);
}

} // namespace kiln::sim::timing

//===- EngineAccount.h - Where the time of one engine went ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_ENGINEACCOUNT_H
#define KILN_SIM_LIB_TIMING_ENGINEACCOUNT_H

#include "StallBook.h"

#include <algorithm>

namespace kiln::sim::timing {

/// What is drawn of a core, if that is asked for.
struct Trace {
  bool isWanted = false;
  std::vector<TraceEvent> events;
  std::vector<TraceWait> waits;
  std::vector<TraceRun> runs;
  std::vector<std::int32_t> moves;
  std::vector<TraceEdge> edges;
  std::vector<TraceMeeting> meetings;
};

/// Adds up how an engine spent its time: busy, or idle for a reason. All the
/// time up to until() has one or the other.
class EngineAccount {
public:
  /// Of a stream of so many `instructions`.
  EngineAccount(isa::Engine engine, std::size_t instructions, Trace &trace)
      : engine(static_cast<std::uint8_t>(engine)), book(instructions),
        trace(trace) {}

  Picoseconds until() const { return accounted; }

  /// From until() to `end` instruction `index` kept the engine idle.
  void stall(std::uint32_t index, StallReason reason, Picoseconds end,
             const Producer &producer = {}) {
    if (end <= accounted)
      return;
    lose(index, reason, accounted, end - accounted, producer);
    accounted = end;
  }
  /// The same of `time` from `begin` on, in which it occupied the engine.
  void lose(std::uint32_t index, StallReason reason, Picoseconds begin,
            Picoseconds time, const Producer &producer = {});
  /// It was busy for `time`.
  void work(Picoseconds time) { sums.busy += time; }
  /// All up to `end` is booked.
  void reach(Picoseconds end) { accounted = std::max(accounted, end); }
  /// A slot of a sequencer that is all there is of its engine.
  void takeSlot(Picoseconds slot, Picoseconds end) {
    sums.busy += slot;
    accounted = end;
  }
  void countInstruction() { ++sums.instructions; }
  /// Traces that an instruction of `who` occupies the track of the engine.
  void draw(const Producer &who, Picoseconds begin, Picoseconds end,
            Picoseconds visible) {
    if (trace.isWanted)
      trace.events.push_back(
          {engine, who.engine, who.index, begin, end, visible, who.run});
  }

  // For a trace: the edges between runs.

  /// A number for the next execution of instruction `index` of the stream.
  std::uint32_t startRun(std::uint32_t index) {
    if (!trace.isWanted)
      return Producer::noRun;
    TraceRun run;
    run.engine = engine;
    run.index = index;
    trace.runs.push_back(run);
    return static_cast<std::uint32_t>(trace.runs.size() - 1);
  }
  void noteActed(std::uint32_t run, Picoseconds acted, Picoseconds freed) {
    if (!trace.isWanted)
      return;
    trace.runs[run].acted = acted;
    trace.runs[run].freed = freed;
  }
  /// Registers move the next operand of the latest run.
  void noteMove(std::int64_t bytes) {
    if (trace.isWanted)
      trace.moves.push_back(static_cast<std::int32_t>(bytes));
  }
  void noteLead(std::uint32_t run, Picoseconds lead) {
    if (trace.isWanted)
      trace.runs[run].lead = lead;
  }
  /// Run `to` may not act, or start, before `when`, because of `from`.
  void noteEdge(std::uint32_t to, const Producer &from, StallReason reason,
                bool starts, Picoseconds when) {
    if (trace.isWanted && from.run != Producer::noRun &&
        from.core == Producer::sameCore)
      trace.edges.push_back({from.run, to, reason, starts, when});
  }
  bool isTraced() const { return trace.isWanted; }

  /// At the end.
  EngineTime total() const;
  template <class Visitor> void forEachSite(Visitor visitor) const {
    book.forEach(visitor);
  }

private:
  std::uint8_t engine;
  Picoseconds accounted = 0;
  EngineTime sums;
  StallBook book;
  Trace &trace;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_ENGINEACCOUNT_H

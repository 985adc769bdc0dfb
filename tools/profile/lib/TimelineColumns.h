//===- TimelineColumns.h - The events of a core as columns ------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_TIMELINECOLUMNS_H
#define KILN_PROFILE_LIB_TIMELINECOLUMNS_H

#include "Columns.h"
#include "LiveRanges.h"

#include "kiln/isa/module.h"
#include "kiln/profile/causes.h"
#include "kiln/sim/trace.h"

#include <span>
#include <vector>

namespace kiln::profile {

/// A core of a traced run; `modules` are those of the cores of a rank.
struct TracedCore {
  const isa::Module &module;
  std::span<const isa::Module> modules;
  const sim::Timing &timing;
  const Causes &causes;
};

/// Adds what happened on a core to `columns`, and returns its tracks in the
/// order in which they have their events there:
///
///   for each track: the number of its events, and for each event
///     start (from the start of the one before), length, instruction,
///     time from its end until its results are visible (signed), slack
///   for each event, track by track: the number of its producers, and for each
///     of them the difference of their numbers (signed)
///   the number of steps of the critical path, and for each step its length,
///     reason (0 work, 1 latency, else that of a wait + 2), and who: 0 for
///     nobody, 1 for an event, whose number follows (from that of the one
///     before, signed), or the instruction + 2, of one that has no event
///   for each of the five engines: the number of its waits, and for each wait
///     start (from the start of the one before), length, instruction + 1 or 0
///     behind the end, reason, kind, producer + 1 or 0 for none, and
///     the producer's core + 1 or 0 for its own
///
/// Events are numbered track by track, instructions stream by stream. Times are
/// picoseconds. Events of a track begin and end in order and do not overlap: a
/// transfer begins when its queue is done with the one before.
std::vector<std::uint8_t> addTimeline(Columns &columns, const TracedCore &core);

/// Adds what was on chip: for SBUF and for PSUM, the number of steps, and for
/// each of them its time (from that of the one before) and the bytes of a
/// partition that hold values from then on. Then the ranges. Those that differ
/// in their times alone have a shape: the number of shapes, and for each of
/// them memory (0 SBUF, 1 PSUM), buffer, place, first byte, bytes, first
/// partition, partitions, and the instruction that wrote it; the number of
/// ranges, and for each of them, by start, start (from the start of the one
/// before), length, and shape.
void addMemory(Columns &columns, const LiveMemory &live,
               const isa::Module &module);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_TIMELINECOLUMNS_H

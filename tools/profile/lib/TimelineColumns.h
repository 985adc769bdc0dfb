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

#include "kiln/isa/module.h"
#include "kiln/sim/trace.h"

#include <vector>

namespace kiln::profile {

/// Adds what happened on a core to `columns`, and returns its tracks in the
/// order in which they have their events there:
///
///   for each track: the number of its events, and for each event
///     start (from the start of the one before), length, instruction,
///     time from its end until its results are visible (signed), slack
///   for each event, track by track: the number of its producers, and for each
///     of them the difference of their numbers (signed)
///   the length of the critical path, and for each event of it its number, as
///     the difference from the one before (signed)
///   for each of the five engines: the number of its waits, and for each wait
///     start (from the start of the one before), length, instruction + 1 or 0
///     behind the end, reason, kind, producer + 1 or 0 for none, and
///     the producer's core + 1 or 0 for its own
///
/// Events are numbered track by track, instructions stream by stream. Times are
/// picoseconds. Events of a track begin and end in order and do not overlap: a
/// transfer begins when its queue is done with the one before.
std::vector<unsigned> addTimeline(Columns &columns, const isa::Module &module,
                                  std::span<const isa::Module> modules,
                                  const sim::Timing &timing);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_TIMELINECOLUMNS_H

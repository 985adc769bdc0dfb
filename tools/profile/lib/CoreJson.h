//===- CoreJson.h - One core of a run as JSON ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_COREJSON_H
#define KILN_PROFILE_LIB_COREJSON_H

#include "Columns.h"
#include "kiln/profile/document.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// Exact to the picosecond up to 2^53.
inline double inNanoseconds(sim::Picoseconds time) {
  return static_cast<double>(time) / 1000;
}

/// A core: its report, and what a traced run tells beside it; `core` of the
/// schema.
nlohmann::ordered_json coreJson(const LaunchProfile &launch, std::size_t core,
                                Detail detail);
/// The same; what grows with the run goes to `columns`, as TimelineColumns.h
/// describes it: events, waits, steps of the critical path, live ranges.
nlohmann::ordered_json coreJson(const LaunchProfile &launch, std::size_t core,
                                Columns &columns);

/// All but the cores.
nlohmann::ordered_json headJson(const LaunchProfile &launch,
                                const Document &document, Detail detail);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_COREJSON_H

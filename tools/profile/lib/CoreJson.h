//===- CoreJson.h - One core of a run as JSON ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_COREJSON_H
#define KILN_PROFILE_LIB_COREJSON_H

#include "kiln/profile/document.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// Exact to the picosecond up to 2^53.
inline double inNanoseconds(sim::Picoseconds time) {
  return static_cast<double>(time) / 1000;
}

/// What a traced run of a core tells beside its report: the keys of `core` in
/// the schema. `events`: also each executed instruction.
nlohmann::ordered_json coreJson(const LaunchProfile &launch, std::size_t core,
                                bool events);

/// All of it; `alwaysCores`: in `cores` also if there is one.
nlohmann::ordered_json documentOf(const LaunchProfile &launch,
                                  const Document &document, bool events,
                                  bool alwaysCores);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_COREJSON_H

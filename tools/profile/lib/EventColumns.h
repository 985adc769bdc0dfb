//===- EventColumns.h - Executed instructions and waits as columns -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_EVENTCOLUMNS_H
#define KILN_PROFILE_LIB_EVENTCOLUMNS_H

#include "Binary.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// The tracks that hold events, in order, and the place of each.
struct Tracks {
  explicit Tracks(const sim::Timing &timing);
  std::vector<std::uint8_t> tracks;
  std::array<int, 256> places{};
};

nlohmann::ordered_json eventColumns(const Binary &binary, const Tracks &tracks,
                                    const sim::Timing &timing,
                                    const Causes &causes);
nlohmann::ordered_json waitColumns(const Binary &binary,
                                   const sim::Timing &timing);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_EVENTCOLUMNS_H

//===- MemoryJson.h - What was on chip as JSON -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_MEMORYJSON_H
#define KILN_PROFILE_LIB_MEMORYJSON_H

#include "LiveRanges.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// `memory` of the schema without `ranges`, which grow with the run.
nlohmann::ordered_json memoryJson(const LiveMemory &live,
                                  const isa::Target &target);
nlohmann::ordered_json rangesJson(const LiveMemory &live,
                                  const isa::Module &module);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_MEMORYJSON_H

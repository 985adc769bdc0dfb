//===- CollectiveJson.h - The collectives of a run as JSON ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_COLLECTIVEJSON_H
#define KILN_PROFILE_LIB_COLLECTIVEJSON_H

#include "Binary.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// `collectives` of the schema.
nlohmann::ordered_json collectiveJson(const Binary &binary,
                                      const sim::Timing &timing);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_COLLECTIVEJSON_H

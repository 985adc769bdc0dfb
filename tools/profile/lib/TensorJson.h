//===- TensorJson.h - The tensors of a run as JSON -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_TENSORJSON_H
#define KILN_PROFILE_LIB_TENSORJSON_H

#include "Binary.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

/// `tensors`, `hbm` and `dma_engines` of the schema.
nlohmann::ordered_json tensorJson(const Binary &binary,
                                  const isa::Target &target,
                                  const sim::Timing &timing);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_TENSORJSON_H

//===- RooflineJson.h - Kernel, scopes and loops under their roofs ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_ROOFLINEJSON_H
#define KILN_PROFILE_LIB_ROOFLINEJSON_H

#include "Binary.h"
#include "Hierarchy.h"

#include <nlohmann/json.hpp>

#include <span>

namespace kiln::profile {

/// The points of the kernel, its scopes and loops: one for each type of
/// operands that products in it have, or one of no flops.
nlohmann::ordered_json rooflineJson(const Binary &binary,
                                    std::span<const HierarchyNode> nodes,
                                    const isa::Target &target,
                                    sim::Picoseconds makespan);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_ROOFLINEJSON_H

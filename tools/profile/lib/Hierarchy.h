//===- Hierarchy.h - Kernel, scopes, loops, statements, instructions -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_HIERARCHY_H
#define KILN_PROFILE_LIB_HIERARCHY_H

#include "Binary.h"

#include <string>
#include <string_view>
#include <vector>

namespace kiln::profile {

struct HierarchyNode {
  std::int64_t parent = -1;
  std::string_view type; ///< "kernel", "scope", "loop", "statement",
                         ///< "operation", "instruction".
  std::string name;
  std::uint32_t place = 0; ///< In Module::locations.
  /// Of a loop, also of one that the compiler unrolled; 0: unknown.
  std::uint64_t trips = 0;
  std::int64_t instruction = -1; ///< In Binary::all.
  Sums sums;
  sim::Picoseconds start = -1, end = 0;
};

/// [0] is the kernel; parents come before their children.
std::vector<HierarchyNode> hierarchyOf(const Binary &binary);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_HIERARCHY_H

//===- group.h - The ranks of a collective kernel -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_GROUP_H
#define KILN_KERNELS_COLLECTIVES_GROUP_H

#include "kiln/isa/access.h"
#include "kiln/kiln.h"

namespace kiln::kernels {

/// The parameter `group`.
inline void requireGroup(int group, dsl::Where where = dsl::Where::current()) {
  require(
      group >= 1 && group <= static_cast<int>(isa::maxRanks),
      {"group is <|", group, "|> ranks, expected [|1 to ", isa::maxRanks, "|]"},
      "divide the work among fewer ranks", where);
}

/// The ranks from 0 on.
inline nc::ReplicaGroup ranksOf(int group,
                                dsl::Where where = dsl::Where::current()) {
  requireGroup(group, where);
  return nc::ranks_to(group);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_GROUP_H

//===- nc_ranks.h - Numbers of ranks in registers -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ranks run the same program; values that differ between them are in
// registers. An Index that depends on the rank can offset views and bound
// loops.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_RANKS_H
#define KILN_DSL_NC_RANKS_H

#include "kiln/dsl/nc_call.h"

namespace kiln {
namespace nc {

/// The rank that runs the kernel, counted from 0.
inline Index rank_id(dsl::Where where = dsl::Where::current()) {
  return Call("rank_id", where).readRegister();
}

struct CurrentProcessingRankIdOptions {
  std::int32_t channel_id = 0;
};
/// The rank whose data is available after `iteration_id` steps of the ring:
/// this rank itself at 0, then its predecessors.
inline Index collective_permute_implicit_current_processing_rank_id(
    const Index &iteration_id, const RankLists &replica_group,
    const CurrentProcessingRankIdOptions &o = {},
    dsl::Where where = dsl::Where::current()) {
  return Call("collective_permute_implicit_current_processing_rank_id", where)
      .index("iteration_id", iteration_id)
      .list("replica_group", replica_group)
      .integer("channel_id", o.channel_id, 0)
      .readRegister();
}

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_RANKS_H

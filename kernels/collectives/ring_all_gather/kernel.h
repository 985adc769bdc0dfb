//===- kernel.h - All-gather around a ring --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_RING_ALL_GATHER_KERNEL_H
#define KILN_KERNELS_COLLECTIVES_RING_ALL_GATHER_KERNEL_H

#include "collectives/group.h"

namespace kiln::kernels {

/// y = the x of all ranks, one below the other.
template <class T> struct RingAllGather {
  BOOST_HANA_DEFINE_STRUCT(RingAllGather, (int, group), (int, rows),
                           (int, cols));

  static RingAllGather defaults() { return {1, 128, 512}; }

  void describe(Signature &s) const {
    s.summary("what all ranks have, gathered step by step around a ring");
    s.doc("group", "ranks of the ring, from 0 on; run with as many (--ranks)");
    s.doc("rows", "rows of each rank");
    s.doc("cols", "elements of a row");
    s.argument("x", {rows, cols});
    s.argument("y", {std::int64_t(group) * rows, cols});
  }

  void operator()(In<T, 2> x, Out<T, 2> y) const {
    const nc::ReplicaGroup ring = ranksOf(group);
    // Each part is sent on to the next rank while it is copied to y.
    auto even = hbm<T>("even", rows, cols), odd = hbm<T>("odd", rows, cols);
    keep(y, 0, ring, x);
    for (int step = 1; step < group; ++step) {
      auto &to = step % 2 ? odd : even;
      if (step == 1)
        nc::collective_permute_implicit(x, to, ring);
      else
        nc::collective_permute_implicit(step % 2 ? even : odd, to, ring);
      keep(y, step, ring, to);
    }
  }

  void keep(Out<T, 2> y, int step, const nc::ReplicaGroup &ring,
            const auto &from) const {
    auto rank =
        nc::collective_permute_implicit_current_processing_rank_id(step, ring);
    nc::dma_copy(y.rows_at(rank * rows, rows), from);
  }

  void reference(const DoublesOfRanks &x,
                 const DoublesOfRanks &y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_RING_ALL_GATHER_KERNEL_H

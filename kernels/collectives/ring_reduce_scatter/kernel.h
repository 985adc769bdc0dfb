//===- kernel.h - Reduce-scatter around a ring ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_RING_REDUCE_SCATTER_KERNEL_H
#define KILN_KERNELS_COLLECTIVES_RING_REDUCE_SCATTER_KERNEL_H

#include "collectives/group.h"

namespace kiln::kernels {

/// y of rank r = part r of the sum of all ranks' x.
template <class T> struct RingReduceScatter {
  BOOST_HANA_DEFINE_STRUCT(RingReduceScatter, (int, group), (int, rows),
                           (int, cols));

  static RingReduceScatter defaults() { return {1, 128, 512}; }

  void describe(Signature &s) const {
    s.summary("sums over all ranks, a part for each, around a ring");
    s.doc("group", "ranks of the ring, from 0 on; run with as many (--ranks)");
    s.doc("rows", "rows of the part of each rank");
    s.doc("cols", "elements of a row");
    s.argument("x", {std::int64_t(group) * rows, cols});
    s.argument("y", {rows, cols});
    s.flops(double(group - 1) * rows * cols);
  }

  void operator()(In<T, 2> x, Out<T, 2> y) const {
    const nc::ReplicaGroup ring = ranksOf(group);
    auto part = [&](int step) {
      auto rank = nc::collective_permute_implicit_current_processing_rank_id(
          step, ring);
      return x.rows_at(rank * rows, rows);
    };
    // The sum of part p starts at rank p + 1 and passes all other ranks on its
    // way to rank p. At step s, a rank holds the sum for its s-th predecessor.
    auto even = hbm<T>("even", rows, cols), odd = hbm<T>("odd", rows, cols);
    for (int step = 1; step < group; ++step) {
      auto &to = step % 2 ? odd : even;
      if (step == 1)
        nc::collective_permute_implicit(part(1), to, ring);
      else
        nc::collective_permute_implicit_reduce(
            step % 2 ? even : odd, part(step), to, ring, nc::AluOp::add);
    }
    auto own = part(0);
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      auto mine = load(own.rows_at(r, n));
      if (group == 1)
        store(y.rows_at(r, n), mine);
      else
        store(y.rows_at(r, n),
              mine + load((group % 2 ? even : odd).rows_at(r, n)));
    });
  }

  void reference(const DoublesOfRanks &x,
                 const DoublesOfRanks &y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_RING_REDUCE_SCATTER_KERNEL_H

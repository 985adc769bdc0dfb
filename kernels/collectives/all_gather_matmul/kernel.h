//===- kernel.h - All-gather while multiplying ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_ALL_GATHER_MATMUL_KERNEL_H
#define KILN_KERNELS_COLLECTIVES_ALL_GATHER_MATMUL_KERNEL_H

#include "collectives/group.h"
#include "collectives/ring_blocks.h"
#include "support/plain.h"
#include "support/weights.h"

namespace kiln::kernels {

/// y = X w; X is the x of all ranks, one below the other, and w is the rank's
/// own.
template <class T> struct AllGatherMatmul {
  BOOST_HANA_DEFINE_STRUCT(AllGatherMatmul, (int, group), (int, rows), (int, k),
                           (int, n));

  static AllGatherMatmul defaults() { return {1, 256, 512, 512}; }

  void describe(Signature &s) const {
    s.summary("the rows of all ranks times w: multiplies while rows travel");
    s.doc("group", "ranks of the ring, from 0 on; run with as many (--ranks)");
    s.doc("rows", "rows of each rank");
    s.doc("k", "columns of x, rows of w");
    s.doc("n", "columns of w and y");
    s.argument("x", {rows, k});
    weightArgument<T>(s, "w", k, n);
    s.argument("y", {std::int64_t(group) * rows, n});
    s.flops(2.0 * group * rows * k * n);
  }

  /// A rank multiplies its own rows, then those of its predecessor, and so on.
  /// Each block of rows is sent on when its products begin.
  void operator()(In<T, 2> x, In<T, 2> w, Out<T, 2> y) const {
    using Columns = KeptColumns<T>;
    const nc::ReplicaGroup ring = ranksOf(group);
    const std::int64_t wide = plain::min<std::int64_t>(n, Columns::most(k));
    const RingBlocks blocks(rows, wide, k * Columns::bytes);
    const std::int64_t count = blocks.count, all = group * count;
    auto others = hbm<T>("others", plain::max(group - 1, 1) * rows, k);
    // Block t of all steps; those of step 0 are in x.
    const auto rowsOf = [&](const Index &t) {
      return others.rows_at(blocks.start(t - count), blocks.size);
    };
    const auto own = [&](const Index &t) {
      return x.rows_at(blocks.start(t), blocks.size);
    };
    const auto product = [&](const Columns &columns, const Index &first,
                             const auto &from, const Index &t) {
      auto rank = nc::collective_permute_implicit_current_processing_rank_id(
          t / count, ring);
      auto to = y.rows_at(rank * rows + blocks.within(t), blocks.size);
      columns.multiply(Columns::rowsOf(from), [&](auto r, auto c,
                                                  const auto &sum) {
        store(to.rows_at(r, sum.dim(0)).cols_at(first + c, sum.dim(1)), sum);
      });
    };
    const Columns columns(w, 0, wide);
    // At the start, pieces wait for the columns.
    constexpr std::int64_t early = 512 << 10, later = 256 << 10;
    loop("own", count, [&](Index t) {
      if (group > 1)
        blocks.send(own(t), rowsOf(t + count), ring, early);
      product(columns, 0, own(t), t);
    });
    loop("others", count, all - count, [&](Index t) {
      blocks.send(rowsOf(t), rowsOf(t + count), ring, later);
      product(columns, 0, rowsOf(t), t);
    });
    if (group > 1)
      loop("last", all - count, all,
           [&](Index t) { product(columns, 0, rowsOf(t), t); });
    // Everything is there for more columns of w than fit on chip.
    if (n > wide)
      tiles("n", n - wide, wide, [&](Index c, std::int64_t size) {
        const Columns more(w, c + wide, size);
        loop("own again", count,
             [&](Index t) { product(more, c + wide, own(t), t); });
        loop("all others", count, all,
             [&](Index t) { product(more, c + wide, rowsOf(t), t); });
      });
  }

  void reference(const DoublesOfRanks &x, const DoublesOfRanks &w,
                 const DoublesOfRanks &y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_ALL_GATHER_MATMUL_KERNEL_H

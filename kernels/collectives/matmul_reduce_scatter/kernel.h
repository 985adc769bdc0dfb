//===- kernel.h - Reduce-scatter of products while multiplying ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_MATMUL_REDUCE_SCATTER_KERNEL_H
#define KILN_KERNELS_COLLECTIVES_MATMUL_REDUCE_SCATTER_KERNEL_H

#include "collectives/group.h"
#include "collectives/ring_blocks.h"
#include "support/plain.h"
#include "support/weights.h"

namespace kiln::kernels {

/// y of rank r = part r of the rows of the sum over all ranks of x w.
template <class T> struct MatmulReduceScatter {
  BOOST_HANA_DEFINE_STRUCT(MatmulReduceScatter, (int, group), (int, rows),
                           (int, k), (int, n));

  static MatmulReduceScatter defaults() { return {1, 256, 512, 512}; }

  void describe(Signature &s) const {
    s.summary("sums of products over all ranks, a part of the rows for each: "
              "multiplies while sums travel");
    s.doc("group", "ranks of the ring, from 0 on; run with as many (--ranks)");
    s.doc("rows", "rows of y: the part of each rank");
    s.doc("k", "columns of x, rows of w");
    s.doc("n", "columns of w and y");
    s.argument("x", {std::int64_t(group) * rows, k});
    weightArgument<T>(s, "w", k, n);
    s.argument("y", {rows, n});
    s.flops(2.0 * group * rows * k * n);
  }

  static void put(const auto &to, auto r, auto c, const auto &sum) {
    store(to.rows_at(r, sum.dim(0)).cols_at(c, sum.dim(1)), sum);
  }

  /// The sum of part p starts at rank p + 1 and passes all other ranks on its
  /// way to rank p. At step s, a rank adds to the sum for its s-th predecessor;
  /// its own part comes last.
  void operator()(In<T, 2> x, In<T, 2> w, Out<T, 2> y) const {
    using Columns = KeptColumns<T>;
    const nc::ReplicaGroup ring = ranksOf(group);
    const std::int64_t wide = plain::min<std::int64_t>(n, Columns::most(k));
    const RingBlocks blocks(rows, wide, n * Columns::bytes);
    const std::int64_t count = blocks.count;
    const std::int64_t steps = plain::max(group - 1, 1);
    auto sums = hbm<T>("sums", steps * rows, n);
    auto received = hbm<T>("received", steps * rows, n);
    const auto block = [&](const auto &of, const Index &t, const Index &first,
                           std::int64_t cols) {
      return of.rows_at(blocks.start(t), blocks.size).cols_at(first, cols);
    };
    tiles("n", n, wide, [&](Index first, std::int64_t cols) {
      const Columns columns(w, first, cols);
      const auto product = [&](const Index &step, const Index &t, auto use) {
        auto rank = nc::collective_permute_implicit_current_processing_rank_id(
            step, ring);
        columns.multiply(Columns::rowsOf(x.rows_at(
                             rank * rows + blocks.within(t), blocks.size)),
                         use);
      };
      const auto add = [&](const Index &step, const Index &t, const auto &to,
                           const auto &so_far) {
        product(step, t, [&](auto r, auto c, const auto &sum) {
          auto other = so_far.rows_at(r, sum.dim(0)).cols_at(c, sum.dim(1));
          put(to, r, c, sum + load(other));
        });
      };
      if (group == 1) {
        loop("own", count, [&](Index t) {
          product(0, t, [&](auto r, auto c, const auto &sum) {
            put(block(y, t, first, cols), r, c, sum);
          });
        });
        return;
      }
      const auto send = [&](const Index &t) {
        blocks.send(block(sums, t, first, cols),
                    block(received, t, first, cols), ring, 2 << 20);
      };
      loop("first", count, [&](Index t) {
        product(1, t, [&](auto r, auto c, const auto &sum) {
          put(block(sums, t, first, cols), r, c, sum);
        });
        send(t);
      });
      loop("others", count, (group - 1) * count, [&](Index t) {
        add(t / count + 1, t, block(sums, t, first, cols),
            block(received, t - count, first, cols));
        send(t);
      });
      loop("own", count, [&](Index t) {
        add(0, t, block(y, t, first, cols),
            block(received, t + (group - 2) * count, first, cols));
      });
    });
  }

  void reference(const DoublesOfRanks &x, const DoublesOfRanks &w,
                 const DoublesOfRanks &y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_MATMUL_REDUCE_SCATTER_KERNEL_H

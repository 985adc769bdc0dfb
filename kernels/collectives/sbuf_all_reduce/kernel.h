//===- kernel.h - All-reduce from SBUF to SBUF ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_SBUF_ALL_REDUCE_KERNEL_H
#define KILN_KERNELS_COLLECTIVES_SBUF_ALL_REDUCE_KERNEL_H

#include "collectives/group.h"

namespace kiln::kernels {

/// y = the sum over all ranks of x * x. Tiles go from chip to chip as they are
/// computed, without passing through HBM.
template <class T> struct SbufAllReduce {
  BOOST_HANA_DEFINE_STRUCT(SbufAllReduce, (int, group), (int, rows),
                           (int, cols));

  static SbufAllReduce defaults() { return {1, 256, 512}; }

  void describe(Signature &s) const {
    s.summary("the sum of all ranks' squares, from SBUF to SBUF");
    s.doc("group", "ranks, from 0 on; run with as many (--ranks)");
    s.doc("rows", "rows");
    s.doc("cols", "elements of a row");
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
    s.flops(double(group) * rows * cols);
  }

  void operator()(In<T, 2> x, Out<T, 2> y) const {
    const nc::ReplicaGroup all = ranksOf(group);
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      auto mine = square(load(x.rows_at(r, n)));
      auto sum = sbuf<f32>(n, cols);
      nc::all_reduce(mine, sum, all, nc::AluOp::add);
      store(y.rows_at(r, n), sum);
    });
  }

  void reference(const DoublesOfRanks &x,
                 const DoublesOfRanks &y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_SBUF_ALL_REDUCE_KERNEL_H

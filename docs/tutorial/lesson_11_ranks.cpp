//===- lesson_11_ranks.cpp - Lesson 11: cores and ranks -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

/// y = the sum of all rows of x, from both cores.
struct Total {
  BOOST_HANA_DEFINE_STRUCT(Total, (int, rows), (int, cols));
  static Total defaults() { return {64, 8}; }
  void describe(Signature &s) const {
    s.summary("the sum of all rows, on every core");
    s.argument("x", {rows, cols});
    s.argument("y", {2, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const auto half = rows / num_programs(), first = program_id() * half;
    auto sums = shared_hbm<f32>("sums", num_programs(), cols);
    store(sums.rows_at(program_id(), 1_c),
          col_sum(load(x.rows_at(first, half))));
    if (num_programs() == 2)
      nc::core_barrier(sums);
    store(y.rows_at(program_id(), 1_c), col_sum(load(sums)));
  }
};
KILN_EXPORT(total, Total)

/// One core forgets the other.
struct Lonely {
  BOOST_HANA_DEFINE_STRUCT(Lonely, (int, cols));
  static Lonely defaults() { return {8}; }
  void describe(Signature &s) const {
    s.summary("does not compile: one core waits alone");
    s.argument("y", {2, cols});
  }
  void operator()(Out<f32, 2> y) const {
    store(y.rows_at(program_id(), 1_c), full<f32>(1.0, 1_c, cols));
    if (program_id() == 0)
      nc::core_barrier(y);
  }
};
KILN_EXPORT(lonely, Lonely)

/// y = the x of both ranks.
struct Ring {
  BOOST_HANA_DEFINE_STRUCT(Ring, (int, rows), (int, cols));
  static Ring defaults() { return {4, 8}; }
  void describe(Signature &s) const {
    s.summary("gathers the rows of two ranks");
    s.argument("x", {rows, cols});
    s.argument("y", {2 * rows, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const nc::ReplicaGroup ring = nc::ranks_to(2);
    auto other = hbm<f32>("other", rows, cols);
    auto keep = [&](int step, const auto &at_hand) {
      const Index from =
          nc::collective_permute_implicit_current_processing_rank_id(step,
                                                                     ring);
      nc::dma_copy(y.rows_at(from * rows, rows), at_hand);
    };
    keep(0, x);
    nc::collective_permute_implicit(x, other, ring);
    keep(1, other);
  }
};
KILN_EXPORT(ring, Ring)

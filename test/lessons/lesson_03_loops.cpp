//===- lesson_03_loops.cpp - Lesson 3: loops and carried variables --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kiln.h"
#include "kiln/program_text.h"
#include "kiln/record.h"
#include "lesson.h"

using namespace kiln;

/// Sums the columns' blocks of a long matrix.
struct Total {
  BOOST_HANA_DEFINE_STRUCT(Total, (int, cols));
  void describe(Signature &s) const {
    s.argument("x", {128, cols});
    s.argument("y", {128, 1});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto sum = zeros<f32>(128_c, 1_c);
    tiles("block", cols, 512_c,
          [&](Index c, auto n) { sum = sum + row_sum(load(x.cols_at(c, n))); });
    store(y, sum);
  }
};

int main() {
  const program::Program p = record(Total{1100}, "total");
  std::cout << program::printProgram(p, {.locations = false});
  // fill, declare, assign, the loop, four operations of the tail, store
  lesson::expect(p.body.size() == 9, "the loop stays a loop");
  lesson::expect(p.body[3].kind == program::OpKind::loop, "after three");
}

//===- lesson_05_instructions.cpp - Lesson 5: down to instructions --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

struct ExpSum {
  BOOST_HANA_DEFINE_STRUCT(ExpSum, (int, cols));
  static ExpSum defaults() { return {512}; }
  void describe(Signature &s) const {
    s.summary("exp(x) over its row sum");
    s.argument("x", {128, cols});
    s.argument("y", {128, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = load(x);
    auto e = sbuf<f32>(128_c, cols);
    auto sum = sbuf<f32>(128_c, 1_c);
    nc::activation(e, nc::ActivationFunction::exp, t,
                   {.reduce_op = nc::AluOp::add,
                    .reduce_res = sum,
                    .reduce_cmd = nc::ReduceCommand::reset_reduce,
                    .name = "exp and sum"});
    store(y, e / sum);
  }
};
KILN_EXPORT(exp_sum, ExpSum)

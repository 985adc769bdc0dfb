//===- kernel.h - A bad and a good kernel for each insight ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel of the files beside this one has the name of a rule of `kiln
// profile`. With `good`, it does the same work without the cost that the rule
// finds.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_INSIGHTS_KERNEL_H
#define KILN_TEST_INSIGHTS_KERNEL_H

#include <kiln/kiln.h>
using namespace kiln;

#define KERNEL(Name, T, inRows, inCols, outRows, outCols)                      \
  BOOST_HANA_DEFINE_STRUCT(Name, (bool, good));                                \
  static Name defaults() { return {false}; }                                   \
  void describe(Signature &s) const {                                          \
    s.argument("x", {inRows, inCols});                                         \
    s.argument("y", {outRows, outCols});                                       \
  }                                                                            \
  void operator()(In<T, 2> x, Out<T, 2> y) const

#endif // KILN_TEST_INSIGHTS_KERNEL_H

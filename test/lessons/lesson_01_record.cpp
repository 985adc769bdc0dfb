//===- lesson_01_record.cpp - Lesson 1: record a kernel, print it ---------===//
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

struct Double {
  BOOST_HANA_DEFINE_STRUCT(Double, (int, rows), (int, cols));
  void describe(Signature &s) const {
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = load(x);
    store(y, 2 * t);
  }
};

int main() {
  const program::Program p = record(Double{128, 64}, "double");
  const std::string text = program::printProgram(p, {.locations = false});
  std::cout << text;
  lesson::expect(text.find("op=\"multiply\"") != std::string::npos,
                 "the product is recorded");
  lesson::expect(*program::parseProgram(program::printProgram(p)).program == p,
                 "the text says everything");
}

//===- lesson_02_shapes.cpp - Lesson 2: shapes, static and dynamic --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kiln.h"
#include "kiln/record.h"
#include "lesson.h"

using namespace kiln;

struct Shapes {
  BOOST_HANA_DEFINE_STRUCT(Shapes, (int, cols));
  void describe(Signature &s) const { s.argument("x", {128, 512}); }
  void operator()(In<f32, 2> x) const {
    auto a = load(x.rows(0, 128_c)); // Tile<f32, 128, -1>
    auto b = zeros<f32>(128_c, cols);
    auto c = a + b; // checked while recording
    std::cout << c.dim(0) << " x " << c.dim(1) << '\n';
  }
};

int main() {
  record(Shapes{512});
  try {
    record(Shapes{500});
    lesson::expect(false, "512 and 500 columns cannot be added");
  } catch (const RecordError &error) {
    std::cout << error.what() << '\n';
    lesson::expect(error.code == "KILN-A001", "the code names the mistake");
  }
}

//===- main.cpp - The language on its own -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
#include <kiln/program_text.h>
#include <kiln/record.h>

#include <cstdio>

using namespace kiln;

struct Copy {
  BOOST_HANA_DEFINE_STRUCT(Copy, (int, rows));

  static Copy defaults() { return {128}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 64});
    s.argument("y", {rows, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      store(y.rows_at(r, n), load(x.rows_at(r, n)));
    });
  }
};

/// Records a kernel, prints it and parses it back.
int main() {
  program::Program program = record(Copy{300}, "copy");
  std::string text = program::printProgram(program);
  if (text.find("store") == std::string::npos) {
    std::puts("nothing was recorded");
    return 1;
  }
  program::ParseResult parsed = program::parseProgram(text);
  return parsed && *parsed.program == program ? 0 : 1;
}

//===- program_text.h - A Program as text, both ways ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// parseProgram(printProgram(p)) == p, bit for bit (except for NaN, which equals
// nothing). The text has one item per line; `//` starts a comment:
//
//   kiln.program 1
//   kernel "softmax"
//   parameter "rows" = "256"
//   flops 655360
//   argument input %0 : tensor f32 hbm [256, 512] "x"
//   #0 = 0                       index expressions: constants, loop values,
//   #1 = %2                      + * / % with constants, min, max
//   #2 = #1 * 65536
//   !0 = "softmax.cpp":12 "rows"          locations with their scopes
//   !1 = "softmax.cpp":9 "rows" from "softmax.cpp":13     and calls
//   body {
//     %2 : loop i32 sbuf [] "" = loop() begin=#0, end=#3, name="rows", step=1 {
//       %3 : tile f32 sbuf [128, 512] "" = load(%0[#2 : 128*512, 512*1]) !0
//     }
//   }
//
// A view is `%value` for the whole value, or `%value[row R, #offset : size*
// stride, ... as dtype]` with the parts that are not at their default.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_TEXT_H
#define KILN_PROGRAM_TEXT_H

#include "kiln/isa/diagnostic.h"
#include "kiln/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::program {

struct PrintOptions {
  /// Print locations. Without them the text is the same from every compiler.
  bool locations = true;
};

/// Either a program or an error at a line of the text: KILN-P001 syntax, P002
/// definitions, P003 limits, P010 operands and attributes of an operation.
struct ParseResult {
  std::optional<Program> program;
  isa::Diagnostic error;
  explicit operator bool() const { return program.has_value(); }
};

std::string printProgram(const Program &program, PrintOptions options = {});
ParseResult parseProgram(std::string_view text);

} // namespace kiln::program

#endif // KILN_PROGRAM_TEXT_H

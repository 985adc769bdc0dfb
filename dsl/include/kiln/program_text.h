//===- program_text.h - A Program as text, both ways ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// parseProgram(printProgram(p)) == p, bit for bit (NaN apart, which equals
// nothing). The form, one thing a line, `//` starts a comment:
//
//   kiln.program 1
//   kernel "softmax"
//   parameter "rows" = "256"
//   flops 655360
//   argument input %0 : tensor f32 hbm [256, 512] "x"
//   #0 = 0                       index expressions: constants, loop values,
//   #1 = %2                      + * / % with constants, min, max
//   #2 = #1 * 65536
//   !0 = "softmax.cpp":12:7 "rows"        locations with their scopes
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

#include "kiln/dsl/program_parse.h"
#include "kiln/dsl/program_print.h"

#endif // KILN_PROGRAM_TEXT_H

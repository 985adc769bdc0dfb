//===- dtype_list.h - The element types -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction set has isa::DType::bf16 as a value; the language has
// kiln::bf16 as a type. Only a macro can generate both from one list.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_DTYPE_LIST_H
#define KILN_ISA_DTYPE_LIST_H

/// In numerical order: X(name, number, spelling, bytes, isFloat, isSigned,
/// values). The numbers are part of the binary format: never reuse one.
#define KILN_ISA_DTYPES(X)                                                     \
  X(f32, 1, "f32", 4, true, true, 1)                                           \
  X(bf16, 2, "bf16", 2, true, true, 1)                                         \
  X(f16, 3, "f16", 2, true, true, 1)                                           \
  X(i32, 4, "i32", 4, false, true, 1)                                          \
  X(u8, 5, "u8", 1, false, false, 1)                                           \
  X(i8, 6, "i8", 1, false, true, 1)                                            \
  X(u16, 7, "u16", 2, false, false, 1)                                         \
  X(i16, 8, "i16", 2, false, true, 1)                                          \
  X(u32, 9, "u32", 4, false, false, 1)                                         \
  X(boolean, 10, "bool", 1, false, false, 1)                                   \
  X(tf32, 11, "tf32", 4, true, true, 1)                                        \
  X(f8e4m3, 12, "f8e4m3", 1, true, true, 1)     /* infinities, up to 240 */    \
  X(f8e4m3fn, 13, "f8e4m3fn", 1, true, true, 1) /* no infinity, up to 448 */   \
  X(f8e5m2, 14, "f8e5m2", 1, true, true, 1)                                    \
  X(f8e8m0, 15, "f8e8m0", 1, true, false, 1) /* powers of two: MX scales */    \
  X(f8e4m3fn_x4, 16, "f8e4m3fn_x4", 4, true, true, 4)                          \
  X(f8e5m2_x4, 17, "f8e5m2_x4", 4, true, true, 4)                              \
  X(f4e2m1fn_x4, 18, "f4e2m1fn_x4", 2, true, true, 4)

#endif // KILN_ISA_DTYPE_LIST_H

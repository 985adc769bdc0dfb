//===- KernelsAvx2.cpp - Kernels for x86-64 with AVX2 and FMA -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define KILN_KERNELS_NAME "avx2"
#define KILN_KERNELS_FUNCTION kernelsAvx2
#include "Table.inc"

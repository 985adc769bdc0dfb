//===- KernelsAvx512.cpp - Kernels for x86-64 with AVX-512 ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define KILN_KERNELS_NAME "avx512"
#define KILN_KERNELS_FUNCTION kernelsAvx512
#include "Table.inc"

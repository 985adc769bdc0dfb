//===- KernelsGeneric.cpp - Kernels for any host --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define KILN_KERNELS_NAME "generic"
#define KILN_KERNELS_FUNCTION kernelsGeneric
#include "Table.inc"

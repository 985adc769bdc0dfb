//===- kernel.cpp - Exports matmul_expert --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/matmul_expert/reference.h"

KILN_EXPORT(matmul_expert, kiln::kernels::MatmulExpert<kiln::bf16>)

//===- kernel.cpp - Exports matmul_reduce_scatter -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "collectives/matmul_reduce_scatter/reference.h"

KILN_EXPORT(matmul_reduce_scatter,
            kiln::kernels::MatmulReduceScatter<kiln::bf16>,
            kiln::kernels::MatmulReduceScatter<kiln::f32>)

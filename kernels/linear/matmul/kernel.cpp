//===- kernel.cpp - Exports matmul ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/matmul/reference.h"

KILN_EXPORT(matmul, kiln::kernels::Matmul<kiln::bf16>,
            kiln::kernels::Matmul<kiln::f32>,
            kiln::kernels::Matmul<kiln::f8e4m3>,
            kiln::kernels::MatmulScaled<kiln::f8e4m3fn_x4>,
            kiln::kernels::MatmulScaled<kiln::f8e5m2_x4>,
            kiln::kernels::MatmulScaled<kiln::f4e2m1fn_x4>)

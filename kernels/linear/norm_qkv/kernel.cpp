//===- kernel.cpp - Exports norm_qkv --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/norm_qkv/reference.h"

KILN_EXPORT(norm_qkv, kiln::kernels::NormQkv<kiln::bf16>,
            kiln::kernels::NormQkv<kiln::f32>,
            kiln::kernels::NormQkvQuantized<kiln::f8e4m3>,
            kiln::kernels::NormQkvQuantized<kiln::f8e4m3fn_x4>,
            kiln::kernels::NormQkvQuantized<kiln::f8e5m2_x4>,
            kiln::kernels::NormQkvQuantized<kiln::f4e2m1fn_x4>)

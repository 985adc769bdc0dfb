//===- kernel.cpp - Exports qkv -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/qkv/reference.h"

KILN_EXPORT(qkv, kiln::kernels::Qkv<kiln::bf16>, kiln::kernels::Qkv<kiln::f32>,
            kiln::kernels::Qkv<kiln::f8e4m3>,
            kiln::kernels::QkvScaled<kiln::f8e4m3fn_x4>,
            kiln::kernels::QkvScaled<kiln::f8e5m2_x4>,
            kiln::kernels::QkvScaled<kiln::f4e2m1fn_x4>)

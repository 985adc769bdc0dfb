//===- kernel.cpp - Exports swiglu ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/swiglu/reference.h"

KILN_EXPORT(swiglu, kiln::kernels::SwiGlu<kiln::bf16>,
            kiln::kernels::SwiGlu<kiln::f32>,
            kiln::kernels::SwiGlu<kiln::f8e4m3>,
            kiln::kernels::SwiGluScaled<kiln::f8e4m3fn_x4>,
            kiln::kernels::SwiGluScaled<kiln::f8e5m2_x4>,
            kiln::kernels::SwiGluScaled<kiln::f4e2m1fn_x4>)

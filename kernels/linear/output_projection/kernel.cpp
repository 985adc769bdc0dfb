//===- kernel.cpp - Exports output_projection -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/output_projection/reference.h"

KILN_EXPORT(output_projection, kiln::kernels::OutputProjection<kiln::bf16>,
            kiln::kernels::OutputProjection<kiln::f32>,
            kiln::kernels::OutputProjectionQuantized<kiln::f8e4m3>,
            kiln::kernels::OutputProjectionQuantized<kiln::f8e4m3fn_x4>,
            kiln::kernels::OutputProjectionQuantized<kiln::f8e5m2_x4>,
            kiln::kernels::OutputProjectionQuantized<kiln::f4e2m1fn_x4>)

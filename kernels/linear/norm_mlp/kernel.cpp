//===- kernel.cpp - Exports norm_mlp --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/norm_mlp/reference.h"

KILN_EXPORT(norm_mlp, kiln::kernels::NormMlp<kiln::bf16>,
            kiln::kernels::NormMlp<kiln::f32>,
            kiln::kernels::NormMlpQuantized<kiln::f8e4m3>,
            kiln::kernels::NormMlpQuantized<kiln::f8e4m3fn_x4>,
            kiln::kernels::NormMlpQuantized<kiln::f8e5m2_x4>,
            kiln::kernels::NormMlpQuantized<kiln::f4e2m1fn_x4>)

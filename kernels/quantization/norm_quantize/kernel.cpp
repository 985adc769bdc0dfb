//===- kernel.cpp - Exports norm_quantize ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quantization/norm_quantize/reference.h"

KILN_EXPORT(norm_quantize, kiln::kernels::NormQuantize<kiln::f8e4m3>,
            kiln::kernels::NormQuantize<kiln::f8e5m2>,
            kiln::kernels::NormQuantize<kiln::f8e4m3fn>,
            kiln::kernels::NormQuantizeScaled<kiln::f8e4m3fn_x4>,
            kiln::kernels::NormQuantizeScaled<kiln::f8e5m2_x4>)

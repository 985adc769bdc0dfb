//===- kernel.cpp - Exports quantize --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quantization/quantize/reference.h"

KILN_EXPORT(quantize, kiln::kernels::Quantize<kiln::f8e4m3>,
            kiln::kernels::Quantize<kiln::f8e5m2>,
            kiln::kernels::Quantize<kiln::f8e4m3fn>,
            kiln::kernels::QuantizeScaled<kiln::f8e4m3fn_x4>,
            kiln::kernels::QuantizeScaled<kiln::f8e5m2_x4>,
            kiln::kernels::QuantizeScaled<kiln::f4e2m1fn_x4>)

//===- kernel.cpp - Exports rmsnorm ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "normalization/rmsnorm/reference.h"

KILN_EXPORT(rmsnorm, kiln::kernels::RmsNorm<kiln::bf16>,
            kiln::kernels::RmsNorm<kiln::f32>)

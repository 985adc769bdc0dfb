//===- kernel.cpp - Exports rmsnorm_cores ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "normalization/rmsnorm_cores/reference.h"

KILN_EXPORT(rmsnorm_cores, kiln::kernels::RmsNormCores<kiln::bf16>,
            kiln::kernels::RmsNormCores<kiln::f32>)

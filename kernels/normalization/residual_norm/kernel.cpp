//===- kernel.cpp - Exports residual_norm ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "normalization/residual_norm/reference.h"

KILN_EXPORT(residual_norm, kiln::kernels::ResidualNorm<kiln::bf16>,
            kiln::kernels::ResidualNorm<kiln::f32>)

//===- kernel.cpp - Exports layernorm -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "normalization/layernorm/reference.h"

KILN_EXPORT(layernorm, kiln::kernels::LayerNorm<kiln::bf16>,
            kiln::kernels::LayerNorm<kiln::f32>)

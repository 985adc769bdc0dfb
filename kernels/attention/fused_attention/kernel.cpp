//===- kernel.cpp - Exports fused_attention -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attention/fused_attention/reference.h"

KILN_EXPORT(fused_attention, kiln::kernels::FusedAttention<kiln::bf16>,
            kiln::kernels::FusedAttention<kiln::f32>)

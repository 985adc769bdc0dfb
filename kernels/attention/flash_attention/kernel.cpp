//===- kernel.cpp - Exports flash_attention -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attention/flash_attention/reference.h"

KILN_EXPORT(flash_attention, kiln::kernels::FlashAttention<kiln::bf16>,
            kiln::kernels::FlashAttention<kiln::f32>)

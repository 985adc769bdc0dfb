//===- kernel.cpp - Exports flash_attention_threshold ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attention/flash_attention_threshold/reference.h"

KILN_EXPORT(flash_attention_threshold,
            kiln::kernels::FlashAttentionThreshold<kiln::bf16>,
            kiln::kernels::FlashAttentionThreshold<kiln::f32>)

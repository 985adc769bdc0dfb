//===- kernel.cpp - Exports decode_attention ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attention/decode_attention/reference.h"

KILN_EXPORT(decode_attention, kiln::kernels::DecodeAttention<kiln::bf16>,
            kiln::kernels::DecodeAttention<kiln::f32>)

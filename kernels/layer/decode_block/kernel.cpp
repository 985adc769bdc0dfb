//===- kernel.cpp - Exports decode_block ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "layer/decode_block/reference.h"

KILN_EXPORT(decode_block, kiln::kernels::DecodeBlock<kiln::bf16>,
            kiln::kernels::DecodeBlock<kiln::f32>)

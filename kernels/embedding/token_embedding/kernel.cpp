//===- kernel.cpp - Exports token_embedding -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embedding/token_embedding/reference.h"

KILN_EXPORT(token_embedding, kiln::kernels::TokenEmbedding<kiln::bf16>,
            kiln::kernels::TokenEmbedding<kiln::f32>)

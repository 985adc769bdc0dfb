//===- kernel.cpp - Exports llama_layer -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "layer/llama_layer/reference.h"

KILN_EXPORT(llama_layer, kiln::kernels::LlamaLayer<kiln::bf16>,
            kiln::kernels::LlamaLayer<kiln::f32>)

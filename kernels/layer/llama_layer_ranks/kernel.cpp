//===- kernel.cpp - Exports llama_layer_ranks -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "layer/llama_layer_ranks/reference.h"

KILN_EXPORT(llama_layer_ranks, kiln::kernels::LlamaLayerRanks<kiln::bf16>,
            kiln::kernels::LlamaLayerRanks<kiln::f32>)

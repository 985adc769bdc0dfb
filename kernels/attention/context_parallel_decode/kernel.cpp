//===- kernel.cpp - Exports context_parallel_decode -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attention/context_parallel_decode/reference.h"

KILN_EXPORT(context_parallel_decode,
            kiln::kernels::ContextParallelDecode<kiln::bf16>,
            kiln::kernels::ContextParallelDecode<kiln::f32>)

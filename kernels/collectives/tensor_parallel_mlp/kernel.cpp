//===- kernel.cpp - Exports tensor_parallel_mlp ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "collectives/tensor_parallel_mlp/reference.h"

KILN_EXPORT(tensor_parallel_mlp, kiln::kernels::TensorParallelMlp<kiln::bf16>,
            kiln::kernels::TensorParallelMlp<kiln::f32>)

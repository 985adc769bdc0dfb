//===- kernel.cpp - Exports all_gather_matmul -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "collectives/all_gather_matmul/reference.h"

KILN_EXPORT(all_gather_matmul, kiln::kernels::AllGatherMatmul<kiln::bf16>,
            kiln::kernels::AllGatherMatmul<kiln::f32>)

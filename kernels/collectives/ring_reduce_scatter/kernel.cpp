//===- kernel.cpp - Exports ring_reduce_scatter ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "collectives/ring_reduce_scatter/reference.h"

KILN_EXPORT(ring_reduce_scatter, kiln::kernels::RingReduceScatter<kiln::bf16>,
            kiln::kernels::RingReduceScatter<kiln::f32>)

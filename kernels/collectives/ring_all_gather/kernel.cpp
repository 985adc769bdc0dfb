//===- kernel.cpp - Exports ring_all_gather -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "collectives/ring_all_gather/reference.h"

KILN_EXPORT(ring_all_gather, kiln::kernels::RingAllGather<kiln::bf16>,
            kiln::kernels::RingAllGather<kiln::f32>)

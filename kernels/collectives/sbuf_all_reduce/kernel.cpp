//===- kernel.cpp - Exports sbuf_all_reduce -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "collectives/sbuf_all_reduce/reference.h"

KILN_EXPORT(sbuf_all_reduce, kiln::kernels::SbufAllReduce<kiln::bf16>,
            kiln::kernels::SbufAllReduce<kiln::f32>)

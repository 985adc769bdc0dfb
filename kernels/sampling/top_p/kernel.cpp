//===- kernel.cpp - Exports top_p -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sampling/top_p/reference.h"

KILN_EXPORT(top_p, kiln::kernels::TopP<kiln::f32>,
            kiln::kernels::TopP<kiln::bf16>)

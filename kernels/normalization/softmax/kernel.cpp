//===- kernel.cpp - Exports softmax ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "normalization/softmax/reference.h"

KILN_EXPORT(softmax, kiln::kernels::Softmax<kiln::f32>,
            kiln::kernels::Softmax<kiln::bf16>)

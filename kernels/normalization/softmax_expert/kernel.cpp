//===- kernel.cpp - Exports softmax_expert -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "normalization/softmax_expert/reference.h"

KILN_EXPORT(softmax_expert, kiln::kernels::SoftmaxExpert<kiln::bf16>,
            kiln::kernels::SoftmaxExpert<kiln::f32>)

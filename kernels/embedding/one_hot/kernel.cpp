//===- kernel.cpp - Exports one_hot ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embedding/one_hot/reference.h"

KILN_EXPORT(one_hot, kiln::kernels::OneHot<kiln::bf16>,
            kiln::kernels::OneHot<kiln::f32>)

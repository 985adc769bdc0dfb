//===- kernel.cpp - Exports rope ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "embedding/rope/reference.h"

KILN_EXPORT(rope, kiln::kernels::Rope<kiln::bf16>,
            kiln::kernels::Rope<kiln::f32>)

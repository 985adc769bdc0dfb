//===- kernel.cpp - Exports output_projection -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "linear/output_projection/reference.h"

KILN_EXPORT(output_projection, kiln::kernels::OutputProjection<kiln::bf16>,
            kiln::kernels::OutputProjection<kiln::f32>)

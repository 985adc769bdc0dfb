//===- kernel.cpp - Exports norm_columns ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "normalization/norm_columns/reference.h"

KILN_EXPORT(norm_columns, kiln::kernels::NormColumns<kiln::bf16>,
            kiln::kernels::NormColumns<kiln::f32>)

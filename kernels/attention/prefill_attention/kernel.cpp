//===- kernel.cpp - Exports prefill_attention -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attention/prefill_attention/reference.h"

KILN_EXPORT(prefill_attention, kiln::kernels::PrefillAttention<kiln::bf16>,
            kiln::kernels::PrefillAttention<kiln::f32>)

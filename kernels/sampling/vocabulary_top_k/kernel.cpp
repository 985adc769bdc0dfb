//===- kernel.cpp - Exports vocabulary_top_k ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sampling/vocabulary_top_k/reference.h"

KILN_EXPORT(vocabulary_top_k, kiln::kernels::VocabularyTopK<kiln::f32>,
            kiln::kernels::VocabularyTopK<kiln::bf16>)

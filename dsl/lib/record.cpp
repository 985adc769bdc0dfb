//===- record.cpp - What records a kernel, compiled once ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/record/run.h"

#ifndef KILN_RECORD_COMPILED
#error "Compiled as kiln::record only: see kiln/dsl/compiled.h."
#endif

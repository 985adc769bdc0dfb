//===- KilnNcHeaders.h - What is precompiled for files that use nc --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nc dialect has an operation for each instruction, and takes a second to
// compile. What changes its headers changes all files that use them anyway.
//
//===----------------------------------------------------------------------===//

#include "KilnMlirHeaders.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "mlir/Pass/Pass.h"

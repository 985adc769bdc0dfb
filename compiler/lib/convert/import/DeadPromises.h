//===- DeadPromises.h - Order of operations that nobody needs -*- C++ -*---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_IMPORT_DEADPROMISES_H
#define KILN_COMPILER_LIB_CONVERT_IMPORT_DEADPROMISES_H

#include "kiln/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::compiler {

/// Pairs of labels, the later operation first, in the order of the text: those
/// that remain without operations whose results are not needed, and without
/// those of loops that never run.
llvm::SmallVector<std::int64_t> edgesOfLive(const program::Program &program,
                                            llvm::ArrayRef<std::int64_t> edges);

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_IMPORT_DEADPROMISES_H

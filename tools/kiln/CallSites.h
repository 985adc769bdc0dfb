//===- CallSites.h - Where a kernel calls its helpers -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_CALLSITES_H
#define KILN_TOOLS_KILN_CALLSITES_H

namespace kiln::tool {

/// Lets kernels be recorded with the calls of their helpers. The lines are
/// those of the tables of lines in the files that the kernels are loaded from.
void recordCallSites();

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_CALLSITES_H

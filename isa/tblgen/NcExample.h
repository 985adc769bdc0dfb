//===- NcExample.h - An example of an `nc` operation ------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TBLGEN_NCEXAMPLE_H
#define KILN_ISA_TBLGEN_NCEXAMPLE_H

#include <string>

namespace llvm {
class Record;
} // namespace llvm

namespace kiln::tblgen {

/// The operation that the record's line of assembly would be. Views have dense
/// strides and no address; waits and signals are left out.
std::string ncExample(const llvm::Record &record);

} // namespace kiln::tblgen

#endif // KILN_ISA_TBLGEN_NCEXAMPLE_H

//===- OperandKinds.h - What the records say of a kind ----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TBLGEN_OPERANDKINDS_H
#define KILN_TBLGEN_OPERANDKINDS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class Record;
} // namespace llvm

namespace kiln::tblgen {

/// "MemoryList" of the record MemoryListKind.
std::string kindName(const llvm::Record &kind);

/// A text of the operand's kind, with what td/OperandKinds.td says put in for
/// what begins with '$'.
std::string kindText(const llvm::Record &operand, llvm::StringRef field);
std::vector<std::string> kindTexts(const llvm::Record &operand,
                                   llvm::StringRef field);
bool kindBit(const llvm::Record &operand, llvm::StringRef field);

} // namespace kiln::tblgen

#endif // KILN_TBLGEN_OPERANDKINDS_H

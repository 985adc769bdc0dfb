//===- Code.h - Codes of docs/errors in MLIR diagnostics ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code travels as metadata of the diagnostic: nobody has to find it in the
// text, where it is printed, too.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_CODE_H
#define KILN_COMPILER_DIALECT_NC_CODE_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace kiln::compiler {

/// Streamed into a diagnostic: op.emitOpError() << Code{"KILN-C112"} << "has no
/// engine" prints "'nc.x' op [KILN-C112] has no engine".
struct Code {
  llvm::StringRef code;
  const char *before = "[", *behind = "] "; ///< Printed around it.
};

/// Behind a text: " [KILN-I012]".
inline Code codeBehind(llvm::StringRef code) { return {code, " [", "]"}; }

inline mlir::Diagnostic &operator<<(mlir::Diagnostic &diagnostic,
                                    const Code &code) {
  const uint64_t index = diagnostic.getArguments().size();
  diagnostic << llvm::Twine(code.before) + code.code + code.behind;
  if (diagnostic.getMetadata().empty()) {
    // The diagnostic owns a copy of what was streamed.
    const llvm::StringRef printed =
        diagnostic.getArguments().back().getAsString();
    diagnostic.getMetadata().emplace_back(
        printed.substr(llvm::StringRef(code.before).size(), code.code.size()));
    diagnostic.getMetadata().emplace_back(index);
  }
  return diagnostic;
}

/// What a diagnostic says, without the code. MLIR's own have none.
struct CodedText {
  std::string code, text;
};
inline CodedText codedText(mlir::Diagnostic &diagnostic) {
  CodedText result;
  llvm::raw_string_ostream stream(result.text);
  uint64_t skipped = diagnostic.getArguments().size();
  if (const auto &metadata = diagnostic.getMetadata(); !metadata.empty()) {
    result.code = metadata[0].getAsString().str();
    skipped = metadata[1].getAsUnsigned();
  }
  for (const auto &[i, argument] : llvm::enumerate(diagnostic.getArguments()))
    if (i != skipped)
      argument.print(stream);
  return result;
}

} // namespace kiln::compiler

#endif // KILN_COMPILER_DIALECT_NC_CODE_H

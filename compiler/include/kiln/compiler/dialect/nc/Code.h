//===- Code.h - Codes of docs/errors in MLIR diagnostics ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code is metadata of the diagnostic, so no reader has to find it in the
// text, where it is printed as well.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_CODE_H
#define KILN_COMPILER_DIALECT_NC_CODE_H

#include "kiln/isa/diagnostic.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
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

/// A code that ends a text: " [KILN-I012]".
inline Code codeBehind(llvm::StringRef code) { return {code, " [", "]"}; }

/// Streamed into a diagnostic: a part of the text that says what was found, or
/// what is allowed.
struct Compared {
  llvm::StringRef role;
  std::string text;
};
inline Compared found(const llvm::Twine &text) { return {"found", text.str()}; }
inline Compared allowed(const llvm::Twine &text) {
  return {"allowed", text.str()};
}

/// Records the role of the part of the text that was streamed last. Metadata
/// are pairs of a role and a value; the diagnostic owns what was streamed.
inline void notePart(mlir::Diagnostic &diagnostic, llvm::StringRef role,
                     llvm::StringRef text) {
  const llvm::StringRef printed =
      diagnostic.getArguments().back().getAsString();
  const size_t at = text.empty() ? llvm::StringRef::npos : printed.find(text);
  if (at == llvm::StringRef::npos)
    return;
  diagnostic.getMetadata().emplace_back(role);
  diagnostic.getMetadata().emplace_back(printed.substr(at, text.size()));
}

inline mlir::Diagnostic &operator<<(mlir::Diagnostic &diagnostic,
                                    const Compared &part) {
  diagnostic << llvm::Twine(part.text);
  notePart(diagnostic, part.role, part.text);
  return diagnostic;
}

inline mlir::Diagnostic &operator<<(mlir::Diagnostic &diagnostic,
                                    const Code &code) {
  const uint64_t index = diagnostic.getArguments().size();
  diagnostic << llvm::Twine(code.before) + code.code + code.behind;
  notePart(diagnostic, "code", code.code);
  diagnostic.getMetadata().emplace_back(llvm::StringRef("skipped"));
  diagnostic.getMetadata().emplace_back(index);
  return diagnostic;
}

/// The contents of an MLIR diagnostic: code, text, parts and place. MLIR's own
/// diagnostics have no code.
inline isa::Diagnostic toldBy(mlir::Diagnostic &diagnostic) {
  isa::Diagnostic result;
  if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
    result.severity = isa::Severity::warning;
  llvm::raw_string_ostream stream(result.text);
  uint64_t skipped = diagnostic.getArguments().size();
  const auto &metadata = diagnostic.getMetadata();
  for (size_t i = 0; i + 1 < metadata.size(); i += 2) {
    const llvm::StringRef role = metadata[i].getAsString();
    std::string *part = role == "code"      ? &result.code
                        : role == "found"   ? &result.found
                        : role == "allowed" ? &result.allowed
                                            : nullptr;
    if (role == "skipped" && skipped == diagnostic.getArguments().size())
      skipped = metadata[i + 1].getAsUnsigned();
    else if (part && part->empty())
      *part = metadata[i + 1].getAsString().str();
  }
  for (const auto &[i, argument] : llvm::enumerate(diagnostic.getArguments()))
    if (i != skipped)
      argument.print(stream);
  if (auto place =
          diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>()) {
    result.file = place.getFilename().str();
    result.line = place.getLine();
    result.column = place.getColumn();
  }
  return result;
}

} // namespace kiln::compiler

#endif // KILN_COMPILER_DIALECT_NC_CODE_H

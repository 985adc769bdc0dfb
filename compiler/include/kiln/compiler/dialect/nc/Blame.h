//===- Blame.h - Whose fault an MLIR diagnostic is ------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_BLAME_H
#define KILN_COMPILER_DIALECT_NC_BLAME_H

#include "kiln/isa/diagnostic.h"

#include "mlir/IR/Diagnostics.h"

namespace kiln::compiler {

/// Streamed into a diagnostic that is not simply the user's fault.
enum class Culprit : std::uint8_t {
  kiln, ///< Passes run in the wrong order, on which only Kiln decides.
  /// The maker of the operation: the user before the import, Kiln after it.
  maker,
};

inline mlir::Diagnostic &operator<<(mlir::Diagnostic &diagnostic,
                                    Culprit culprit) {
  diagnostic.getMetadata().emplace_back(llvm::StringRef("culprit"));
  diagnostic.getMetadata().emplace_back(static_cast<uint64_t>(culprit));
  return diagnostic;
}

/// `isImported`: operations are Kiln's.
inline isa::Blame blameOf(const mlir::Diagnostic &diagnostic, bool isImported) {
  const auto &metadata =
      const_cast<mlir::Diagnostic &>(diagnostic).getMetadata();
  for (size_t i = 0; i + 1 < metadata.size(); i += 2)
    if (metadata[i].getAsString() == "culprit")
      return isImported || static_cast<Culprit>(
                               metadata[i + 1].getAsUnsigned()) == Culprit::kiln
                 ? isa::Blame::kiln
                 : isa::Blame::user;
  return isa::Blame::user;
}

} // namespace kiln::compiler

#endif // KILN_COMPILER_DIALECT_NC_BLAME_H

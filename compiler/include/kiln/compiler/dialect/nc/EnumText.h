//===- EnumText.h - Cases of isa's enumerations in the text of the IR -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_ENUMTEXT_H
#define KILN_COMPILER_DIALECT_NC_ENUMTEXT_H

#include "kiln/isa/enums.h"
#include "kiln/isa/kind_names.h"

#include "mlir/IR/OpImplementation.h"

#include <optional>

namespace kiln::compiler::nc {

/// The case spelled `text`, if there is one.
template <class Enum> std::optional<Enum> caseOf(llvm::StringRef text) {
  const std::string_view spelling(text.data(), text.size());
  if constexpr (std::is_same_v<Enum, isa::Engine>)
    return isa::parseEngine(spelling);
  else if constexpr (std::is_same_v<Enum, isa::Opcode>)
    return isa::parseOpcode(spelling);
  else
    return isa::parse<Enum>(spelling);
}

/// How a case is spelled.
template <class Enum> llvm::StringRef textOf(Enum value) {
  std::string_view text;
  if constexpr (std::is_same_v<Enum, isa::Opcode>)
    text = isa::mnemonic(value);
  else
    text = isa::name(value);
  return {text.data(), text.size()};
}

/// Errors list the cases of enumerations that have at most this many.
inline constexpr std::size_t mostListed = 8;

/// A bare word that is a case.
template <class Enum> mlir::FailureOr<Enum> parseCase(mlir::AsmParser &parser) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  llvm::StringRef spelling;
  if (parser.parseKeyword(&spelling))
    return mlir::failure();
  if (std::optional<Enum> found = caseOf<Enum>(spelling))
    return *found;
  mlir::InFlightDiagnostic error =
      parser.emitError(where, "has no enumerator '") << spelling << "'";
  if constexpr (requires { isa::EnumTraits<Enum>::entries; }) {
    constexpr auto &entries = isa::EnumTraits<Enum>::entries;
    if constexpr (entries.size() <= mostListed) {
      const char *before = ", expected one of: ";
      for (const isa::EnumEntry<Enum> &entry : entries) {
        error << before << textOf(entry.value);
        before = ", ";
      }
    }
  }
  return error;
}

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_ENUMTEXT_H

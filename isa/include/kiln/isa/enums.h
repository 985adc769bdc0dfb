//===- enums.h - Operators, functions, modes, opcodes ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Standard library only. The calls of the language have enumerations of words.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_ENUMS_H
#define KILN_ISA_ENUMS_H

#include "kiln/isa/dtype.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln::isa {

template <class E> struct EnumEntry {
  E value;
  std::string_view name; ///< Spelling in text and assembly.
  std::string_view doc;
};

/// Specialised for every generated enumeration: `typeName` and `entries`.
template <class E> struct EnumTraits;

/// The spelling of a case, or "?" if `value` is not a case.
template <class E> constexpr std::string_view spelling(E value) {
  for (const EnumEntry<E> &entry : EnumTraits<E>::entries)
    if (entry.value == value)
      return entry.name;
  return "?";
}

/// The case spelled `text`: `parse<AluOp>("add")`.
template <class E> constexpr std::optional<E> parse(std::string_view text) {
  for (const EnumEntry<E> &entry : EnumTraits<E>::entries)
    if (entry.name == text)
      return entry.value;
  return std::nullopt;
}

/// The case with that number in the binary format.
template <class E> constexpr std::optional<E> fromValue(unsigned value) {
  for (const EnumEntry<E> &entry : EnumTraits<E>::entries)
    if (static_cast<unsigned>(entry.value) == value)
      return entry.value;
  return std::nullopt;
}

// Generated: AluOp, ActivationFunction, ReduceCommand, DgeMode, RegisterOp,
// Opcode, CostClass, CheckId, each with `name(E)`.
#include "kiln/isa/Enums.h.inc"

constexpr std::string_view mnemonic(Opcode opcode) {
  for (const EnumEntry<Opcode> &entry : opcodeTable)
    if (entry.value == opcode)
      return entry.name;
  return "?";
}

/// The instruction called `mnemonic`.
constexpr std::optional<Opcode> parseOpcode(std::string_view mnemonic) {
  for (const EnumEntry<Opcode> &entry : opcodeTable)
    if (entry.name == mnemonic)
      return entry.value;
  return std::nullopt;
}

/// The instruction with that number.
constexpr std::optional<Opcode> opcodeFromValue(unsigned value) {
  for (const EnumEntry<Opcode> &entry : opcodeTable)
    if (static_cast<unsigned>(entry.value) == value)
      return entry.value;
  return std::nullopt;
}

} // namespace kiln::isa

#endif // KILN_ISA_ENUMS_H

//===- Operands.h - Operands of any instruction, by name -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Costs depend on what an operand is called in the manual, not on the record
// that holds it, so they ask by name.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_MACHINE_OPERANDS_H
#define KILN_LIB_MACHINE_OPERANDS_H

#include "kiln/isa/instruction.h"

#include <optional>
#include <type_traits>
#include <utility>

namespace kiln::machine {

/// The operand `name` if the instruction has one of type T (or an optional T
/// that is set).
template <class T>
std::optional<T> operandValue(const isa::Body &body, std::string_view name) {
  std::optional<T> found;
  std::visit(
      [&](const auto &instruction) {
        forEachOperand(
            instruction, [&](std::string_view operand, const auto &field) {
              using Field = std::decay_t<decltype(field)>;
              if constexpr (std::is_same_v<Field, T> ||
                            std::is_same_v<Field, std::optional<T>>) {
                if (operand == name)
                  found = field;
              } else if constexpr (std::is_same_v<Field, isa::Optional<T>>) {
                if (operand == name && field)
                  found = *field;
              }
            });
      },
      body);
  return found;
}

/// The spelling of the enumerator that operand `name` holds; empty if the
/// instruction has no such operand.
inline std::string_view operandSpelling(const isa::Body &body,
                                        std::string_view name) {
  std::string_view found;
  std::visit(
      [&](const auto &instruction) {
        forEachOperand(instruction,
                       [&](std::string_view operand, const auto &field) {
                         using Field = std::decay_t<decltype(field)>;
                         if constexpr (std::is_enum_v<Field>)
                           if (operand == name)
                             found = isa::name(field);
                       });
      },
      body);
  return found;
}

/// Operand `name` if it is set and holds a pair of integers.
inline std::optional<std::pair<int, int>> operandPair(const isa::Body &body,
                                                      std::string_view name) {
  std::optional<std::pair<int, int>> found;
  std::visit(
      [&](const auto &instruction) {
        forEachOperand(
            instruction, [&](std::string_view operand, const auto &field) {
              if constexpr (requires { field->first + field->second; })
                if (operand == name && field)
                  found = {field->first, field->second};
            });
      },
      body);
  return found;
}

inline bool operandFlag(const isa::Body &body, std::string_view name) {
  return operandValue<bool>(body, name).value_or(false);
}

} // namespace kiln::machine

#endif // KILN_LIB_MACHINE_OPERANDS_H

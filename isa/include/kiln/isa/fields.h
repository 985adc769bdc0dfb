//===- fields.h - Fields of an instruction by name ------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_FIELDS_H
#define KILN_ISA_FIELDS_H

#include "kiln/isa/instruction.h"

#include <string_view>
#include <type_traits>

namespace kiln::isa {

/// The field of that type and name, or null.
template <class T> const T *fieldOf(const Body &body, std::string_view name) {
  const T *found = nullptr;
  std::visit(
      [&](const auto &op) {
        forEachOperand(op, [&](std::string_view operand, const auto &field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, T>)
            if (operand == name)
              found = &field;
        });
      },
      body);
  return found;
}

} // namespace kiln::isa

#endif // KILN_ISA_FIELDS_H

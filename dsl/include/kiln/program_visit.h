//===- program_visit.h - What is in an operation, whichever it is ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_VISIT_H
#define KILN_PROGRAM_VISIT_H

#include "kiln/program.h"

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace kiln::program {

/// Calls `visit(name, field)` for each field of an operation's struct.
template <class T, class Visit> void forEachField(T &operation, Visit &&visit) {
  std::apply(
      [&](const auto &...field) {
        (visit(field.name, operation.*field.member), ...);
      },
      std::remove_const_t<T>::fields);
}

template <class T> inline constexpr bool isOptional = false;
template <class T> inline constexpr bool isOptional<std::optional<T>> = true;
template <class T> inline constexpr bool isOptional<Rare<T>> = true;
/// True for the types of operands; all else are attributes.
template <class T>
inline constexpr bool isViews =
    std::is_same_v<T, View> || std::is_same_v<T, Rare<View>> ||
    std::is_same_v<T, Operands>;

/// Calls `visit(view)` for each operand, from left to right. `Op` may be const.
template <class Op, class Visit> void forEachView(Op &op, Visit &&visit) {
  const auto each = [&](std::string_view, auto &field) {
    using T = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<T, View>)
      visit(field);
    else if constexpr (std::is_same_v<T, Rare<View>>) {
      if (field)
        visit(*field);
    } else if constexpr (std::is_same_v<T, Operands>) {
      for (auto &operand : field)
        visit(operand.view);
    }
  };
  std::visit([&](auto &operation) { forEachField(operation, each); },
             op.operation);
}

/// The operand of that number, or null.
inline const View *viewAt(const Op &op, std::size_t number) {
  const View *found = nullptr;
  forEachView(op, [&](const View &view) {
    if (number-- == 0)
      found = &view;
  });
  return found;
}

template <class Test> bool anyView(const Op &op, Test &&test) {
  bool any = false;
  forEachView(op, [&](const View &view) { any = any || test(view); });
  return any;
}

/// Calls `visit(index)` for each attribute that is an index expression.
template <class Op, class Visit> void forEachIndex(Op &op, Visit &&visit) {
  const auto each = [&](std::string_view, auto &field) {
    using T = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<T, IndexRef>)
      visit(field);
    else if constexpr (std::is_same_v<T, CallFields>)
      for (auto &[name, attribute] : field)
        if (auto *index = std::get_if<IndexRef>(&attribute))
          visit(*index);
  };
  std::visit([&](auto &operation) { forEachField(operation, each); },
             op.operation);
}

/// An operand called x_index lists rows or elements of operand x (of the last
/// one if x is a list). Calls `visit` with the positions of each such pair.
template <class Visit>
void forEachIndexed(const InstructionCall &call, Visit &&visit) {
  constexpr std::string_view suffix = "_index";
  const Operands &operands = call.operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string_view name = operands[i].name;
    if (!name.ends_with(suffix))
      continue;
    for (std::size_t k = operands.size(); k-- > 0;)
      if (operands[k].name == name.substr(0, name.size() - suffix.size())) {
        visit(i, k);
        break;
      }
  }
}
/// Is there an operand that lists the rows or elements of this one?
inline bool isIndexed(const InstructionCall &call, std::size_t operand) {
  bool found = false;
  forEachIndexed(call, [&](std::size_t, std::size_t indexed) {
    found = found || indexed == operand;
  });
  return found;
}

} // namespace kiln::program

#endif // KILN_PROGRAM_VISIT_H

//===- Attributes.h - Fields of operations as attributes in the text ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each type that a field can have: its attribute, the way back, and what a
// message calls it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_PROGRAM_ATTRIBUTES_H
#define KILN_DSL_LIB_PROGRAM_ATTRIBUTES_H

#include "kiln/program_fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace kiln::program::detail {

using List = std::vector<std::int64_t>;

/// The types that an attribute has itself.
template <class T>
inline constexpr bool isAttribute =
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, Real> ||
    std::is_same_v<T, std::string> || std::is_same_v<T, List> ||
    std::is_same_v<T, IndexRef>;

template <class T> Attribute toAttribute(const T &field) {
  if constexpr (isAttribute<T>) {
    return field;
  } else if constexpr (std::is_same_v<T, bool>) {
    return std::int64_t{field};
  } else if constexpr (std::is_same_v<T, Operator>) {
    return std::string(name(field));
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(isa::name(field));
  } else if constexpr (std::is_same_v<T, Place>) {
    return List{field.scope, field.number};
  } else {
    static_assert(std::is_same_v<T, std::vector<Tokens>>);
    List list;
    for (const Tokens &tokens : field) {
      list.push_back(tokens.semaphore);
      list.push_back(tokens.count);
    }
    return list;
  }
}

/// None if the attribute is of another type, or has no such case.
template <class T> std::optional<T> fromAttribute(const Attribute &attribute) {
  const auto *text = std::get_if<std::string>(&attribute);
  const auto *list = std::get_if<List>(&attribute);
  if constexpr (isAttribute<T>) {
    const T *found = std::get_if<T>(&attribute);
    return found ? std::optional(*found) : std::nullopt;
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto *number = std::get_if<std::int64_t>(&attribute);
    if (!number || (*number != 0 && *number != 1))
      return std::nullopt;
    return *number == 1;
  } else if constexpr (std::is_same_v<T, Operator>) {
    return text ? parseOperator(*text) : std::nullopt;
  } else if constexpr (std::is_same_v<T, DType>) {
    return text ? isa::parseDType(*text) : std::nullopt;
  } else if constexpr (std::is_enum_v<T>) {
    return text ? isa::parse<T>(*text) : std::nullopt;
  } else if constexpr (std::is_same_v<T, Place>) {
    if (!list || list->size() != 2)
      return std::nullopt;
    return Place{list->front(), list->back()};
  } else {
    static_assert(std::is_same_v<T, std::vector<Tokens>>);
    if (!list || list->size() % 2 != 0)
      return std::nullopt;
    std::vector<Tokens> all;
    for (std::size_t i = 0; i < list->size(); i += 2)
      all.push_back({(*list)[i], (*list)[i + 1]});
    return all;
  }
}

/// "attribute 'x' must be ..."
template <class T> constexpr std::string_view describe() {
  if constexpr (std::is_same_v<T, std::int64_t>)
    return "an integer";
  else if constexpr (std::is_same_v<T, Real>)
    return "a number with a point or an exponent";
  else if constexpr (std::is_same_v<T, std::string>)
    return "a quoted text";
  else if constexpr (std::is_same_v<T, List>)
    return "a list of integers";
  else if constexpr (std::is_same_v<T, IndexRef>)
    return "an index expression";
  else if constexpr (std::is_same_v<T, bool>)
    return "0 or 1";
  else if constexpr (std::is_same_v<T, DType>)
    return "the name of an element type";
  else if constexpr (std::is_same_v<T, isa::ActivationFunction>)
    return "the name of a function";
  else if constexpr (std::is_same_v<T, isa::AluOp> ||
                     std::is_same_v<T, Operator>)
    return "the name of an operator";
  else if constexpr (std::is_same_v<T, Place>)
    return "a list of a no_reorder and a place in it";
  else
    return "a list of pairs, semaphore and tokens";
}

} // namespace kiln::program::detail

#endif // KILN_DSL_LIB_PROGRAM_ATTRIBUTES_H

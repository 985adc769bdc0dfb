//===- FieldReader.h - Operands and attributes of an operation's text -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_PROGRAM_FIELDREADER_H
#define KILN_DSL_LIB_PROGRAM_FIELDREADER_H

#include "Attributes.h"
#include "Scanner.h"

#include "kiln/program_visit.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::program {
namespace detail {

/// Reads attributes by their form; then the fields of the operation's struct
/// take theirs.
class FieldReader : protected Scanner {
protected:
  explicit FieldReader(std::string_view text) : Scanner(text) {}

  Id indexId() {
    expect('#');
    return id();
  }
  struct Given {
    std::string key;
    Attribute attribute;
    std::size_t at = 0;
    bool isTaken = false;
  };
  std::vector<Given> attributes() {
    std::vector<Given> given;
    for (std::string_view key = peekWord();
         !key.empty() && key != "named" && attributeFollows(key);
         key = peekWord()) {
      const std::size_t where = at;
      at += key.size();
      expect('=');
      Attribute value = attribute();
      for (const Given &other : given)
        if (other.key == key)
          fail("KILN-P002",
               "attribute '" + std::string(key) + "' is given twice");
      given.push_back({std::string(key), std::move(value), where});
      if (!accept(','))
        break;
    }
    return given;
  }
  /// Fills in the fields that the text gives.
  void readOp(Op &op, OpKind kind, std::vector<View> &views,
              std::vector<Given> &given) {
    op.operation = operationOf(kind);
    // First the fields of all operations: an instruction takes the rest.
    forEachField(op.order, [&](std::string_view key, auto &field) {
      if (const Given *found = take(given, key))
        readAttribute(name(kind), *found, field);
    });
    std::visit([&](auto &operation) { readFields(operation, views, given); },
               op.operation);
  }

private:
  Attribute attribute() {
    skip();
    const char c = at < text.size() ? text[at] : '\0';
    if (c == '"')
      return string();
    if (c == '[')
      return list();
    if (c == '#')
      return IndexRef{indexId()};
    std::size_t end = at;
    while (end < text.size() &&
           (isWord(text[end]) || text[end] == '-' || text[end] == '+'))
      ++end;
    const std::string_view token = text.substr(at, end - at);
    if (token.find_first_not_of("-0123456789") == std::string_view::npos)
      return integer();
    double value = 0;
    const auto [last, error] =
        std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || last != token.data() + token.size())
      failExpected("a value");
    at = end;
    return value;
  }

  bool attributeFollows(std::string_view key) const {
    const std::size_t next = text.find_first_not_of(" \t", at + key.size());
    return next != std::string_view::npos && text[next] == '=';
  }

  static const Given *take(std::vector<Given> &given, std::string_view key) {
    for (Given &candidate : given)
      if (!candidate.isTaken && candidate.key == key) {
        candidate.isTaken = true;
        return &candidate;
      }
    return nullptr;
  }

  template <std::size_t... I>
  static Operation operationAt(std::size_t number, std::index_sequence<I...>) {
    Operation result;
    ((I == number ? void(result.emplace<I>()) : void()), ...);
    return result;
  }
  static Operation operationOf(OpKind kind) {
    return operationAt(
        static_cast<std::size_t>(kind),
        std::make_index_sequence<std::variant_size_v<Operation>>());
  }

  template <class T>
  void readAttribute(std::string_view operation, const Given &given, T &field) {
    if constexpr (isOptional<T>) {
      readAttribute(operation, given, field.emplace());
    } else if (auto value = fromAttribute<T>(given.attribute)) {
      field = std::move(*value);
    } else {
      at = given.at;
      fail("KILN-P010", "attribute '" + given.key + "' of " +
                            std::string(operation) + " must be " +
                            std::string(describe<T>()));
    }
  }

  /// The operands and attributes of one operation.
  template <class T>
  void readFields(T &operation, std::vector<View> &views,
                  std::vector<Given> &given) {
    std::size_t next = 0, least = 0, most = 0;
    forEachField(operation, [&](std::string_view key, auto &field) {
      using F = std::remove_cvref_t<decltype(field)>;
      if constexpr (std::is_same_v<F, CallFields>) {
        for (Given &rest : given)
          if (!std::exchange(rest.isTaken, true))
            field.emplace(std::move(rest.key), std::move(rest.attribute));
      } else if constexpr (std::is_same_v<F, Operands>) {
        std::string names;
        if (const Given *found = take(given, key))
          readAttribute(T::name, *found, names);
        else
          failLacking(T::name, key);
        least = most = views.size();
        readOperands(T::name, names, views, field);
      } else if constexpr (isViews<F>) {
        least += std::is_same_v<F, View>;
        if (++most <= views.size())
          field = std::move(views[next++]);
      } else if (const Given *found = take(given, key)) {
        readAttribute(T::name, *found, field);
      } else if constexpr (!isOptional<F>) {
        failLacking(T::name, key);
      }
    });
    if (views.size() < least || views.size() > most)
      fail("KILN-P010",
           std::string(T::name) + " has " + std::to_string(views.size()) +
               " operands, but it takes " + std::to_string(least) +
               (least == most ? "" : " or " + std::to_string(most)));
    for (const Given &rest : given)
      if (!rest.isTaken) {
        at = rest.at;
        fail("KILN-P010",
             std::string(T::name) + " has no attribute '" + rest.key + "'");
      }
  }
  [[noreturn]] void failLacking(std::string_view operation,
                                std::string_view key) {
    fail("KILN-P010", std::string(operation) + " lacks attribute '" +
                          std::string(key) + "'");
  }
  /// `names` are separated by commas.
  void readOperands(std::string_view operation, std::string_view names,
                    std::vector<View> &views, Operands &operands) {
    std::vector<std::string> list;
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(','), names.size());
      std::string one(names.substr(0, end));
      std::erase(one, ' ');
      if (!one.empty())
        list.push_back(std::move(one));
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    if (list.size() != views.size())
      fail("KILN-P010", std::string(operation) + " names " +
                            std::to_string(list.size()) + " operands and has " +
                            std::to_string(views.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      operands.push_back({std::move(list[i]), std::move(views[i])});
  }
};

} // namespace detail
} // namespace kiln::program

#endif // KILN_DSL_LIB_PROGRAM_FIELDREADER_H

//===- OperandKinds.cpp - What the records say of a kind ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandKinds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <optional>

using namespace llvm;

namespace kiln::tblgen {
namespace {

const Record &kindOf(const Record &operand) {
  return *operand.getValueAsDef("Kind");
}

/// The language's type of a tile or tensor.
std::string callTile(const Record &operand, bool isList) {
  const std::vector<StringRef> spaces =
      operand.getValueAsListOfStrings("Spaces");
  const bool inHbm = is_contained(spaces, "hbm");
  const bool isRead =
      operand.getValueAsDef("Access")->getValueAsString("Name") == "read";
  if (isList)
    return isRead ? "Sources" : "Targets";
  return isRead  ? inHbm ? "Source" : "TileSource"
         : inHbm ? "Target"
                 : "TileTarget";
}

/// The replacement of the word after a '$', or nothing if there is no such
/// word.
std::optional<std::string> meaningOf(StringRef word, const Record &operand) {
  const StringRef name = operand.getValueAsString("Name");
  const StringRef init = operand.getValueAsString("Default");
  if (word.consume_front("get"))
    // As ODS names its getters: "on_true_tile" has getOnTrueTile.
    return "get" + convertToCamelFromSnakeCase((name + word).str(), true) +
           "()";
  if (word.consume_front("name"))
    return (name + word).str();
  if (word == "field")
    return ("body." + name).str();
  if (word.consume_front("enum"))
    return (operand.getValueAsString("EnumName") + word).str();
  if (word == "lowerenum")
    return operand.getValueAsString("EnumName").lower();
  if (word == "required")
    return init.empty() ? "true" : "false";
  if (word == "tile" || word == "tiles")
    return callTile(operand, word == "tiles");
  return std::nullopt;
}

std::string expand(StringRef text, const Record &operand) {
  std::string result;
  while (!text.empty()) {
    const auto [before, after] = text.split('$');
    result += before;
    if (before.size() == text.size())
      break;
    const StringRef word =
        after.take_while([](char c) { return isAlnum(c) || c == '_'; });
    if (word.empty()) { // "$$name": the first one stays.
      result += '$';
      text = after;
      continue;
    }
    const auto meaning = meaningOf(word, operand);
    if (!meaning)
      PrintFatalError(&kindOf(operand), "nothing is called $" + word);
    result += *meaning;
    text = after.drop_front(word.size());
  }
  return result;
}

} // namespace

std::string kindName(const Record &kind) {
  StringRef name = kind.getName();
  name.consume_back("Kind");
  return name.str();
}

std::string kindText(const Record &operand, StringRef field) {
  return expand(kindOf(operand).getValueAsString(field), operand);
}

std::vector<std::string> kindTexts(const Record &operand, StringRef field) {
  std::vector<std::string> result;
  for (StringRef text : kindOf(operand).getValueAsListOfStrings(field))
    result.push_back(expand(text, operand));
  return result;
}

bool kindBit(const Record &operand, StringRef field) {
  return kindOf(operand).getValueAsBit(field);
}

} // namespace kiln::tblgen

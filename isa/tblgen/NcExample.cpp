//===- NcExample.cpp - An example of an `nc` operation --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The example of an operation is the record's line of assembly in the syntax
// of the dialect, so there is one example of each instruction. A test parses
// and prints all of them.
//
//===----------------------------------------------------------------------===//

#include "NcExample.h"

#include "OperandKinds.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

namespace kiln::tblgen {
namespace {

/// The parts between commas that no bracket holds.
SmallVector<StringRef> split(StringRef text) {
  SmallVector<StringRef> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' || text[i] == '(';
    depth -= text[i] == ']' || text[i] == ')';
    if (text[i] != ',' || depth != 0)
      continue;
    parts.push_back(text.slice(begin, i).trim());
    begin = i + 1;
  }
  parts.push_back(text.drop_front(begin).trim());
  return parts;
}

/// Without the brackets around it.
StringRef inner(StringRef text) { return text.drop_front().drop_back(); }

/// An element type as MLIR writes it.
std::string mlirType(StringRef type) {
  if (type.consume_back("_x4"))
    return "vector<4x" + mlirType(type) + ">";
  if (type == "boolean")
    return "i1";
  if (type == "f8e8m0")
    return "f8E8M0FNU";
  if (type.starts_with("u"))
    return ("ui" + type.drop_front()).str();
  if (type.starts_with("f8") || type.starts_with("f4"))
    return type.take_front(2).str() + type.drop_front(2).upper();
  return type.str();
}

/// "sbuf[p0:128, 0x0: bf16 4x128, 128x1]" is !nc.view<128x4x128xbf16, sbuf>.
std::string viewType(StringRef pattern) {
  auto [space, rest] = pattern.split('[');
  auto [place, shape] = rest.drop_back().rsplit(": ");
  auto [type, dims] = shape.split(' ');
  std::string text = "!nc.view<";
  if (space != "hbm") {
    auto [first, end] = place.drop_front().split(',').first.split(':');
    unsigned from = 0, to = 0;
    first.getAsInteger(10, from);
    end.getAsInteger(10, to);
    text += std::to_string(to - from) + "x";
  }
  if (dims.empty())
    text += "1x";
  else
    for (StringRef dim : split(dims))
      text += dim.split('x').first.str() + "x";
  return text + mlirType(type) + ", " + space.str() + ">";
}

bool isPattern(StringRef value) {
  return value.starts_with("hbm[") || value.starts_with("sbuf[") ||
         value.starts_with("psum[");
}

std::string numberText(StringRef value) {
  if (value == "-inf")
    return "0xFF800000 : f32";
  return (value + (value.contains('.') ? " : f32" : " : i32")).str();
}

std::string array(StringRef type, StringRef list) {
  return ("array<" + type + ": " + inner(list) + ">").str();
}

/// One line of assembly, as operands and attributes of an operation.
class Example {
public:
  std::string text(const Record &record) {
    auto [mnemonic, rest] = record.getValueAsString("Example").split(' ');
    for (StringRef part : split(rest)) {
      auto [key, value] = part.split('=');
      if (part.starts_with("wait ") || part.starts_with("signal "))
        continue;
      given.push_back({key, value});
    }
    for (const Record *operand : record.getValueAsListOfDefs("Operands")) {
      const StringRef name = operand->getValueAsString("Name");
      const std::string form = kindText(*operand, "Example");
      bool found = false;
      for (auto [key, value] : given)
        if (key == name) {
          add(*operand, name, form, value);
          found = true;
        }
      if (!found && form == "views")
        operands.push_back((name + "( : )").str());
    }
    std::string result = ("nc." + mnemonic).str();
    for (const std::string &operand : operands)
      result += " " + operand + "\n     ";
    return result + " {" + join(attributes, ", ") + "}";
  }

private:
  void add(const Record &operand, StringRef name, StringRef form,
           StringRef value) {
    auto attribute = [&](StringRef suffix, const Twine &text) {
      attributes.push_back((name + suffix + " = " + text).str());
    };
    if (isPattern(value)) {
      operands.push_back(
          (name + "(%" + name + " : " + viewType(value) + ")").str());
    } else if (form == "views") {
      addList(name, inner(value));
    } else if (form == "suffixedNumber") {
      attribute("_value", numberText(value));
    } else if (form == "enum") {
      const StringRef type = operand.getValueAsString("EnumName");
      attribute("",
                "#nc." + convertToSnakeFromCamelCase(type) + "<" + value + ">");
    } else if (form == "flag") {
      attribute("", value.empty() ? "true" : value);
    } else if (form == "list") {
      attribute("", array("i32", value));
    } else if (form == "lists") {
      SmallVector<std::string> lists;
      for (StringRef list : split(inner(value)))
        lists.push_back(array("i32", list));
      attribute("", "[" + join(lists, ", ") + "]");
    } else if (form == "pattern") {
      SmallVector<StringRef> sizes, steps;
      for (StringRef dim : split(inner(value.substr(value.find('['))))) {
        sizes.push_back(dim.split('x').first);
        steps.push_back(dim.split('x').second);
      }
      attribute("_sizes", "array<i64: " + join(sizes, ", ") + ">");
      attribute("_steps", "array<i64: " + join(steps, ", ") + ">");
    } else if (form == "register" && value.starts_with("r")) {
      operands.push_back((name + "_index(%" + name + ")").str());
    } else {
      attribute("", numberText(value));
    }
  }

  void addList(StringRef name, StringRef patterns) {
    SmallVector<std::string> values, types;
    for (StringRef pattern : split(patterns)) {
      values.push_back(("%" + name + "_" + Twine(values.size())).str());
      types.push_back(viewType(pattern));
    }
    operands.push_back(
        (name + "(" + join(values, ", ") + " : " + join(types, ", ") + ")")
            .str());
  }

  SmallVector<std::pair<StringRef, StringRef>> given;
  SmallVector<std::string> operands, attributes;
};

} // namespace

std::string ncExample(const Record &record) { return Example().text(record); }

} // namespace kiln::tblgen

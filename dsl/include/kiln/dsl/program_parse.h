//===- program_parse.h - Parses the text of a Program ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hand-written recursive descent over characters. Errors are thrown inside
// the parser and leave it as a value. Ids are limited to 2^24 and nesting to
// 256, so that a hostile text cannot exhaust memory or stack.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_PROGRAM_PARSE_H
#define KILN_DSL_PROGRAM_PARSE_H

#include "kiln/dsl/program_names.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::program {

struct ParseError {
  std::string code; ///< KILN-P001 syntax, KILN-P002 definitions, KILN-P003
                    ///< limits.
  std::string text;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Either a program or an error.
struct ParseResult {
  std::optional<Program> program;
  ParseError error;
  explicit operator bool() const { return program.has_value(); }
};

namespace detail {

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Program parse() {
    expectWord("kiln.program");
    if (const std::int64_t version = integer(); version != 1)
      fail("KILN-P001", "program text has version " + std::to_string(version) +
                            ", this reader knows version 1");
    expectWord("kernel");
    program.kernel = string();
    while (acceptWord("parameter")) {
      Parameter parameter;
      parameter.name = string();
      expect('=');
      parameter.value = string();
      program.parameters.push_back(std::move(parameter));
    }
    expectWord("flops");
    program.flops = integer();
    while (parseArgument() || parseValue())
      ;
    while (accept('#'))
      parseIndex();
    while (accept('!'))
      parseLocation();
    expectWord("body");
    program.body = block(0);
    skip();
    if (at < text.size())
      fail("KILN-P001", "text continues after the end of the body");
    for (std::size_t i = 0; i < defined.size(); ++i)
      if (!defined[i])
        fail("KILN-P002",
             "value %" + std::to_string(i) + " is used but nowhere defined");
    return std::move(program);
  }

private:
  static constexpr std::int64_t maxId = 1 << 24;
  static constexpr unsigned maxDepth = 256;

  [[noreturn]] void fail(std::string code, std::string message) {
    std::uint32_t line = 1, column = 1;
    for (std::size_t i = 0; i < at && i < text.size(); ++i) {
      ++column;
      if (text[i] == '\n') {
        ++line;
        column = 1;
      }
    }
    throw ParseError{std::move(code), std::move(message), line, column};
  }

  [[noreturn]] void failExpected(std::string_view what) {
    std::string found = "the end of the text";
    if (at < text.size()) {
      const std::size_t end = text.find_first_of(" \t\r\n", at);
      found = "'" +
              std::string(text.substr(
                  at, std::min<std::size_t>(
                          end == std::string_view::npos ? 20 : end - at, 20))) +
              "'";
    }
    fail("KILN-P001", "expected " + std::string(what) + ", found " + found);
  }

  void skip() {
    while (at < text.size()) {
      const char c = text[at];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at;
      } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
        while (at < text.size() && text[at] != '\n')
          ++at;
      } else {
        return;
      }
    }
  }

  bool accept(char c) {
    skip();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      failExpected(std::string("'") + c + "'");
  }

  static bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '.';
  }
  std::string_view peekWord() {
    skip();
    std::size_t end = at;
    while (end < text.size() && isWord(text[end]))
      ++end;
    return text.substr(at, end - at);
  }
  std::string_view word(std::string_view what) {
    const std::string_view result = peekWord();
    if (result.empty())
      failExpected(what);
    at += result.size();
    return result;
  }
  bool acceptWord(std::string_view wanted) {
    if (peekWord() != wanted)
      return false;
    at += wanted.size();
    return true;
  }
  void expectWord(std::string_view wanted) {
    if (!acceptWord(wanted))
      failExpected("'" + std::string(wanted) + "'");
  }

  std::int64_t integer() {
    skip();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
      fail("KILN-P003", "the number does not fit 64 bits");
    if (error != std::errc())
      failExpected("an integer");
    at = static_cast<std::size_t>(end - text.data());
    return value;
  }
  Id id() {
    const std::int64_t value = integer();
    if (value < 0 || value >= maxId)
      fail("KILN-P003", "number " + std::to_string(value) +
                            " is outside 0 to " + std::to_string(maxId - 1));
    return static_cast<Id>(value);
  }

  unsigned hexDigit() {
    if (at < text.size()) {
      const char c = text[at++];
      if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f')
        return static_cast<unsigned>(c - 'a' + 10);
      --at;
    }
    failExpected("a hexadecimal digit");
  }

  std::string string() {
    skip();
    if (at >= text.size() || text[at] != '"')
      failExpected("a quoted text");
    ++at;
    std::string result;
    while (at < text.size() && text[at] != '"' && text[at] != '\n') {
      char c = text[at++];
      if (c == '\\' && at < text.size()) {
        c = text[at++];
        if (c == 'x') {
          const unsigned high = hexDigit();
          c = static_cast<char>(high * 16 + hexDigit());
        } else if (c != '"' && c != '\\') {
          fail("KILN-P001", "unknown escape in a quoted text");
        }
      }
      result += c;
    }
    if (at >= text.size() || text[at] != '"')
      fail("KILN-P001", "a quoted text does not end on its line");
    ++at;
    return result;
  }

  std::vector<std::int64_t> list() {
    std::vector<std::int64_t> result;
    expect('[');
    if (accept(']'))
      return result;
    do
      result.push_back(integer());
    while (accept(','));
    expect(']');
    return result;
  }

  template <class Enum, std::size_t N>
  Enum enumerator(const std::array<std::string_view, N> &names,
                  std::string_view what) {
    skip();
    const std::size_t start = at;
    const auto result = parseName<Enum>(names, word(what));
    if (!result) {
      at = start;
      failExpected(what);
    }
    return *result;
  }
  DType dtype() {
    skip();
    const std::size_t start = at;
    const auto result = isa::parseDType(word("an element type"));
    if (!result) {
      at = start;
      failExpected("an element type");
    }
    return *result;
  }

  void require(Id id) {
    if (id >= defined.size()) {
      defined.resize(id + 1, false);
      program.values.resize(id + 1);
    }
  }
  Id valueId() {
    expect('%');
    const Id result = id();
    require(result);
    return result;
  }
  void define(Id id) {
    Value value;
    value.kind = enumerator<ValueKind>(valueKindNames, "a kind of value");
    value.dtype = dtype();
    value.space = enumerator<isa::Space>(isa::spaceNames, "a memory");
    value.shape = list();
    value.name = string();
    if (defined[id])
      fail("KILN-P002", "value %" + std::to_string(id) + " is defined twice");
    defined[id] = true;
    program.values[id] = std::move(value);
  }

  bool parseArgument() {
    if (!acceptWord("argument"))
      return false;
    Argument argument;
    argument.kind =
        enumerator<ArgumentKind>(argumentKindNames, "input, output or inout");
    argument.value = valueId();
    if (accept(':'))
      define(argument.value);
    program.arguments.push_back(argument);
    return true;
  }
  bool parseValue() {
    if (!acceptWord("value"))
      return false;
    const Id value = valueId();
    expect(':');
    define(value);
    return true;
  }

  Id indexId() {
    expect('#');
    return id();
  }
  void parseIndex() {
    if (id() != program.indices.size())
      fail("KILN-P002", "index expressions must be numbered in order");
    expect('=');
    IndexNode node;
    skip();
    if (accept('%')) {
      node.kind = IndexKind::variable;
      node.lhs = id();
      require(node.lhs);
    } else if (const bool least = acceptWord("min");
               least || acceptWord("max")) {
      node.kind = least ? IndexKind::minimum : IndexKind::maximum;
      node.lhs = indexId();
      expect(',');
      node.rhs = indexId();
    } else if (at < text.size() && text[at] == '#') {
      node.lhs = indexId();
      if (accept('+')) {
        node.kind = IndexKind::add;
        node.rhs = indexId();
      } else {
        if (accept('*'))
          node.kind = IndexKind::multiply;
        else if (accept('/'))
          node.kind = IndexKind::floorDivide;
        else if (accept('%'))
          node.kind = IndexKind::modulo;
        else
          failExpected("one of + * / %");
        node.value = integer();
      }
    } else {
      node.value = integer();
    }
    program.indices.push_back(node);
  }

  void parseLocation() {
    if (id() != program.locations.size())
      fail("KILN-P002", "locations must be numbered in order");
    expect('=');
    Location location;
    location.file = string();
    expect(':');
    location.line = static_cast<std::uint32_t>(integer());
    expect(':');
    location.column = static_cast<std::uint32_t>(integer());
    location.scopes = string();
    program.locations.push_back(std::move(location));
  }

  View view() {
    View result;
    result.value = valueId();
    if (!accept('[')) {
      if (!defined[result.value])
        fail("KILN-P002", "value %" + std::to_string(result.value) +
                              " is used before its definition");
      return wholeView(program, result.value);
    }
    if (acceptWord("row")) {
      result.row = integer();
      if (accept(','))
        result.offset = indexId();
    } else if (skip(); at < text.size() && text[at] == '#') {
      result.offset = indexId();
    }
    expect(':');
    if (skip(); at < text.size() && text[at] != ']' && text[at] != 'a') {
      do {
        result.sizes.push_back(integer());
        expect('*');
        result.strides.push_back(integer());
      } while (accept(','));
    }
    result.dtype =
        acceptWord("as") ? dtype() : program.values[result.value].dtype;
    expect(']');
    return result;
  }

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

  Op operation(unsigned depth) {
    Op op;
    if (accept('%')) {
      op.result = id();
      require(op.result);
      expect(':');
      define(op.result);
      expect('=');
    }
    op.kind = enumerator<OpKind>(opKindNames, "an operation");
    expect('(');
    if (!accept(')')) {
      do
        op.operands.push_back(view());
      while (accept(','));
      expect(')');
    }
    for (std::string_view key = peekWord();
         !key.empty() && key != "named" && attributeFollows(key);
         key = peekWord()) {
      at += key.size();
      expect('=');
      if (!op.attributes.emplace(std::string(key), attribute()).second)
        fail("KILN-P002",
             "attribute '" + std::string(key) + "' is given twice");
      if (!accept(','))
        break;
    }
    if (acceptWord("named"))
      op.name = string();
    if (accept('!'))
      op.location = id();
    skip();
    if (at < text.size() && text[at] == '{')
      op.body = block(depth + 1);
    return op;
  }

  bool attributeFollows(std::string_view key) const {
    const std::size_t next = text.find_first_not_of(" \t", at + key.size());
    return next != std::string_view::npos && text[next] == '=';
  }

  std::vector<Op> block(unsigned depth) {
    if (depth > maxDepth)
      fail("KILN-P003", "loops are nested deeper than 256");
    std::vector<Op> ops;
    expect('{');
    while (!accept('}'))
      ops.push_back(operation(depth));
    return ops;
  }

  std::string_view text;
  std::size_t at = 0;
  Program program;
  std::vector<bool> defined;
};

} // namespace detail

inline ParseResult parseProgram(std::string_view text) {
  try {
    return ParseResult{detail::Parser(text).parse(), {}};
  } catch (ParseError &error) {
    return ParseResult{std::nullopt, std::move(error)};
  }
}

} // namespace kiln::program

#endif // KILN_DSL_PROGRAM_PARSE_H

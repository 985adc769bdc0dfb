//===- Parse.cpp - Parses the text of a Program ---------------------===//
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

#include "FieldReader.h"
#include "kiln/isa/kind_names.h"
#include "kiln/program_text.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::program {

namespace detail {

class Parser : FieldReader {
public:
  explicit Parser(std::string_view text) : FieldReader(text) {}

  Program parse() {
    expectWord("kiln.program");
    if (const std::int64_t version = integer(); version != 1)
      fail("KILN-P001", "program text has version <|" +
                            std::to_string(version) +
                            "|>, this reader supports version [|1|]");
    expectWord("kernel");
    program.kernel = string();
    while (acceptWord("parameter")) {
      Parameter parameter;
      parameter.name = string();
      expect('=');
      parameter.value = string();
      program.parameters.push_back(std::move(parameter));
    }
    if (acceptWord("core")) {
      program.core = id();
      expectWord("of");
      program.cores = id();
    }
    if (acceptWord("generation"))
      program.generation =
          static_cast<isa::Generation>(std::min(id(), std::uint32_t{255}));
    expectWord("flops");
    program.flops = integer();
    if (acceptWord("tokens"))
      program.tokens = integer();
    program.hasParts = acceptWord("parts");
    if (acceptWord("schedule"))
      program.schedule = string();
    while (acceptWord("semaphore"))
      program.semaphores.push_back(string());
    while (acceptWord("memory_scope"))
      parseMemoryScope();
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
             "value %" + std::to_string(i) + " is used but never defined");
    return std::move(program);
  }

private:
  static constexpr unsigned maxDepth = 256;

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
    value.shared = acceptWord("shared");
    if (defined[id])
      fail("KILN-P002", "value %" + std::to_string(id) + " is defined twice");
    defined[id] = true;
    program.values[id] = std::move(value);
  }

  void parseMemoryScope() {
    MemoryScope scope;
    const auto limit = [this](std::optional<MemoryScope::Limit> &made) {
      made.emplace();
      made->name = string();
      made->begin = integer();
      made->end = integer();
    };
    if (acceptWord("sbuf"))
      limit(scope.sbuf);
    if (acceptWord("psum"))
      limit(scope.psum);
    program.memoryScopes.push_back(std::move(scope));
  }

  bool parseArgument() {
    if (!acceptWord("argument"))
      return false;
    Argument argument;
    argument.kind = enumerator<ArgumentKind>("input, output or inout");
    argument.value = valueId();
    if (accept(':'))
      define(argument.value);
    if (acceptWord("random"))
      argument.deviation = number();
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

  /// "FILE":LINE.
  CallSite fileAndLine() {
    std::string file = string();
    expect(':');
    const std::int64_t line = integer();
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    if (line < 0 || line > most)
      fail("KILN-P003", "line <|" + std::to_string(line) +
                            "|> is outside [|0 to " + std::to_string(most) +
                            "|]");
    return {std::move(file), static_cast<std::uint32_t>(line)};
  }
  void parseLocation() {
    if (id() != program.locations.size())
      fail("KILN-P002", "locations must be numbered in order");
    expect('=');
    Location location;
    CallSite own = fileAndLine();
    location.file = std::move(own.file);
    location.line = own.line;
    location.scopes = string();
    if (acceptWord("from"))
      do
        location.callers.push_back(fileAndLine());
      while (accept(','));
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

  Op operation(unsigned depth) {
    Op op;
    if (accept('%')) {
      op.result = id();
      require(op.result);
      expect(':');
      define(op.result);
      expect('=');
    }
    skip();
    const std::size_t start = at;
    const auto kind = enumerator<OpKind>(opKindNames, "an operation");
    std::vector<View> views;
    expect('(');
    if (!accept(')')) {
      do
        views.push_back(view());
      while (accept(','));
      expect(')');
    }
    std::vector<Given> given = attributes();
    const std::size_t behind = std::exchange(at, start);
    readOp(op, kind, views, given);
    at = behind;
    if (acceptWord("named"))
      op.name = string();
    if (accept('!'))
      op.location = id();
    skip();
    if (at < text.size() && text[at] == '{')
      op.body = block(depth + 1);
    return op;
  }

  std::vector<Op> block(unsigned depth) {
    if (depth > maxDepth)
      fail("KILN-P003", "loops are nested deeper than [|256|]");
    std::vector<Op> ops;
    expect('{');
    while (!accept('}'))
      ops.push_back(operation(depth));
    return ops;
  }

  Program program;
  std::vector<bool> defined;
};

} // namespace detail

ParseResult parseProgram(std::string_view text) {
  try {
    return ParseResult{detail::Parser(text).parse(), {}};
  } catch (isa::Diagnostic &error) {
    return ParseResult{std::nullopt, std::move(error)};
  }
}

} // namespace kiln::program

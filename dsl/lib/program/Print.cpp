//===- Print.cpp - Prints a Program ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

#include "kiln/isa/kind_names.h"
#include "kiln/program_names.h"
#include "kiln/program_text.h"
#include "kiln/program_visit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace kiln::program {
namespace detail {

/// The attributes of an operation as its fields give them, by name.
class AttributeList {
public:
  explicit AttributeList(const Op &op) {
    const auto each = [this](std::string_view name, const auto &field) {
      collect(name, field);
    };
    std::visit([&](const auto &operation) { forEachField(operation, each); },
               op.operation);
    forEachField(op.order, each);
    std::sort(list.begin(), list.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
  }
  std::vector<std::pair<std::string_view, Attribute>> list;

private:
  template <class T> void collect(std::string_view name, const T &field) {
    if constexpr (std::is_same_v<T, Operands>) {
      std::string names;
      for (const Operand &operand : field)
        names += (names.empty() ? "" : ",") + operand.name;
      list.emplace_back(name, std::move(names));
    } else if constexpr (std::is_same_v<T, CallFields>) {
      list.insert(list.end(), field.begin(), field.end());
    } else if constexpr (isViews<T>) {
      return; // Between the parentheses.
    } else if constexpr (isOptional<T>) {
      if (field)
        list.emplace_back(name, toAttribute(*field));
    } else if constexpr (std::is_same_v<T, std::vector<Tokens>> ||
                         std::is_same_v<T, List>) {
      if (!field.empty())
        list.emplace_back(name, toAttribute(field));
    } else {
      list.emplace_back(name, toAttribute(field));
    }
  }
};

class Printer {
public:
  Printer(const Program &program, PrintOptions options)
      : program(program), options(options) {}

  std::string print() {
    markDefined(program.body);
    out += "kiln.program 1\nkernel ";
    quote(program.kernel);
    for (const Parameter &parameter : program.parameters) {
      out += "\nparameter ";
      quote(parameter.name);
      out += " = ";
      quote(parameter.value);
    }
    if (program.cores != 1)
      out += "\ncore " + std::to_string(program.core) + " of " +
             std::to_string(program.cores);
    if (program.generation)
      out += "\ngeneration " +
             std::to_string(static_cast<unsigned>(*program.generation));
    out += "\nflops " + std::to_string(program.flops) + "\n";
    if (program.tokens != 0)
      out += "tokens " + std::to_string(program.tokens) + "\n";
    if (program.hasParts)
      out += "parts\n";
    if (!program.schedule.empty()) {
      out += "schedule ";
      quote(program.schedule);
      out += '\n';
    }
    for (const std::string &semaphore : program.semaphores) {
      out += "semaphore ";
      quote(semaphore);
      out += '\n';
    }
    for (const MemoryScope &scope : program.memoryScopes)
      printMemoryScope(scope);
    printValues();
    for (std::size_t i = 0; i < program.indices.size(); ++i)
      printIndex(i);
    if (options.locations)
      for (std::size_t i = 0; i < program.locations.size(); ++i)
        printLocation(i);
    out += "body {\n";
    printBlock(program.body, 1);
    out += "}\n";
    return std::move(out);
  }

private:
  void markDefined(const std::vector<Op> &ops) {
    defined.resize(program.values.size(), false);
    for (const Op &op : ops) {
      if (op.result < defined.size())
        defined[op.result] = true;
      markDefined(op.body);
    }
  }

  void quote(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += '"';
    for (char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (byte < 0x20 || byte == 0x7f) {
        out += "\\x";
        out += digits[byte >> 4];
        out += digits[byte & 15];
      } else {
        out += c;
      }
    }
    out += '"';
  }

  void printList(const std::vector<std::int64_t> &list) {
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i)
      out += (i ? ", " : "") + std::to_string(list[i]);
    out += ']';
  }

  void printMemoryScope(const MemoryScope &scope) {
    out += "memory_scope";
    for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum})
      if (const auto &limit =
              space == isa::Space::sbuf ? scope.sbuf : scope.psum) {
        out += ' ';
        out += name(space);
        out += ' ';
        quote(limit->name);
        out += ' ' + std::to_string(limit->begin) + ' ' +
               std::to_string(limit->end);
      }
    out += '\n';
  }

  void printType(const Value &value) {
    out += name(value.kind);
    out += ' ';
    out += name(value.dtype);
    out += ' ';
    out += name(value.space);
    out += ' ';
    printList(value.shape);
    out += ' ';
    quote(value.name);
    if (value.shared)
      out += " shared";
  }

  void printValues() {
    std::vector<bool> printed(program.values.size(), false);
    for (const Argument &argument : program.arguments) {
      out += "argument ";
      out += name(argument.kind);
      out += " %" + std::to_string(argument.value);
      if (argument.value < printed.size() && !printed[argument.value]) {
        out += " : ";
        printType(program.values[argument.value]);
        printed[argument.value] = true;
      }
      if (argument.deviation != 1) {
        out += " random ";
        printDouble(argument.deviation);
      }
      out += '\n';
    }
    for (std::size_t i = 0; i < program.values.size(); ++i) {
      if (printed[i] || defined[i])
        continue;
      out += "value %" + std::to_string(i) + " : ";
      printType(program.values[i]);
      out += '\n';
    }
  }

  void printIndex(std::size_t id) {
    const IndexNode &node = program.indices[id];
    const std::string lhs = std::to_string(node.lhs);
    const std::string rhs = std::to_string(node.rhs);
    const std::string value = std::to_string(node.value);
    out += '#' + std::to_string(id) + " = ";
    switch (node.kind) {
    case IndexKind::constant:
      out += value;
      break;
    case IndexKind::variable:
      out += '%' + lhs;
      break;
    case IndexKind::add:
      out += '#' + lhs + " + #" + rhs;
      break;
    case IndexKind::multiply:
      out += '#' + lhs + " * " + value;
      break;
    case IndexKind::floorDivide:
      out += '#' + lhs + " / " + value;
      break;
    case IndexKind::modulo:
      out += '#' + lhs + " % " + value;
      break;
    case IndexKind::minimum:
      out += "min #" + lhs + ", #" + rhs;
      break;
    case IndexKind::maximum:
      out += "max #" + lhs + ", #" + rhs;
      break;
    }
    out += '\n';
  }

  void printLocation(std::size_t id) {
    const Location &location = program.locations[id];
    out += '!' + std::to_string(id) + " = ";
    quote(location.file);
    out += ':' + std::to_string(location.line) + ' ';
    quote(location.scopes);
    std::string_view gap = " from ";
    for (const CallSite &caller : location.callers) {
      out += std::exchange(gap, ", ");
      quote(caller.file);
      out += ':' + std::to_string(caller.line);
    }
    out += '\n';
  }

  void printView(const View &view) {
    out += '%' + std::to_string(view.value);
    if (view.value < program.values.size() &&
        view == wholeView(program, view.value))
      return;
    out += '[';
    bool first = true;
    if (view.row != 0) {
      out += "row " + std::to_string(view.row);
      first = false;
    }
    if (view.offset != none) {
      out += (first ? "#" : ", #") + std::to_string(view.offset);
      first = false;
    }
    out += first ? ": " : " : ";
    for (std::size_t i = 0; i < view.sizes.size(); ++i)
      out += (i ? ", " : "") + std::to_string(view.sizes[i]) + '*' +
             std::to_string(view.strides[i]);
    if (view.value >= program.values.size() ||
        view.dtype != program.values[view.value].dtype) {
      out += " as ";
      out += name(view.dtype);
    }
    out += ']';
  }

  void printDouble(double value) {
    if (std::isnan(value)) {
      out += "nan";
      return;
    }
    if (std::isinf(value)) {
      out += value < 0 ? "-inf" : "inf";
      return;
    }
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos)
      out += ".0";
  }

  void printAttribute(const Attribute &attribute) {
    if (const auto *integer = std::get_if<std::int64_t>(&attribute))
      out += std::to_string(*integer);
    else if (const auto *number = std::get_if<Real>(&attribute))
      printDouble(*number);
    else if (const auto *text = std::get_if<std::string>(&attribute))
      quote(*text);
    else if (const auto *list = std::get_if<List>(&attribute))
      printList(*list);
    else
      out += '#' + std::to_string(std::get<IndexRef>(attribute).index);
  }

  void printOp(const Op &op, unsigned depth) {
    out.append(2 * depth, ' ');
    if (op.result != none) {
      out += '%' + std::to_string(op.result);
      if (op.result < program.values.size()) {
        out += " : ";
        printType(program.values[op.result]);
      }
      out += " = ";
    }
    out += name(op.kind());
    out += '(';
    bool first = true;
    forEachView(op, [&](const View &view) {
      out += std::exchange(first, false) ? "" : ", ";
      printView(view);
    });
    out += ')';
    first = true;
    for (const auto &[key, attribute] : AttributeList(op).list) {
      out += std::exchange(first, false) ? " " : ", ";
      out += key;
      out += '=';
      printAttribute(attribute);
    }
    if (!op.name.empty()) {
      out += " named ";
      quote(op.name);
    }
    if (op.location != none && options.locations)
      out += " !" + std::to_string(op.location);
    if (op.is<Loop>() || !op.body.empty()) {
      out += " {\n";
      printBlock(op.body, depth + 1);
      out.append(2 * depth, ' ');
      out += '}';
    }
    out += '\n';
  }

  void printBlock(const std::vector<Op> &ops, unsigned depth) {
    for (const Op &op : ops)
      printOp(op, depth);
  }

  const Program &program;
  PrintOptions options;
  std::vector<bool> defined;
  std::string out;
};

} // namespace detail

std::string printProgram(const Program &program, PrintOptions options) {
  return detail::Printer(program, options).print();
}

} // namespace kiln::program

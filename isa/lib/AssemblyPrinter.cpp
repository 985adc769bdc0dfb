//===- AssemblyPrinter.cpp - Module to text -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/assembly.h"

#include "AssemblyText.h"
#include "kiln/isa/target.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace kiln::isa {
namespace {

using Out = std::back_insert_iterator<std::string>;

bool isWord(std::string_view text) {
  return !text.empty() && isWordStart(text[0]) &&
         std::all_of(text.begin(), text.end(), isWordPart);
}

/// A word as it is, anything else in quotes.
std::string word(std::string_view text) {
  return isWord(text) ? std::string(text) : quote(text);
}

std::string floatText(float value) {
  if (std::isnan(value))
    return std::bit_cast<std::uint32_t>(value) == canonicalNan
               ? "nan"
               : fmt::format("bits({:#x})",
                             std::bit_cast<std::uint32_t>(value));
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value); // shortest that reads back
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string hexOffset(std::int64_t value) {
  if (value >= 0)
    return fmt::format("{:#x}", value);
  return fmt::format("-{:#x}", -static_cast<std::uint64_t>(value));
}

/// Prints the fields of one instruction as `, name=value`, those at their
/// default left out.
class FieldPrinter {
public:
  FieldPrinter(std::string &out, const Module &module)
      : out(out), module(module) {}

  template <class Field>
  void field(std::string_view name, const Field &value,
             const Field &defaultValue, const OperandInfo &info) {
    if constexpr (std::is_same_v<Field, bool>) {
      if (value == defaultValue)
        return;
      begin();
      out += value ? std::string(name) : std::string(name) + "=false";
    } else {
      if (!info.isRequired() && sameBits(value, defaultValue))
        return;
      begin();
      out += name;
      out += '=';
      print(value);
    }
  }

  void begin() {
    out += isFirst ? " " : ", ";
    isFirst = false;
  }

  void print(const Access &access) {
    fmt::format_to(Out(out), "{}[", name(access.space));
    if (access.space == Space::hbm) {
      out += access.tensor < module.tensors.size()
                 ? word(module.tensors[access.tensor].name)
                 : fmt::format("%{}", access.tensor);
      if (access.offset < 0)
        out += " - " + hexOffset(access.offset).substr(1);
      else if (access.offset != 0)
        out += " + " + hexOffset(access.offset);
    } else {
      fmt::format_to(Out(out), "p{}:{}, {}", access.partition,
                     access.partition + access.partitions,
                     hexOffset(access.offset));
    }
    for (unsigned i = 0; i < access.numTerms && i < Access::maxTerms; ++i) {
      const RegisterTerm &term = access.terms[i];
      fmt::format_to(Out(out), " {} r{}*{}", term.scale < 0 ? '-' : '+',
                     term.reg.index, std::abs(std::int64_t{term.scale}));
    }
    fmt::format_to(Out(out), ": {}", name(access.dtype));
    printDims(access.dims.data(),
              std::min<unsigned>(access.rank, access.maxDims), " ");
    out += ']';
  }
  void print(const RegisterOrInt &value) {
    std::visit([&](const auto &field) { print(field); }, value.value);
  }
  void print(Register reg) { fmt::format_to(Out(out), "r{}", reg.index); }
  void print(std::int32_t value) { fmt::format_to(Out(out), "{}", value); }

private:
  void print(float value) { out += floatText(value); }
  void print(const ScalarOrTile &value) {
    if (const auto *integer = std::get_if<std::int32_t>(&value))
      fmt::format_to(Out(out), "int({})", *integer);
    else if (const auto *number = std::get_if<float>(&value))
      print(*number);
    else
      print(std::get<Access>(value));
  }
  template <AnyOptional T> void print(const T &value) {
    if (value)
      print(*value);
  }
  void print(const IndexPattern &pattern) {
    out += "index[";
    printDims(pattern.dims.data(), std::min<unsigned>(pattern.rank, 4), "");
    out += ']';
  }
  template <Composite T> void print(const T &value) {
    std::string_view separator = "(";
    T::forEachPart(value, [&](const auto &part) {
      out += separator;
      print(part);
      separator = ", ";
    });
    out += ')';
  }
  void print(const LaneMask &lanes) {
    fmt::format_to(Out(out), "[{}]", fmt::join(lanes, ", "));
  }
  template <class T> void print(const std::vector<T> &list) {
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      out += i == 0 ? "" : ", ";
      print(list[i]);
    }
    out += ']';
  }
  template <class E> std::enable_if_t<std::is_enum_v<E>> print(E value) {
    out += name(value);
  }
  void printDims(const Dim *dims, unsigned rank, std::string_view lead) {
    for (unsigned i = 0; i < rank; ++i)
      fmt::format_to(Out(out), "{}{}x{}", i == 0 ? lead : ", ", dims[i].size,
                     dims[i].stride);
  }

  /// Equal also in the sign of zero and the bits of a NaN.
  template <class T> static bool sameBits(const T &a, const T &b) {
    return a == b;
  }
  static bool sameBits(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }
  static bool sameBits(const ScalarOrTile &a, const ScalarOrTile &b) {
    if (const float *left = std::get_if<float>(&a))
      if (const float *right = std::get_if<float>(&b))
        return sameBits(*left, *right);
    return a == b;
  }
  template <AnyOptional T> static bool sameBits(const T &a, const T &b) {
    return !a && !b; // An optional operand is printed when it is there.
  }

  std::string &out;
  const Module &module;
  bool isFirst = true;
};

/// Walks an instruction beside one that holds the defaults.
template <class S>
void printFields(const S &instruction, FieldPrinter &printer) {
  const S defaults{};
  std::array<const void *, info(S::opcode).operands.size() + 1> defaultFields{};
  std::size_t count = 0;
  forEachOperand(defaults, [&](std::string_view, const auto &field) {
    defaultFields[count++] = &field;
  });
  std::size_t index = 0;
  forEachOperand(instruction, [&](std::string_view name, const auto &field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    printer.field(name, field,
                  *static_cast<const Field *>(defaultFields[index]),
                  info(S::opcode).operands[index]);
    ++index;
  });
}

void printFields(const LoopBegin &loop, FieldPrinter &printer,
                 std::string &out) {
  printer.begin();
  printer.print(loop.counter);
  out += " = ";
  printer.print(loop.begin);
  out += " to ";
  printer.print(loop.end);
  out += " step ";
  printer.print(loop.step);
}

/// `while r0`, `if r0`: the condition is the only operand.
template <class S>
  requires requires(const S &op) { op.condition; }
void printFields(const S &op, FieldPrinter &printer, std::string &) {
  printer.begin();
  printer.print(op.condition);
}

void appendInstruction(std::string &out, const Instruction &instruction,
                       const Module &module) {
  out += mnemonic(opcode(instruction.body));
  FieldPrinter printer(out, module);
  std::visit(
      [&](const auto &body) {
        if constexpr (requires { printFields(body, printer, out); })
          printFields(body, printer, out);
        else
          printFields(body, printer);
      },
      instruction.body);
  for (const Wait &wait : instruction.waits) {
    printer.begin();
    fmt::format_to(Out(out), "wait s{}>={}", wait.semaphore, wait.value);
  }
  for (const Signal &signal : instruction.signals) {
    printer.begin();
    fmt::format_to(Out(out), "signal s{}+={}", signal.semaphore, signal.value);
  }
}

/// Of the on-chip operands in order, up to the last that names one.
std::vector<std::uint16_t> buffersOf(const Instruction &instruction) {
  std::vector<OperandAccess> operands;
  collectAccesses(instruction.body, operands);
  std::vector<std::uint16_t> numbers;
  for (const OperandAccess &operand : operands)
    if (operand.access->space != Space::hbm)
      numbers.push_back(operand.access->tensor);
  while (!numbers.empty() && numbers.back() == 0)
    numbers.pop_back();
  return numbers;
}

/// `; @3 #17 %4 %0 %2 flash.cpp:12:3 "q/kv"`: location, position, buffers, then
/// words for human readers.
void appendComment(std::string &out, const Instruction &instruction,
                   const Module &module) {
  const std::vector<std::uint16_t> buffers = buffersOf(instruction);
  if (instruction.location == 0 && instruction.position == 0 && buffers.empty())
    return;
  out += " ;";
  if (instruction.location != 0)
    fmt::format_to(Out(out), " @{}", instruction.location);
  if (instruction.position != 0)
    fmt::format_to(Out(out), " #{}", instruction.position);
  for (const std::uint16_t buffer : buffers)
    fmt::format_to(Out(out), " %{}", buffer);
  if (instruction.location == 0 ||
      instruction.location >= module.locations.size())
    return;
  const SourceLocation &place = module.locations[instruction.location];
  std::string file = quote(place.file);
  fmt::format_to(Out(out), " {}:{}", file.substr(1, file.size() - 2),
                 place.line);
  if (place.column != 0)
    fmt::format_to(Out(out), ":{}", place.column);
  if (!place.scopes.empty())
    out += ' ' + quote(place.scopes);
}

void appendTensor(std::string &out, const Tensor &tensor) {
  fmt::format_to(Out(out), ".tensor {} {}: {}[",
                 tensorKindNames[static_cast<std::size_t>(tensor.kind)],
                 word(tensor.name), name(tensor.dtype));
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    fmt::format_to(Out(out), "{}{}", i == 0 ? "" : ", ", tensor.shape[i]);
  out += "]\n";
  constexpr std::size_t bytesPerLine = 32;
  for (std::size_t i = 0; i < tensor.bytes.size(); i += bytesPerLine) {
    out += "  .data ";
    std::size_t end = std::min(i + bytesPerLine, tensor.bytes.size());
    for (std::size_t j = i; j < end; ++j)
      fmt::format_to(Out(out), "{:02x}", tensor.bytes[j]);
    out += '\n';
  }
}

void appendStream(std::string &out, Engine engine, const Module &module) {
  const auto &stream = module.streams[static_cast<std::size_t>(engine)];
  if (stream.empty())
    return;
  fmt::format_to(Out(out), "\n.stream {}\n", name(engine));
  std::size_t depth = 1;
  for (const Instruction &instruction : stream) {
    const Nesting nesting = info(opcode(instruction.body)).nesting;
    const bool leaves =
        nesting == Nesting::closes || nesting == Nesting::divides;
    if (leaves && depth > 1)
      --depth;
    out.append(2 * depth, ' ');
    appendInstruction(out, instruction, module);
    appendComment(out, instruction, module);
    out += '\n';
    if (nesting == Nesting::opens || nesting == Nesting::divides)
      ++depth;
  }
}

} // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (byte < 0x20 || byte == 0x7f)
      fmt::format_to(Out(out), "\\x{:02x}", byte);
    else
      out += c;
  }
  return out += '"';
}

std::string printInstruction(const Instruction &instruction,
                             const Module &module) {
  std::string out;
  appendInstruction(out, instruction, module);
  return out;
}

std::string printAccess(const Access &access, const Module &module) {
  std::string out;
  FieldPrinter(out, module).print(access);
  return out;
}

std::string printAssembly(std::span<const Module> cores) {
  std::string out;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (i > 0)
      fmt::format_to(Out(out), "\n.core {}\n", i);
    out += printAssembly(cores[i]);
  }
  return out;
}

std::string printAssembly(const Module &module) {
  std::string out;
  fmt::format_to(Out(out), ".kernel {}\n.target {}\n", word(module.kernel),
                 target(module.generation).name.view());
  for (const auto &[key, value] : module.facts)
    fmt::format_to(Out(out), ".fact {} = {}\n", word(key), quote(value));
  for (const Tensor &tensor : module.tensors)
    appendTensor(out, tensor);
  for (std::size_t i = 0; i < numEngines; ++i)
    appendStream(out, static_cast<Engine>(i), module);
  if (module.locations.size() > 1 || module.buffers.size() > 1)
    out += '\n';
  for (std::size_t i = 1; i < module.buffers.size(); ++i)
    fmt::format_to(Out(out), ".buffer {} @{}\n", i, module.buffers[i]);
  for (std::size_t i = 1; i < module.locations.size(); ++i) {
    const SourceLocation &place = module.locations[i];
    fmt::format_to(Out(out), ".location {} {} {}:{} {} {}\n", i,
                   quote(place.file), place.line, place.column,
                   quote(place.scopes), quote(place.name));
  }
  return out;
}

} // namespace kiln::isa

//===- AssemblyParser.cpp - Text to module --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/assembly.h"

#include "AssemblyText.h"
#include "InstructionParser.h"
#include "kiln/isa/shapes.h"
#include "kiln/isa/target.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace kiln::isa {
namespace {

class ModuleParser {
public:
  ModuleParser(std::string_view text, std::string_view fileName)
      : text(text), fileName(fileName) {}

  /// Stops at a wrong directive, because later lines depend on it, and
  /// continues after a wrong instruction.
  Assembly run() {
    while (!text.empty()) {
      std::size_t end = text.find('\n');
      LineScanner scanner(text.substr(0, end), fileName, ++number);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (parseLine(scanner))
        continue;
      result.errors.push_back(*scanner.error());
      if (!stream || scanner.isDirective())
        return std::move(result);
    }
    finishCore();
    return std::move(result);
  }

private:
  void finishCore() {
    result.cores.push_back(std::move(module));
    result.lines.push_back(std::move(lines));
    module = Module();
    lines = {};
    stream = nullptr;
  }

  bool parseLine(LineScanner &scanner) {
    if (scanner.atEnd())
      return true;
    if (scanner.peekChar() == '.')
      return parseDirective(scanner) &&
             (scanner.atEnd() ||
              scanner.fail("KILN-I040", "expected [|the end of the line|]"));
    if (!stream)
      return scanner.fail("KILN-I044",
                          "an instruction must come after a .stream");
    Instruction &instruction = stream->emplace_back();
    lines[static_cast<std::size_t>(stream - module.streams.data())].push_back(
        number);
    return parseInstruction(scanner, tensorNames, instruction) &&
           parseComment(scanner, instruction);
  }

  bool parseDirective(LineScanner &scanner) {
    std::string_view name;
    if (!scanner.word(name, "a directive"))
      return false;
    if (name == ".core")
      return parseCore(scanner);
    if (name == ".kernel")
      return scanner.name(module.kernel, "the name of the kernel");
    if (name == ".target")
      return parseTarget(scanner);
    if (name == ".fact")
      return parseFact(scanner);
    if (name == ".tensor")
      return parseTensor(scanner);
    if (name == ".data")
      return parseData(scanner);
    if (name == ".stream")
      return parseStream(scanner);
    if (name == ".location")
      return parseLocation(scanner);
    if (name == ".buffer")
      return parseBuffer(scanner);
    return scanner.failAtLast("KILN-I044",
                              fmt::format("no directive is called {}", name));
  }

  /// `.core 1`: what follows is the module of the second core.
  bool parseCore(LineScanner &scanner) {
    std::int64_t number = 0;
    if (!scanner.decimal(number, 1, 1, "the number of the core"))
      return false;
    if (!result.cores.empty())
      return scanner.fail("KILN-I044", "core 1 is given twice");
    finishCore();
    tensorNames.clear();
    return true;
  }

  bool parseTarget(LineScanner &scanner) {
    std::string_view name;
    if (!scanner.word(name, "trn1, trn2 or trn3"))
      return false;
    std::optional<Target> found = findTarget(name);
    if (!found)
      return scanner.failAtLast(
          "KILN-I044", fmt::format("no target is called {}; known are {}", name,
                                   targetNames));
    module.generation = found->generation;
    return true;
  }

  bool parseFact(LineScanner &scanner) {
    std::string key, value;
    if (!scanner.name(key, "the key of a fact") || !scanner.expect("=") ||
        !scanner.string(value))
      return false;
    if (!module.facts.try_emplace(key, value).second)
      return scanner.fail("KILN-I044",
                          fmt::format("fact {} is given twice", key));
    return true;
  }

  /// `.tensor input q: bf16[4, 2048, 128]`
  bool parseTensor(LineScanner &scanner) {
    std::string_view kind, type;
    Tensor tensor;
    if (!scanner.word(kind, "the kind of a tensor"))
      return false;
    std::size_t i = 0;
    while (i < tensorKindNames.size() && tensorKindNames[i] != kind)
      ++i;
    if (i == tensorKindNames.size())
      return scanner.failAtLast(
          "KILN-I044",
          fmt::format(
              "'{}' is not a kind of tensor; known are input, output, inout, "
              "internal, constant and shared",
              kind));
    tensor.kind = static_cast<TensorKind>(i);
    if (!scanner.name(tensor.name, "the name of a tensor") ||
        !scanner.expect(":") || !scanner.word(type, "an element type"))
      return false;
    std::optional<DType> dtype = parseDType(type);
    if (!dtype)
      return scanner.failAtLast(
          "KILN-I043", fmt::format("'{}' is not an element type", type));
    tensor.dtype = *dtype;
    if (!scanner.expect("["))
      return false;
    if (!scanner.accept("]")) {
      do {
        constexpr std::int64_t maxExtent = std::int64_t{1} << 40;
        if (!scanner.decimal(tensor.shape.emplace_back(), 1, maxExtent,
                             "an extent"))
          return false;
      } while (scanner.accept(","));
      if (!scanner.expect("]"))
        return false;
    }
    if (module.tensors.size() > 65535)
      return scanner.fail("KILN-I044",
                          "a module holds at most [|65536|] tensors");
    auto index = static_cast<std::uint16_t>(module.tensors.size());
    if (!tensorNames.try_emplace(tensor.name, index).second)
      return scanner.fail(
          "KILN-I044", fmt::format("two tensors are called {}", tensor.name));
    module.tensors.push_back(std::move(tensor));
    return true;
  }

  /// `.data 00803f..`: more bytes of the last tensor.
  bool parseData(LineScanner &scanner) {
    if (module.tensors.empty() ||
        module.tensors.back().kind != TensorKind::constant)
      return scanner.failAtLast("KILN-I044",
                                ".data must come after a constant .tensor");
    std::string_view digits = scanner.hexDigits();
    if (digits.empty() || digits.size() % 2 != 0)
      return scanner.fail(
          "KILN-I040", "expected [|pairs of lower-case hexadecimal digits|]");
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      std::uint8_t byte = 0;
      std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
      module.tensors.back().bytes.push_back(byte);
    }
    return true;
  }

  bool parseStream(LineScanner &scanner) {
    std::string_view name;
    if (!scanner.word(name, "the name of a stream"))
      return false;
    std::optional<Engine> engine = parseEngine(name);
    if (!engine)
      return scanner.failAtLast("KILN-I044",
                                fmt::format("no stream is called {}; known are "
                                            "tensor, vector, scalar, gpsimd "
                                            "and sync",
                                            name));
    stream = &module.streams[static_cast<std::size_t>(*engine)];
    return true;
  }

  /// `.location 3 "flash.cpp" 12:3 "q/kv" "name"`
  bool parseLocation(LineScanner &scanner) {
    auto expected = static_cast<std::int64_t>(module.locations.size());
    std::int64_t index = 0, line = 0, column = 0;
    SourceLocation place;
    if (!scanner.decimal(index, expected, expected,
                         "the number of the next location") ||
        !scanner.string(place.file) ||
        !scanner.decimal(line, 0, uint32Max, "a line") ||
        !scanner.expect(":") ||
        !scanner.decimal(column, 0, uint32Max, "a column") ||
        !scanner.string(place.scopes) || !scanner.string(place.name))
      return false;
    place.line = static_cast<std::uint32_t>(line);
    place.column = static_cast<std::uint32_t>(column);
    module.locations.push_back(std::move(place));
    return true;
  }

  /// `.buffer 4 @3`
  bool parseBuffer(LineScanner &scanner) {
    auto expected = static_cast<std::int64_t>(module.buffers.size());
    std::int64_t index = 0, location = 0;
    if (!scanner.decimal(index, expected, expected,
                         "the number of the next buffer") ||
        !scanner.numbered('@', location, uint32Max, "a location, as in @3"))
      return false;
    module.buffers.push_back(static_cast<std::uint32_t>(location));
    return true;
  }

  /// `%4 %0 %2`: what the on-chip operands mean, in order.
  static bool parseBuffers(LineScanner &scanner, Instruction &instruction) {
    std::vector<OperandAccess> operands;
    if (scanner.peekChar() == '%')
      collectAccesses(instruction.body, operands);
    std::erase_if(operands, [](const OperandAccess &operand) {
      return operand.access->space == Space::hbm;
    });
    for (std::size_t i = 0; scanner.peekChar() == '%'; ++i) {
      std::int64_t number = 0;
      if (!scanner.numbered('%', number, maxBuffers, "a buffer, as in %4"))
        return false;
      if (i == operands.size())
        return scanner.failAtLast(
            "KILN-I044", fmt::format("the instruction has {} operands on chip",
                                     operands.size()));
      // They point into `instruction`, which is ours to change.
      const_cast<Access *>(operands[i].access)->tensor =
          static_cast<std::uint16_t>(number);
    }
    return true;
  }

  /// `; @3 #17 %4 ...`: what follows is for human readers. So is any other
  /// comment.
  static bool parseComment(LineScanner &scanner, Instruction &instruction) {
    if (!scanner.accept(";"))
      return true;
    auto number = [&](char mark, std::uint32_t &out) {
      if (scanner.peekChar() != mark)
        return true;
      std::int64_t value = 0;
      if (!scanner.numbered(mark, value, uint32Max,
                            mark == '@' ? "a location, as in @3"
                                        : "a position, as in #17"))
        return false;
      out = static_cast<std::uint32_t>(value);
      return true;
    };
    return number('@', instruction.location) &&
           number('#', instruction.position) &&
           parseBuffers(scanner, instruction);
  }

  std::string_view text;
  std::string_view fileName;
  std::uint32_t number = 0; ///< Of the line.
  Assembly result;          ///< The cores in front of `module`.
  Module module;
  StreamLines lines;
  TensorNames tensorNames;
  std::vector<Instruction> *stream = nullptr;
};

} // namespace

Assembly parseWholeAssembly(std::string_view text, std::string_view fileName) {
  return ModuleParser(text, fileName).run();
}

Expected<std::vector<Module>> parseAssemblyCores(std::string_view text,
                                                 std::string_view fileName) {
  Assembly assembly = parseWholeAssembly(text, fileName);
  if (!assembly.errors.empty())
    return std::move(assembly.errors.front());
  return std::move(assembly.cores);
}

Expected<Module> parseAssembly(std::string_view text,
                               std::string_view fileName) {
  Expected<std::vector<Module>> cores = parseAssemblyCores(text, fileName);
  if (!cores)
    return cores.error();
  if (cores->size() == 1)
    return std::move(cores->front());
  Diagnostic error =
      makeError("KILN-I044", "the text is for <|two|> cores, but is read here "
                             "as a module for [|one|]");
  error.file = fileName;
  return error;
}

} // namespace kiln::isa

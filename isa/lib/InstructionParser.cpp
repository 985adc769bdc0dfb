//===- InstructionParser.cpp - One line of assembly to an instruction -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionParser.h"

#include "AssemblyText.h"
#include "kiln/isa/limits.h"

#include <fmt/format.h>
#include <limits>

namespace kiln::isa {
namespace {

constexpr std::int64_t int32Min = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t int32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t int64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int64Max = std::numeric_limits<std::int64_t>::max();

/// Reads the values that operands may have.
class ValueParser {
public:
  ValueParser(LineScanner &scanner, const TensorNames &tensors)
      : scanner(scanner), tensors(tensors) {}

  bool parse(bool &out) {
    out = scanner.accept("true");
    return out || scanner.expect("false");
  }
  bool parse(std::int32_t &out) {
    std::int64_t value = 0;
    if (!scanner.integer(value, int32Min, int32Max, "an integer"))
      return false;
    out = static_cast<std::int32_t>(value);
    return true;
  }
  bool parse(float &out) { return scanner.floating(out, "a number"); }
  bool parse(Register &out) {
    std::int64_t index = 0;
    if (!scanner.numbered('r', index, registersPerEngine - 1,
                          "a register, r0 to r63"))
      return false;
    out.index = static_cast<std::uint8_t>(index);
    return true;
  }
  bool parse(RegisterOrInt &out) {
    if (scanner.peekChar() == 'r')
      return parse(out.value.emplace<Register>());
    return parse(out.value.emplace<std::int32_t>());
  }
  bool parse(ScalarOrTile &out) {
    if (atSpace())
      return parse(out.emplace<Access>());
    if (scanner.accept("int"))
      return scanner.expect("(") && parse(out.emplace<std::int32_t>()) &&
             scanner.expect(")");
    return scanner.floating(out.emplace<float>(), "a number or a tile");
  }
  template <AnyOptional T> bool parse(T &out) { return parse(out.emplace()); }
  template <class E> std::enable_if_t<std::is_enum_v<E>, bool> parse(E &out) {
    std::string_view text;
    if (!scanner.word(text, EnumTraits<E>::typeName))
      return false;
    if (auto value = isa::parse<E>(text)) {
      out = *value;
      return true;
    }
    std::string names;
    for (const EnumEntry<E> &entry : EnumTraits<E>::entries)
      names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return scanner.failAtLast(
        "KILN-I043", fmt::format("unknown {} '{}'; known are {}",
                                 EnumTraits<E>::typeName, text, names));
  }
  /// `(32, 0)`
  template <Composite T> bool parse(T &out) {
    bool fine = true;
    std::string_view separator = "(";
    T::forEachPart(out, [&](auto &part) {
      fine = fine && scanner.expect(separator) && parse(part);
      separator = ",";
    });
    return fine && scanner.expect(")");
  }
  /// `[31, 0, .., 255]`: one number for each lane.
  bool parse(LaneMask &out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::int64_t lane = 0;
      if (!scanner.expect(i == 0 ? "[" : ",") ||
          !scanner.integer(lane, 0, 255, "a lane"))
        return false;
      out[i] = static_cast<std::uint8_t>(lane);
    }
    return scanner.expect("]");
  }
  /// `[hbm[x: f32 4x1], sbuf[p0:4, 0x0: f32]]`, `[[0, 1], [2, 3]]`
  template <class T> bool parse(std::vector<T> &out) {
    out.clear();
    if (!scanner.expect("["))
      return false;
    if (scanner.accept("]"))
      return true;
    do {
      if (out.size() == maxEntries<T>)
        return scanner.fail(
            "KILN-I043",
            fmt::format("a list has at most [|{}|] entries", maxEntries<T>));
      if (!parse(out.emplace_back()))
        return false;
    } while (scanner.accept(","));
    return scanner.expect("]");
  }
  bool parse(IndexPattern &out) {
    if (!scanner.expect("index") || !scanner.expect("["))
      return false;
    return parseDims(out.dims.data(), 4, out.rank);
  }
  bool parse(Access &out);

private:
  bool atSpace() {
    for (std::string_view space : spaceNames)
      if (scanner.peek(space))
        return true;
    return false;
  }
  bool parsePartitions(Access &out);
  bool parseTensor(Access &out);
  bool parseTerms(Access &out);
  bool parseDims(Dim *dims, unsigned maxRank, std::uint8_t &rank);

  LineScanner &scanner;
  const TensorNames &tensors;
};

bool ValueParser::parse(Access &out) {
  std::string_view spaceName, typeName;
  if (!scanner.word(spaceName, "sbuf, psum or hbm"))
    return false;
  bool known = false;
  for (std::size_t i = 0; i < spaceNames.size(); ++i)
    if (spaceNames[i] == spaceName) {
      out.space = static_cast<Space>(i);
      known = true;
    }
  if (!known)
    return scanner.failAtLast(
        "KILN-I043", fmt::format("'{}' is not a memory; known are sbuf, "
                                 "psum and hbm",
                                 spaceName));
  if (!scanner.expect("["))
    return false;
  if (!(out.space == Space::hbm ? parseTensor(out) : parsePartitions(out)))
    return false;
  if (!parseTerms(out) || !scanner.expect(":") ||
      !scanner.word(typeName, "an element type"))
    return false;
  std::optional<DType> dtype = parseDType(typeName);
  if (!dtype)
    return scanner.failAtLast(
        "KILN-I043", fmt::format("'{}' is not an element type", typeName));
  out.dtype = *dtype;
  return parseDims(out.dims.data(), Access::maxDims, out.rank);
}

/// `p0:128, 0x4000`: from the first partition to the one behind the last.
bool ValueParser::parsePartitions(Access &out) {
  std::int64_t begin = 0, end = 0;
  if (!scanner.numbered('p', begin, 255, "the first partition, p0 to p127") ||
      !scanner.expect(":") ||
      !scanner.integer(end, begin, begin + 255, "the end of the partitions") ||
      !scanner.expect(",") ||
      !scanner.integer(out.offset, int64Min, int64Max, "an address"))
    return false;
  out.partition = static_cast<std::uint8_t>(begin);
  out.partitions = static_cast<std::uint8_t>(end - begin);
  return true;
}

/// `q + 0x100`.
bool ValueParser::parseTensor(Access &out) {
  std::string name;
  if (scanner.accept("%")) {
    std::int64_t index = 0;
    if (!scanner.decimal(index, 0, 65535, "the number of a tensor"))
      return false;
    out.tensor = static_cast<std::uint16_t>(index);
  } else {
    if (!scanner.name(name, "the name of a tensor"))
      return false;
    auto entry = tensors.find(name);
    if (entry == tensors.end())
      return scanner.failAtLast("KILN-I044",
                                fmt::format("no .tensor is called {}", name));
    out.tensor = entry->second;
  }
  bool negative = scanner.peek("-");
  if (scanner.peekTerm() || !(negative || scanner.peek("+")))
    return true;
  (void)(negative ? scanner.accept("-") : scanner.accept("+"));
  std::int64_t offset = 0;
  if (!scanner.integer(offset, 0, int64Max, "an address"))
    return false;
  out.offset = negative ? -offset : offset;
  return true;
}

/// `+ r3*64 - r4*2`.
bool ValueParser::parseTerms(Access &out) {
  while (true) {
    bool negative = scanner.accept("-");
    if (!negative && !scanner.accept("+"))
      return true;
    if (out.numTerms == Access::maxTerms)
      return scanner.fail(
          "KILN-I043", fmt::format("an address adds at most [|{}|] registers",
                                   Access::maxTerms));
    RegisterTerm &term = out.terms[out.numTerms];
    std::int64_t scale = 0;
    if (!parse(term.reg) || !scanner.expect("*") ||
        !scanner.decimal(scale, 0, int32Max + (negative ? 1 : 0), "a scale"))
      return false;
    term.scale = static_cast<std::int32_t>(negative ? -scale : scale);
    ++out.numTerms;
  }
}

/// `4x128, 32x1]`: sizes by strides, outermost first, and the bracket.
bool ValueParser::parseDims(Dim *dims, unsigned maxRank, std::uint8_t &rank) {
  rank = 0;
  if (scanner.accept("]"))
    return true;
  do {
    if (rank == maxRank)
      return scanner.fail(
          "KILN-I043",
          fmt::format("there are at most [|{}|] dimensions", maxRank));
    std::int64_t size = 0, stride = 0;
    if (!scanner.decimal(size, 0, uint32Max, "a size") ||
        !scanner.acceptChar('x'))
      return scanner.fail("KILN-I040",
                          "expected [|size x stride|], as in 512x1");
    if (!scanner.decimal(stride, int32Min, int32Max, "a stride"))
      return false;
    dims[rank].size = static_cast<std::uint32_t>(size);
    dims[rank].stride = static_cast<std::int32_t>(stride);
    ++rank;
  } while (scanner.accept(","));
  return scanner.expect("]");
}

/// Reads the operands of one instruction, in any order.
class OperandsParser {
public:
  OperandsParser(LineScanner &scanner, const TensorNames &tensors,
                 Instruction &out)
      : scanner(scanner), values(scanner, tensors), out(out),
        info(isa::info(opcode(out.body))) {}

  bool run() {
    bool hasHead = false;
    if (!std::visit([&](auto &body) { return parseHead(body, hasHead); },
                    out.body))
      return false;
    if (hasHead) {
      if (!scanner.accept(","))
        return atEnd();
    } else if (scanner.atEnd()) {
      return complete();
    }
    do {
      if (!parseItem())
        return false;
    } while (scanner.accept(","));
    return atEnd() && complete();
  }

private:
  template <class S> bool parseHead(S &, bool &) { return true; }
  /// `r0 = 0 to 16 step 1`
  bool parseHead(LoopBegin &loop, bool &hasHead) {
    hasHead = true;
    seen = ~0u;
    return values.parse(loop.counter) && scanner.expect("=") &&
           values.parse(loop.begin) && scanner.expect("to") &&
           values.parse(loop.end) && scanner.expect("step") &&
           values.parse(loop.step);
  }
  /// `r0`
  template <class S>
    requires requires(S &op) { op.condition; }
  bool parseHead(S &op, bool &hasHead) {
    hasHead = true;
    seen = ~0u;
    return values.parse(op.condition);
  }

  bool parseItem() {
    std::string_view name;
    if (!scanner.word(name, "an operand, wait or signal"))
      return false;
    if (name == "wait")
      return parseToken(out.waits.emplace_back(), ">=");
    if (name == "signal")
      return parseToken(out.signals.emplace_back(), "+=");
    for (std::size_t i = 0; i < info.operands.size(); ++i) {
      if (info.operands[i].name != name)
        continue;
      if (seen & (1u << i))
        return scanner.failAtLast(
            "KILN-I042", fmt::format("operand {} is given twice", name));
      seen |= 1u << i;
      return parseOperand(i);
    }
    std::string known;
    for (const OperandInfo &operand : info.operands)
      known += (known.empty() ? "" : ", ") + std::string(operand.name);
    return scanner.failAtLast("KILN-I042",
                              fmt::format("{} has no operand {}; it has {}",
                                          info.mnemonic, name,
                                          known.empty() ? "none" : known));
  }

  template <class Token>
  bool parseToken(Token &token, std::string_view relation) {
    std::int64_t semaphore = 0, value = 0;
    if (!scanner.numbered('s', semaphore, numSemaphores - 1,
                          "a semaphore, s0 to s255") ||
        !scanner.expect(relation) ||
        !scanner.integer(value, 1, maxTokens, "a semaphore value"))
      return false;
    token.semaphore = static_cast<std::uint16_t>(semaphore);
    token.value = static_cast<std::uint16_t>(value);
    return true;
  }

  bool parseOperand(std::size_t wanted) {
    bool good = false;
    std::size_t index = 0;
    std::visit(
        [&](auto &body) {
          forEachOperand(body, [&](std::string_view, auto &field) {
            if (index++ == wanted)
              good = parseField(field);
          });
        },
        out.body);
    return good;
  }
  template <class Field> bool parseField(Field &field) {
    return scanner.expect("=") && values.parse(field);
  }
  /// A flag stands alone, or as `flag=false`.
  bool parseField(bool &field) {
    if (scanner.accept("="))
      return values.parse(field);
    return field = true;
  }

  bool atEnd() {
    return scanner.atEnd() ||
           scanner.fail("KILN-I040", "expected [|',' or the end of the line|]");
  }
  bool complete() {
    for (std::size_t i = 0; i < info.operands.size(); ++i)
      if (info.operands[i].isRequired() && !(seen & (1u << i)))
        return scanner.fail("KILN-I042",
                            fmt::format("{} needs operand {}: {}",
                                        info.mnemonic, info.operands[i].name,
                                        info.operands[i].doc));
    return true;
  }

  LineScanner &scanner;
  ValueParser values;
  Instruction &out;
  const InstructionInfo &info;
  unsigned seen = 0;
};

} // namespace

bool parseInstruction(LineScanner &scanner, const TensorNames &tensors,
                      Instruction &out) {
  std::string_view text;
  if (!scanner.word(text, "an instruction or a directive"))
    return false;
  std::optional<Opcode> known = parseOpcode(text);
  if (!known)
    return scanner.failAtLast("KILN-I041",
                              fmt::format("no instruction is called {}", text));
  out.body = makeBody(*known);
  return OperandsParser(scanner, tensors, out).run();
}

} // namespace kiln::isa

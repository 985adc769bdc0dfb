//===- every_type_test.cpp - Each operand of each record in each type ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the type sets of the records: every operand takes every type that its
// record allows, at least once, and the result is what the same instruction
// gives on other types. Arithmetic: on fp32 tiles with the same numbers, the
// results rounded, where the conversions are APFloat's. Moves: on unsigned
// integers of the same width. That the instruction computes the right thing on
// fp32 is the matter of the other tests, whose models are plain loops.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include <set>

using namespace samples;

namespace {

/// Do all operands that hold values have one type?
bool hasOneType(isa::Body body) {
  std::set<DType> types;
  eachAccess(body, [&](std::string_view name, Access &access) {
    if (!isPlaces(name))
      types.insert(access.dtype);
  });
  return types.size() == 1;
}

/// Moves of one type keep bits, moves between types convert.
bool suits(Rule rule, const isa::Body &body) {
  if (rule == Rule::runs)
    return true;
  if (rule == Rule::bits)
    return hasOneType(body);
  return !isa::info(isa::opcode(body)).movesBits || !hasOneType(body);
}

/// `body` with operand `name` of type `type`; if that alone is not legal, with
/// others of the same type, too.
std::optional<isa::Body> retyped(const Sample &sample, const isa::Body &body,
                                 std::string_view name, DType type) {
  std::vector<std::string_view> others;
  isa::Body copy = body;
  eachAccess(copy, [&](std::string_view other, Access &) {
    if (other != name && allows(operandOf(body, other), type) &&
        (others.empty() || others.back() != other))
      others.push_back(other);
  });
  const isa::Module module = surroundings(sample.generation);
  for (unsigned set = 0; set < 1u << others.size(); ++set) {
    isa::Instruction candidate;
    candidate.body = body;
    eachAccess(candidate.body, [&](std::string_view at, Access &access) {
      bool chosen = at == name;
      for (unsigned i = 0; i < others.size(); ++i)
        chosen |= (set >> i & 1) && others[i] == at;
      if (chosen)
        access.dtype = type;
    });
    if (suits(sample.rule, candidate.body) &&
        !isa::check(candidate, sample.engine, module,
                    isa::target(sample.generation)))
      return candidate.body;
  }
  return std::nullopt;
}

DType unsignedOf(DType type) {
  switch (isa::sizeInBytes(type)) {
  case 1:
    return DType::u8;
  case 2:
    return DType::u16;
  default:
    return DType::u32;
  }
}

struct Ran {
  std::set<std::string> covered; ///< "mnemonic operand type".
  unsigned instructions = 0;
};

std::string key(std::string_view mnemonic, std::string_view operand,
                DType type) {
  return std::string(mnemonic) + " " + std::string(operand) + " " +
         std::string(isa::name(type));
}

/// Runs `body` and the one that it is compared with.
void tryOne(const Sample &sample, const isa::Body &body, unsigned seed) {
  Image before = randomImage(seed);
  fillPlaces(before);
  isa::Body reference = body;
  Image other = before;
  bool comparable = sample.rule != Rule::runs;
  eachAccess(reference, [&](std::string_view name, Access &access) {
    const Access original = access;
    const isa::OperandInfo &operand = operandOf(body, name);
    const bool places = isPlaces(name);
    if (places)
      writePlaces(before, original);
    if (sample.rule == Rule::bits) {
      if (!places && allows(operand, unsignedOf(access.dtype)))
        access.dtype = unsignedOf(access.dtype);
    } else if (sample.rule == Rule::widen && allows(operand, DType::f32) &&
               !places) {
      access.dtype = DType::f32;
    }
    if (places)
      writePlaces(other, access);
    else if (sample.rule == Rule::widen)
      each(access, [&](unsigned p, std::uint64_t i) {
        const std::uint32_t value = before.bits(original, p, i);
        other.setBits(
            access, p, i,
            original.dtype == access.dtype
                ? value
                : std::bit_cast<std::uint32_t>(widen(original.dtype, value)));
      });
  });
  const Image got = after(before, sample.engine, body, sample.generation);
  if (!comparable)
    return;
  if (sample.rule == Rule::bits)
    other = before;
  Image want = after(other, sample.engine, reference, sample.generation);
  if (sample.rule == Rule::bits) {
    checkSame(got, want);
    return;
  }
  // What it wrote, rounded; everything else as it was.
  std::vector<isa::OperandAccess> mine, theirs;
  isa::collectAccesses(body, mine);
  isa::collectAccesses(reference, theirs);
  REQUIRE(mine.size() == theirs.size());
  Image expected = before;
  for (std::size_t k = 0; k < mine.size(); ++k)
    if (mine[k].effect != isa::Effect::read)
      each(*mine[k].access, [&](unsigned p, std::uint64_t i) {
        const Access &to = *mine[k].access, &from = *theirs[k].access;
        const std::uint32_t value = want.bits(from, p, i);
        expected.setBits(to, p, i,
                         to.dtype == from.dtype
                             ? value
                             : narrow(to.dtype, std::bit_cast<float>(value)));
      });
  checkSame(got, expected);
}

void runSample(const Sample &sample, Ran &ran) {
  const isa::Instruction base = parsed(sample);
  const isa::InstructionInfo &info = isa::info(isa::opcode(base.body));
  isa::Body copy = base.body;
  std::set<std::string_view> names;
  eachAccess(copy,
             [&](std::string_view name, Access &) { names.insert(name); });
  for (const std::string_view name : names)
    for (const isa::DTypeInfo &type : isa::dtypeTable) {
      const isa::OperandInfo &operand = *info.operand(name);
      if (!allows(operand, type.dtype))
        continue;
      // A number is needed to compare by numbers.
      const bool hasNumber =
          !isa::isPacked(type.dtype) && type.dtype != DType::f8e8m0;
      if (sample.rule == Rule::widen && !hasNumber)
        continue;
      const auto body = retyped(sample, base.body, name, type.dtype);
      if (!body)
        continue;
      CAPTURE(sample.line, std::string(name), std::string(type.name));
      tryOne(sample, *body, 1000 + ran.instructions);
      ++ran.instructions;
      ran.covered.insert(key(info.mnemonic, name, type.dtype));
    }
}

} // namespace

TEST_CASE("every operand of every record takes every type it allows") {
  Ran ran;
  for (const Sample &sample : allSamples())
    runSample(sample, ran);
  // Lists of places have gather_test.cpp; what meets other ranks or cores has
  // peers/types_test.cpp.
  std::vector<std::string> missing;
  for (const isa::InstructionInfo &info : isa::instructionTable)
    for (const isa::OperandInfo &operand : info.operands)
      for (const isa::DTypeInfo &type : isa::dtypeTable)
        if (operand.types && allows(operand, type.dtype) &&
            operand.indexOf.empty() && info.state != isa::HiddenState::peers &&
            !ran.covered.contains(key(info.mnemonic, operand.name, type.dtype)))
          missing.push_back(key(info.mnemonic, operand.name, type.dtype));
  for (const std::string &name : missing)
    UNSCOPED_INFO("never executed: " << name);
  CHECK(missing.empty());
  CHECK(ran.instructions > 900);
}

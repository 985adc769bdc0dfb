//===- every_pattern_test.cpp - Each tile operand in odd patterns --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tile operand of each record in turn lies elsewhere: in two to four
// dimensions, backwards, with one number repeated, in another quadrant, as the
// checks allow it. What the instruction gives is what it gives on plain tiles
// that hold the same numbers, and nothing but the pattern is written.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include <functional>
#include <map>

using namespace samples;

namespace {

struct Pattern {
  const char *name;
  std::int64_t first; ///< Element that the pattern starts with.
  std::vector<isa::Dim> dims;
  unsigned partition = 0;
  bool repeats = false; ///< Of the 16 elements some are the same.
};

/// Of 16 elements, none beyond the 64th.
const std::vector<Pattern> patterns{
    {"apart", 0, {{3, 16}}},
    {"backwards", 45, {{-3, 16}}},
    {"three dimensions", 1, {{32, 2}, {15, 2}, {3, 4}}},
    {"four dimensions", 0, {{32, 2}, {15, 2}, {4, 2}, {1, 2}}},
    {"mixed directions", 32, {{-32, 2}, {15, 2}, {3, 4}}},
    {"one repeated", 5, {{0, 16}}, 0, true},
    {"rows repeated", 2, {{0, 4}, {7, 4}}, 0, true},
    {"another quadrant", 0, {{1, 16}}, 64},
    {"another quadrant, apart", 4, {{2, 16}}, 96},
};

bool isLegal(const Sample &sample, const isa::Body &body) {
  isa::Instruction instruction;
  instruction.body = body;
  return !isa::check(instruction, sample.engine,
                     surroundings(sample.generation),
                     isa::target(sample.generation));
}

/// Moves the n-th access of `body`, a plain row of 16, into the pattern.
void shift(isa::Body &body, unsigned wanted, const Pattern &pattern) {
  unsigned count = 0;
  eachAccess(body, [&](std::string_view, Access &access) {
    if (count++ != wanted)
      return;
    access.offset += pattern.first * isa::sizeInBytes(access.dtype);
    access.partition =
        static_cast<std::uint8_t>(access.partition + pattern.partition);
    access.rank = static_cast<std::uint8_t>(pattern.dims.size());
    std::copy(pattern.dims.begin(), pattern.dims.end(), access.dims.begin());
  });
}

/// Runs it in place and moved; what both write must be the same.
void compare(const Sample &sample, const isa::Body &plain,
             const isa::Body &moved, unsigned seed) {
  Image before = randomImage(seed);
  std::vector<isa::OperandAccess> here, there;
  isa::collectAccesses(plain, here);
  isa::collectAccesses(moved, there);
  REQUIRE(here.size() == there.size());
  for (const isa::OperandAccess &operand : there)
    if (isPlaces(operand.name))
      writePlaces(before, *operand.access);
  Image other = before;
  for (std::size_t k = 0; k < here.size(); ++k)
    each(*here[k].access, [&](unsigned p, std::uint64_t i) {
      other.setBits(*here[k].access, p, i, before.bits(*there[k].access, p, i));
    });
  const Image got = after(before, sample.engine, moved, sample.generation);
  Image want = after(other, sample.engine, plain, sample.generation);
  Image expected = before;
  for (std::size_t k = 0; k < here.size(); ++k)
    if (here[k].effect != isa::Effect::read)
      each(*here[k].access, [&](unsigned p, std::uint64_t i) {
        expected.setBits(*there[k].access, p, i,
                         want.bits(*here[k].access, p, i));
      });
  checkSame(got, expected);
}

} // namespace

namespace {

/// The sample, and what it is with all operands that may be of another type,
/// of one, two or four bytes.
std::vector<isa::Body> inTypes(const Sample &sample) {
  const isa::Body base = parsed(sample).body;
  std::vector<isa::Body> result{base};
  for (const DType type :
       {DType::bf16, DType::u16, DType::i32, DType::u8, DType::f8e5m2}) {
    isa::Body body = base;
    eachAccess(body, [&](std::string_view name, Access &access) {
      if (!isPlaces(name) && allows(operandOf(base, name), type))
        access.dtype = type;
    });
    if (body != base && isLegal(sample, body))
      result.push_back(body);
  }
  return result;
}

/// Moves each tile of `body` in turn into each pattern; how often it could.
unsigned tryPatterns(const Sample &sample, const isa::Body &body,
                     unsigned &seed) {
  unsigned count = 0;
  std::vector<isa::OperandAccess> accesses;
  isa::collectAccesses(body, accesses);
  for (unsigned k = 0; k < accesses.size(); ++k) {
    const Access &access = *accesses[k].access;
    if (access.rank != 1 || access.dims[0] != isa::Dim{1, 16})
      continue;
    for (const Pattern &pattern : patterns) {
      if (pattern.repeats && accesses[k].effect != isa::Effect::read)
        continue;
      isa::Body moved = body;
      shift(moved, k, pattern);
      if (!isLegal(sample, moved))
        continue;
      CAPTURE(sample.line, std::string(accesses[k].name), pattern.name,
              std::string(isa::name(access.dtype)));
      compare(sample, body, moved, seed++);
      ++count;
    }
  }
  return count;
}

} // namespace

TEST_CASE("every record computes the same in every pattern and width") {
  std::map<std::string_view, unsigned> tried;
  unsigned seed = 5000;
  for (const Sample &sample : allSamples()) {
    const isa::InstructionInfo &info =
        isa::info(isa::opcode(parsed(sample).body));
    for (const isa::Body &body : inTypes(sample))
      tried[info.mnemonic] += tryPatterns(sample, body, seed);
  }
  unsigned all = 0;
  for (const auto &[mnemonic, count] : tried)
    all += count;
  CHECK(all > 300);
  CHECK(tried.size() > 25);
}

TEST_CASE("an input may be the destination") {
  // Elements are read before those of the same place are written.
  unsigned seed = 7000, count = 0;
  for (const Sample &sample : allSamples()) {
    const isa::Instruction base = parsed(sample);
    const isa::InstructionInfo &info = isa::info(isa::opcode(base.body));
    std::vector<isa::OperandAccess> accesses;
    isa::collectAccesses(base.body, accesses);
    if (info.state == isa::HiddenState::random || info.isDma ||
        info.mnemonic.find("gather") != std::string_view::npos)
      continue;
    const Access *dst = nullptr;
    for (const isa::OperandAccess &operand : accesses)
      if (operand.effect != isa::Effect::read && operand.name == "dst")
        dst = operand.access;
    for (unsigned k = 0; k < accesses.size() && dst; ++k) {
      const Access &input = *accesses[k].access;
      if (accesses[k].effect != isa::Effect::read ||
          isPlaces(accesses[k].name) || input.rank != dst->rank ||
          input.dims != dst->dims || input.partitions != dst->partitions ||
          input.space != dst->space)
        continue;
      isa::Body aliased = base.body;
      unsigned at = 0;
      eachAccess(aliased, [&](std::string_view, Access &access) {
        if (at++ == k)
          access.offset = dst->offset;
      });
      if (!isLegal(sample, aliased))
        continue;
      CAPTURE(sample.line, std::string(accesses[k].name));
      compare(sample, base.body, aliased, seed++);
      ++count;
    }
  }
  CHECK(count > 15);
}

//===- handmade.h - Instructions on tiles of any type -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of the language fix types when they are compiled. Here a Program is
// made by hand around one instruction, so that a loop may go over types,
// operators and functions. Each run compares the binary with the interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_INSTRUCTIONS_HANDMADE_H
#define KILN_TEST_INSTRUCTIONS_HANDMADE_H

#include "bench.h"
#include "kiln/isa/info.h"

namespace kiln::test {

/// An operand on chip: filled from a tensor if it has values, stored to one if
/// it is written.
struct Operand {
  std::string name;
  isa::DType dtype = isa::DType::f32;
  Extents shape;
  Values values; ///< Empty: not read.
  bool isWritten = false;
  isa::Space space = isa::Space::sbuf;
};

struct HandmadeCall {
  std::string mnemonic;
  std::vector<Operand> tiles;
  program::CallFields attributes;
  std::string target = "trn2";
};

/// By mnemonic and type of its first tile, how many ran.
std::map<std::string, std::map<isa::DType, int>> &coverage();

/// Compiles, runs, and checks against the interpreter; false where the compiler
/// refuses the instruction.
bool runInstruction(const HandmadeCall &instruction);

/// Numbers of a type: limits, ties, both zeros, infinities and NaN where it has
/// them, in an order of its own for each seed.
Values edgeValues(std::size_t count, isa::DType dtype, std::uint64_t seed);

/// Values for the tile, of another seed for each call.
Operand input(const std::string &name, isa::DType dtype, const Extents &shape);
Operand output(const std::string &name, isa::DType dtype, const Extents &shape);
Operand inPlace(Operand tile);
Operand numbers(const std::string &name, isa::DType dtype, const Extents &shape,
                Values values);

/// Words and types that an operand of a record may be.
template <class E>
std::vector<std::string> words(const std::string &mnemonic,
                               const std::string &name) {
  const isa::OperandInfo &operand =
      *isa::info(*isa::parseOpcode(mnemonic)).operand(name);
  std::vector<std::string> result;
  for (const auto &entry : isa::EnumTraits<E>::entries)
    if (operand.cases == 0 ||
        (operand.cases >> static_cast<unsigned>(entry.value) & 1) != 0)
      result.emplace_back(entry.name);
  return result;
}
std::vector<std::string> operators(const std::string &mnemonic,
                                   const std::string &name);
std::vector<isa::DType> types(const std::string &mnemonic,
                              const std::string &name);
bool isBits(const std::string &op);
bool takesNone(const std::string &op);
/// f8e4m3fn and the types of the MX instructions are trn3's.
std::string targetFor(isa::DType dtype);
/// Of many combinations every n-th.
bool isTurn(int n);

inline constexpr std::int64_t rows = 4, cols = 60;
inline const Extents shape{rows, cols};

/// Families of instructions, each run once, by its test or by the one that
/// looks at what all of them covered.
using Family = void (*)();
std::vector<Family> &families();
void runOnce(Family family);
struct Registered {
  explicit Registered(Family family) { families().push_back(family); }
};
#define KILN_MEANING(name)                                                     \
  static void meaning_##name();                                                \
  static const kiln::test::Registered registered_##name(meaning_##name);       \
  TEST_CASE("meaning: " #name) { kiln::test::runOnce(meaning_##name); }        \
  static void meaning_##name()

} // namespace kiln::test

#endif // KILN_TEST_INSTRUCTIONS_HANDMADE_H

//===- Values.h - What is known of registers --------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register holds a number, or something from memory of which only a range is
// known: `min(r, 3)` is never 4. A range may be too wide, never too narrow.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_VALUES_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_VALUES_H

#include "Decisions.h"

#include "kiln/isa/module.h"

#include <array>
#include <cstdint>
#include <limits>

namespace kiln::problems::checker {

/// Both ends are meant.
struct Range {
  std::int64_t low = std::numeric_limits<std::int32_t>::min();
  std::int64_t high = std::numeric_limits<std::int32_t>::max();

  bool contains(std::int64_t number) const {
    return low <= number && number <= high;
  }
};

struct Value {
  std::int32_t number = 0;
  bool known = true;
  /// If it is in memory: the same in every stream that loads it from there, or
  /// computes it from such.
  std::uint64_t identity = 0;
  Range range = {0, 0}; ///< If it is known: the number.

  static Value of(std::int32_t number) {
    return {number, true, 0, {number, number}};
  }
  static Value unknown(std::uint64_t identity, Range range = {}) {
    return {0, false, identity, range};
  }
  bool isZero() const { return range.low == 0 && range.high == 0; }
  bool canBeZero() const { return range.contains(0); }
};

std::uint64_t identityOf(const Value &value);

/// The registers of a stream.
class Registers {
public:
  Value &at(isa::Register reg) {
    return values[reg.index % isa::registersPerEngine];
  }
  const Value &at(isa::Register reg) const {
    return values[reg.index % isa::registersPerEngine];
  }
  Value read(const isa::RegisterOrInt &operand) const;
  Value compute(const isa::RegisterAlu &alu) const;
  /// What stands at an address at `moment`.
  Value loaded(const isa::Access &source, std::uint64_t moment) const;

private:
  std::array<Value, isa::registersPerEngine> values;
};

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_VALUES_H

//===- time.h - Simulated time -------------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_TIME_H
#define KILN_MACHINE_TIME_H

#include <cstdint>

namespace kiln::machine {

/// Times and durations are integer picoseconds.
using Picoseconds = std::int64_t;

// Times are not negative, so adding a half and cutting off rounds them.
// NOLINTBEGIN(bugprone-incorrect-roundings)

/// `cycles` of a clock of `ghz`, rounded to the nearest picosecond.
inline Picoseconds cyclesToTime(double cycles, double ghz) {
  return static_cast<Picoseconds>(cycles * 1000.0 / ghz + 0.5);
}
inline Picoseconds nanoseconds(double ns) {
  return static_cast<Picoseconds>(ns * 1000.0 + 0.5);
}

// NOLINTEND(bugprone-incorrect-roundings)

} // namespace kiln::machine

#endif // KILN_MACHINE_TIME_H

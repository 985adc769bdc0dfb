//===- described.h - What a kernel says of itself --------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of a module that come from the kernel's `describe`. The fact "parts" is
// there if the outermost scopes are parts of the kernel; "random.NAME" is the
// standard deviation of random values for the argument NAME, if it is not 1.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_DESCRIBED_H
#define KILN_ISA_DESCRIBED_H

#include "kiln/isa/module.h"

#include <charconv>
#include <string>
#include <string_view>

namespace kiln::isa {

inline constexpr std::string_view partsFact = "parts";
inline constexpr std::string_view randomFact = "random.";

inline bool hasParts(const Module &module) {
  return module.facts.contains(std::string(partsFact));
}

/// Of random values for the argument; 1 if the module has no valid value.
inline double deviationOf(const Module &module, std::string_view argument) {
  const auto found =
      module.facts.find(std::string(randomFact) + std::string(argument));
  if (found == module.facts.end())
    return 1;
  double value = 1;
  const std::string &text = found->second;
  const char *const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end && value > 0 && value < 1e300
             ? value
             : 1;
}

} // namespace kiln::isa

#endif // KILN_ISA_DESCRIBED_H

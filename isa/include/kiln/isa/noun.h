//===- noun.h - Singular or plural in a message --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "1 wait", "2 waits": the only place that chooses the singular or plural of a
// noun. All messages, remarks and reports of the tools use it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_NOUN_H
#define KILN_ISA_NOUN_H

#include <concepts>
#include <string>
#include <string_view>

namespace kiln::isa {

/// `singular` for 1, else the plural: with an "s", or as `plural` gives it. It
/// also chooses a verb: noun(n, "fits", "fit").
template <std::integral Count>
std::string noun(Count count, std::string_view singular,
                 std::string_view plural = {}) {
  if (count == 1)
    return std::string(singular);
  return plural.empty() ? std::string(singular) + "s" : std::string(plural);
}

/// The number and its noun.
template <std::integral Count>
std::string counted(Count count, std::string_view singular,
                    std::string_view plural = {}) {
  return std::to_string(count) + " " + noun(count, singular, plural);
}

} // namespace kiln::isa

#endif // KILN_ISA_NOUN_H

//===- JoinedText.h - A text in parts as a string -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_JOINEDTEXT_H
#define KILN_DSL_LIB_RECORD_JOINEDTEXT_H

#include "kiln/dsl/error.h"

#include <array>
#include <charconv>
#include <string>

namespace kiln::dsl {

/// The shortest decimal that is read back as the same number.
inline std::string shortest(std::floating_point auto number) {
  std::array<char, 32> digits{};
  char *const end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

inline std::string joined(const Part &part) {
  switch (part.kind) {
  case Part::Kind::integer:
    return std::to_string(part.number);
  case Part::Kind::single:
    return shortest(static_cast<float>(part.real));
  case Part::Kind::real:
    return shortest(part.real);
  case Part::Kind::text:
    break;
  }
  return std::string(part.text);
}

inline std::string joined(const Text &text) {
  std::string all;
  for (const Part &part : text)
    all += joined(part);
  return all;
}

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_JOINEDTEXT_H

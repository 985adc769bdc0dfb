//===- CheckCases.h - A line, a stream, a target, a code ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNIT_ISA_CHECKCASES_H
#define KILN_TEST_UNIT_ISA_CHECKCASES_H

#include "Samples.h"

#include "catch.h"
#include "kiln/isa/checks.h"

namespace kiln::isa::test {

struct Case {
  Generation generation;
  Engine stream;
  std::string text;
  std::string code; ///< Empty = accepted.
};

inline constexpr auto v2 = Generation::v2;
inline constexpr auto v3 = Generation::v3;
inline constexpr auto v4 = Generation::v4;
inline constexpr auto T = Engine::tensor;
inline constexpr auto V = Engine::vector;
inline constexpr auto S = Engine::scalar;
inline constexpr auto G = Engine::gpsimd;
inline constexpr auto Y = Engine::sync;

inline void run(const std::vector<Case> &cases) {
  for (const Case &entry : cases) {
    Module module = emptyModule(entry.generation);
    INFO(entry.text);
    Instruction instruction = line(entry.text, module);
    std::optional<Diagnostic> error =
        check(instruction, entry.stream, module, target(entry.generation));
    INFO((error ? error->str() : "accepted"));
    CHECK((error ? error->code : "") == entry.code);
  }
}

inline std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace kiln::isa::test

#endif // KILN_TEST_UNIT_ISA_CHECKCASES_H

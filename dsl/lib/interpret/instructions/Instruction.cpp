//===- Instruction.cpp - The meaning of instructions ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Machine.h"

#include <array>
#include <string_view>

namespace kiln::interpret {

namespace {

struct Meaning {
  std::string_view mnemonic;
  void (*interpret)(Call &call);
};

/// dst = src, converted where the types differ.
void interpretCopy(Call &call) { call.write("dst", call.read("src")); }

constexpr std::array meanings{
    Meaning{"tensor_copy", interpretCopy},
};

} // namespace

void interpretInstruction(Call &call) {
  for (const Meaning &meaning : meanings)
    if (meaning.mnemonic == call.mnemonic)
      return meaning.interpret(call);
  call.fail("instruction '" + call.mnemonic + "' is not known",
            Fault::unsupported);
}

} // namespace kiln::interpret

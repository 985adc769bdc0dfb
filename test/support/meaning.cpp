//===- meaning.cpp - Outputs against the meaning of the source -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "meaning.h"

#include "catch.h"

namespace kiln::test {

void checkMeaning(std::span<const program::Program> cores,
                  isa::Generation generation,
                  std::span<const interpret::Inputs> inputs,
                  std::span<const NamedOutputs> outputs) {
  interpret::Options options;
  options.generation = generation;
  const interpret::Result meaning =
      interpret::interpret(cores, inputs, options);
  if (meaning.fault) {
    FAIL_CHECK("the interpreter says: " << meaning.fault->text << " ("
                                        << meaning.fault->where.file << ":"
                                        << meaning.fault->where.line << ")");
    return;
  }
  for (std::size_t rank = 0; rank < outputs.size(); ++rank)
    for (const auto &[name, found] : outputs[rank]) {
      const interpret::Tensor &expected = meaning.ranks[rank].at(name);
      const interpret::Agreement result = interpret::agreement(expected, found);
      if (result.holds())
        continue;
      const interpret::Number &number = expected.elements[result.place];
      FAIL_CHECK("the source means "
                 << number.value << " +- " << number.bound << " for element "
                 << result.place << " of " << name << ", found "
                 << found[result.place] << "; " << result.outside << " of "
                 << result.elements << " are outside");
    }
  SUCCEED();
}

} // namespace kiln::test

//===- meaning.h - Outputs against the meaning of the source -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_SUPPORT_MEANING_H
#define KILN_TEST_SUPPORT_MEANING_H

#include "kiln/interpret.h"
#include "kiln/program.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kiln::test {

/// A rank's output and inout tensors by name.
using NamedOutputs = std::map<std::string, std::vector<double>>;

/// A CHECK that every element is within its bound.
void checkMeaning(std::span<const program::Program> cores,
                  isa::Generation generation,
                  std::span<const interpret::Inputs> inputs,
                  std::span<const NamedOutputs> outputs);

} // namespace kiln::test

#endif // KILN_TEST_SUPPORT_MEANING_H

//===- main.cpp - The instruction set on its own ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"

#include <cstdio>

using namespace kiln;

/// Writes an empty kernel to .kbin, reads it back, prints and parses it.
int main() {
  isa::Module module;
  module.kernel = "nothing";
  if (std::optional<isa::Diagnostic> broken = isa::checkModule(module)) {
    std::puts(broken->str().c_str());
    return 1;
  }
  isa::Expected<isa::Module> read = isa::readKbin(isa::writeKbin(module));
  if (!read || !(*read == module)) {
    std::puts(read ? "the module changed" : read.error().str().c_str());
    return 1;
  }
  isa::Expected<isa::Module> parsed =
      isa::parseAssembly(isa::printAssembly(module), "printed.kasm");
  if (!parsed || !(*parsed == module)) {
    std::puts(parsed ? "the text changed it" : parsed.error().str().c_str());
    return 1;
  }
  return 0;
}

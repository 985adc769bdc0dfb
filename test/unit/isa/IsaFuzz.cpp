//===- IsaFuzz.cpp - libFuzzer over every reader of isa -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"
#include "kiln/isa/encoding.h"

#include <cstdlib>

using namespace kiln::isa;

/// The first byte chooses the reader; what reads must write and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  if (size == 0)
    return 0;
  std::span<const std::uint8_t> bytes(data + 1, size - 1);
  switch (data[0] % 3) {
  case 0:
    if (Expected<Module> module = readKbin(bytes)) {
      if (!readKbin(writeKbin(*module)))
        std::abort();
    }
    return 0;
  case 1:
    while (!bytes.empty()) {
      std::span<const std::uint8_t> before = bytes;
      Expected<Instruction> instruction = decode(bytes);
      if (!instruction)
        return 0;
      std::vector<std::uint8_t> again;
      encode(*instruction, again);
      if (!std::equal(again.begin(), again.end(), before.begin()))
        std::abort();
    }
    return 0;
  default:
    std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                          bytes.size());
    if (Expected<Module> module = parseAssembly(text, "fuzz")) {
      (void)checkModule(*module);
      if (!parseAssembly(printAssembly(*module), "again"))
        std::abort();
    }
    return 0;
  }
}

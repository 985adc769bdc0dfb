//===- IsaFuzz.cpp - libFuzzer over every reader of isa -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checksum.h"

#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/container.h"
#include "kiln/isa/encoding.h"

#include <cstdlib>

using namespace kiln::isa;

namespace {

using Bytes = std::span<const std::uint8_t>;

void mustRead(bool good) {
  if (!good)
    std::abort();
}

void readFile(Bytes file) {
  if (Expected<std::vector<Module>> cores = readKbinCores(file))
    mustRead(bool(readKbinCores(writeKbin(*cores))));
}

void readText(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                              bytes.size());
  if (Expected<std::vector<Module>> cores = parseAssemblyCores(text, "fuzz")) {
    for (const Module &module : *cores)
      (void)checkModule(module);
    (void)checkCores(*cores);
    mustRead(bool(parseAssemblyCores(printAssembly(*cores), "again")));
  }
}

void readInstructions(Bytes bytes) {
  while (!bytes.empty()) {
    const Bytes before = bytes;
    Expected<Instruction> instruction = decode(bytes);
    if (!instruction)
      return;
    std::vector<std::uint8_t> again;
    encode(*instruction, again);
    mustRead(std::equal(again.begin(), again.end(), before.begin()));
  }
}

} // namespace

/// What is written must read and write again. Binaries and assembly are inputs
/// as they are; anything that starts with a byte from 128 on is instructions.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  const Bytes bytes(data, size);
  if (size == 0)
    return 0;
  if (bytes[0] >= 128) {
    readInstructions(bytes.subspan(1));
  } else if (bytes[0] == 127) { // As every ELF file. The checksum stops most.
    readFile(bytes);
    std::vector<std::uint8_t> file(bytes.begin(), bytes.end());
    test::repairChecksum(file);
    readFile(file);
  } else {
    readText(bytes);
  }
  return 0;
}

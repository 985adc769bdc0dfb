//===- Checksum.h - Makes a damaged .kbin plausible -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checksum refuses nearly every damaged file; behind it the readers must
// hold by themselves.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_ISA_CHECKSUM_H
#define KILN_TEST_ISA_CHECKSUM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln::isa::test {

/// Writes the right checksum into the note, as in docs/encoding.md.
inline void repairChecksum(std::vector<std::uint8_t> &file) {
  constexpr std::size_t at = 64 + 20 + 8;
  if (file.size() < at + 8)
    return;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < file.size(); ++i)
    hash = (hash ^ (i >= at && i < at + 8 ? 0u : file[i])) * 0x100000001b3;
  for (unsigned i = 0; i < 8; ++i)
    file[at + i] = static_cast<std::uint8_t>(hash >> (8 * i));
}

} // namespace kiln::isa::test

#endif // KILN_TEST_ISA_CHECKSUM_H

//===- sha256.h - Names for contents ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_SHA256_H
#define KILN_TOOL_SHA256_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::tool {

/// SHA-256 (FIPS 180-4), fed piece by piece.
class Sha256 {
public:
  void update(std::string_view data);
  /// Like update, with the length first: no two lists of fields collide.
  void field(std::string_view data);
  /// 64 hexadecimal digits; the object is used up.
  std::string finish();

private:
  void block(const unsigned char *data);

  std::array<std::uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                     0xa54ff53a, 0x510e527f, 0x9b05688c,
                                     0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending{};
  std::size_t used = 0;
  std::uint64_t length = 0;
};

std::string sha256(std::string_view data);

} // namespace kiln::tool

#endif // KILN_TOOL_SHA256_H

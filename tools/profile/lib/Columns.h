//===- Columns.h - Long lists of numbers for the page -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_COLUMNS_H
#define KILN_PROFILE_LIB_COLUMNS_H

#include <cstdint>
#include <string>

namespace kiln::profile {

/// Numbers, one after the other, in as few bytes as they need: seven bits a
/// byte, the low ones first, the eighth says that more follow.
/// tools/report/columns.js reads them.
class Columns {
public:
  void add(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes += static_cast<char>(0x80 | (value & 0x7F));
    bytes += static_cast<char>(value);
  }
  /// Numbers near zero are short, whatever their sign.
  void addSigned(std::int64_t value) {
    add((static_cast<std::uint64_t>(value) << 1) ^
        static_cast<std::uint64_t>(value >> 63));
  }
  /// As base64, with padding.
  std::string text() const;

private:
  std::string bytes;
};

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_COLUMNS_H

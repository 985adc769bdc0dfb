//===- sha256.h - Names for contents ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_SHA256_H
#define KILN_TOOL_SHA256_H

#include "llvm/Support/SHA256.h"

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
  llvm::SHA256 hash;
};

std::string sha256(std::string_view data);

} // namespace kiln::tool

#endif // KILN_TOOL_SHA256_H

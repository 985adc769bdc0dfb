//===- Sha256.cpp - Names for contents ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/sha256.h"

#include "llvm/ADT/StringExtras.h"

namespace kiln::tool {

void Sha256::update(std::string_view data) {
  hash.update(llvm::StringRef(data));
}

void Sha256::field(std::string_view data) {
  update(std::to_string(data.size()) + ":");
  update(data);
}

std::string Sha256::finish() {
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string sha256(std::string_view data) {
  Sha256 hash;
  hash.update(data);
  return hash.finish();
}

} // namespace kiln::tool

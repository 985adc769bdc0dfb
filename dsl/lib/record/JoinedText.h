//===- JoinedText.h - A text in parts as a string -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_JOINEDTEXT_H
#define KILN_DSL_LIB_RECORD_JOINEDTEXT_H

#include "kiln/dsl/error.h"

#include <string>

namespace kiln::dsl {

inline std::string joined(const Text &text) {
  std::string all;
  for (const Part &part : text)
    all += part.isNumber ? std::to_string(part.number) : std::string(part.text);
  return all;
}

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_JOINEDTEXT_H

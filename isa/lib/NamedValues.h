//===- NamedValues.h - Names and their values from a text -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_NAMEDVALUES_H
#define KILN_ISA_LIB_NAMEDVALUES_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::isa {

struct NamedValue {
  std::string name, value;
  bool isQuoted = false;               ///< The value is in quotes.
  std::size_t nameAt = 0, valueAt = 0; ///< Where they stand in the text.
};

struct NamedValues {
  std::vector<NamedValue> values; ///< In the order of the text.
  std::string problem;            ///< Empty if the text is well formed.
  std::size_t problemAt = 0;
};

/// Reads pairs `name = value`, where `#` starts a comment, or one flat JSON
/// object, which begins with `{`.
NamedValues readNamedValues(std::string_view text);

} // namespace kiln::isa

#endif // KILN_ISA_LIB_NAMEDVALUES_H

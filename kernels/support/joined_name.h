//===- joined_name.h - The name of a part of something --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// <string> takes the compiler as long as the language does.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_JOINED_NAME_H
#define KILN_KERNELS_SUPPORT_JOINED_NAME_H

#include "support/list.h"

#include <string_view>

namespace kiln::kernels {

/// The text `first` and behind it `second`.
class JoinedName {
public:
  JoinedName(std::string_view first, std::string_view second) {
    text.reserve(first.size() + second.size() + 1);
    for (std::string_view part : {first, second})
      for (char each : part)
        text.push_back(each);
    text.push_back('\0');
  }

  const char *c_str() const { return text.data(); }
  operator std::string_view() const { return text.data(); }

private:
  List<char> text;
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_JOINED_NAME_H

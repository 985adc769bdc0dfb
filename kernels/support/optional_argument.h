//===- optional_argument.h - A tensor that may be left out ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_OPTIONAL_ARGUMENT_H
#define KILN_KERNELS_SUPPORT_OPTIONAL_ARGUMENT_H

#include "kiln/kiln.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace kiln::kernels {

/// The tensor `name`, of `shape`, if the parameters ask for it.
inline void optionalArgument(Signature &s, bool isPresent,
                             std::string_view name,
                             std::initializer_list<std::int64_t> shape) {
  if (isPresent)
    s.argument(name, shape);
  else
    s.absent(name);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_OPTIONAL_ARGUMENT_H

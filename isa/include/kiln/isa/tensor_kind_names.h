//===- tensor_kind_names.h - Input, output, .. ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TENSOR_KIND_NAMES_H
#define KILN_ISA_TENSOR_KIND_NAMES_H

#include "kiln/isa/module.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace kiln::isa {

/// In the order of the values.
inline constexpr std::array<std::string_view, 6> tensorKindNames{
    "input", "output", "inout", "internal", "constant", "shared"};
constexpr std::string_view name(TensorKind kind) {
  return tensorKindNames[static_cast<std::size_t>(kind)];
}

} // namespace kiln::isa

#endif // KILN_ISA_TENSOR_KIND_NAMES_H

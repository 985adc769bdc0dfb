//===- kind_names.h - Names of argument and tensor kinds ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_KIND_NAMES_H
#define KILN_ISA_KIND_NAMES_H

#include "kiln/isa/enums.h"
#include "kiln/isa/module.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace kiln::isa {

template <> struct EnumTraits<ArgumentKind> {
  static constexpr std::string_view typeName = "ArgumentKind";
  static constexpr std::array<EnumEntry<ArgumentKind>, 3> entries{{
      {ArgumentKind::input, "input", "read"},
      {ArgumentKind::output, "output", "written"},
      {ArgumentKind::inout, "inout", "read and written"},
  }};
};
constexpr std::string_view name(ArgumentKind kind) { return spelling(kind); }
/// As the language says it: In, Out, InOut.
constexpr std::string_view shortName(ArgumentKind kind) {
  const std::string_view whole = name(kind);
  return kind == ArgumentKind::inout ? whole
                                     : whole.substr(0, whole.find("put"));
}

/// In the order of the values.
inline constexpr std::array<std::string_view, 6> tensorKindNames{
    name(ArgumentKind::input),
    name(ArgumentKind::output),
    name(ArgumentKind::inout),
    "internal",
    "constant",
    "shared"};
constexpr std::string_view name(TensorKind kind) {
  return tensorKindNames[static_cast<std::size_t>(kind)];
}

} // namespace kiln::isa

#endif // KILN_ISA_KIND_NAMES_H

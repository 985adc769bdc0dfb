//===- Indirection.h - Elements that an index lists -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_INDIRECTION_H
#define KILN_SIM_LIB_FUNCTION_INDIRECTION_H

#include "Lanes.h"

#include <string_view>
#include <type_traits>

namespace kiln::sim {

template <class Instruction> Outcome Lanes::resolve(const Instruction &op) {
  constexpr std::string_view ending = "_index";
  indexed.clear();
  Outcome outcome = Outcome::done;
  forEachOperand(op, [&](std::string_view name, const auto &index) {
    using Field = std::decay_t<decltype(index)>;
    if constexpr (std::is_same_v<Field, isa::Optional<isa::Access>>)
      if (index && name.ends_with(ending) && outcome == Outcome::done) {
        name.remove_suffix(ending.size());
        forEachOperand(op, [&](std::string_view other, const auto &access) {
          if constexpr (std::is_same_v<std::decay_t<decltype(access)>,
                                       isa::Access>)
            if (other == name)
              outcome = resolveOperand(access, *index);
        });
      }
  });
  return outcome;
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_INDIRECTION_H

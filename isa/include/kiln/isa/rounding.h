//===- rounding.h - Whole pieces of a number ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_ROUNDING_H
#define KILN_ISA_ROUNDING_H

#include <type_traits>

namespace kiln::isa {

/// How many pieces of `size` it takes to hold `count`, which is not negative.
template <class T> constexpr T ceilDiv(T count, std::type_identity_t<T> size) {
  return (count + size - 1) / size;
}

/// The smallest multiple of `step` that is not less.
template <class T> constexpr T roundUp(T value, std::type_identity_t<T> step) {
  return ceilDiv(value, step) * step;
}

} // namespace kiln::isa

#endif // KILN_ISA_ROUNDING_H

//===- weights.h - Weights that random numbers stand for -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_WEIGHTS_H
#define KILN_KERNELS_SUPPORT_WEIGHTS_H

#include "support/plain.h"

#include "kiln/kiln.h"

#include <cstdint>
#include <string_view>

namespace kiln::kernels {

/// The tensor `name`, [inputs, outputs], as a model has it: a product with
/// random numbers for it leaves values as large as they were. Weights of 8 bits
/// are kept in units of their own, so they are as large as the type likes.
template <class T>
void weightArgument(Signature &s, std::string_view name, std::int64_t inputs,
                    std::int64_t outputs) {
  s.argument(name, {inputs, outputs});
  if (isa::sizeInBytes(T::dtype) > 1)
    s.random(name, 1 / plain::sqrt(static_cast<double>(inputs)));
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_WEIGHTS_H

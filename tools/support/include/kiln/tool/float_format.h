//===- float_format.h - Rounding a double once --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Files hold doubles and floats, tensors hold f32, bf16 or f16. Going through
// float on the way to bf16 would round twice, so each format is rounded to
// straight from the double: to nearest, ties to even, overflow to infinity.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_FLOAT_FORMAT_H
#define KILN_TOOL_FLOAT_FORMAT_H

#include "kiln/isa/dtype.h"

#include <cstdint>

namespace kiln::tool {

/// The bits of `value` in the float type `dtype` (f32, bf16 or f16).
std::uint32_t encodeFloat(double value, isa::DType dtype);

/// The value of `bits`; exact.
double decodeFloat(std::uint32_t bits, isa::DType dtype);

} // namespace kiln::tool

#endif // KILN_TOOL_FLOAT_FORMAT_H

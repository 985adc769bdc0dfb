//===- random_data.h - Inputs that are the same everywhere --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_RANDOM_DATA_H
#define KILN_TOOL_RANDOM_DATA_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// `elements` random values of `dtype`, little endian: floats close to the
/// standard normal distribution, scales from 2^-4 to 2^4, signed integers from
/// [-100, 100], unsigned ones from [0, 255] or [0, 1]. They depend on `seed`
/// and `tensor`'s name only: integer arithmetic and exact sums, so every host
/// and compiler makes the same bytes. `deviation` multiplies floats that are no
/// scales.
std::vector<std::uint8_t> randomTensor(std::uint64_t seed,
                                       std::string_view tensor,
                                       isa::DType dtype, std::uint64_t elements,
                                       double deviation = 1);

} // namespace kiln::tool

#endif // KILN_TOOL_RANDOM_DATA_H

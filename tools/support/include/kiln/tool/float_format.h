//===- float_format.h - Rounding a double once --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Files hold doubles and floats; tensors hold any float type. Going through
// float on the way to bf16 would round twice, so each format is rounded
// directly from the double: to nearest, ties to even. Overflow gives infinity,
// or NaN if the type has no infinity. f8e8m0 holds powers of two: values that
// are too small, including zero, give the smallest; negative, infinite and NaN
// values give NaN.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_FLOAT_FORMAT_H
#define KILN_TOOL_FLOAT_FORMAT_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kiln::tool {

/// The bits of `value` in the float type `dtype`. For a packed type, the bits
/// of one of its four values.
std::uint32_t encodeFloat(double value, isa::DType dtype);

/// The value of `bits`; exact.
double decodeFloat(std::uint32_t bits, isa::DType dtype);

/// Bits of one value; for a packed type, of one of its four values.
constexpr unsigned bitsOfValue(isa::DType dtype) {
  return 8 * isa::sizeInBytes(dtype) / isa::info(dtype).values;
}

/// The smallest and largest number of an integer type.
struct IntegerRange {
  std::int64_t low, high;
};
constexpr IntegerRange rangeOf(isa::DType dtype) {
  if (dtype == isa::DType::boolean)
    return {0, 1};
  const unsigned bits = 8 * isa::sizeInBytes(dtype);
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return isa::info(dtype).isSigned ? IntegerRange{-half, half - 1}
                                   : IntegerRange{0, 2 * half - 1};
}

/// The bits of value `index` of a tensor. The values of a packed element count
/// separately, the first in the low bits.
std::uint32_t loadBits(const std::uint8_t *bytes, std::uint64_t index,
                       isa::DType dtype);
void storeBits(std::uint8_t *bytes, std::uint64_t index, isa::DType dtype,
               std::uint32_t bits);

/// The value of `bits` of any type.
double decodeValue(std::uint32_t bits, isa::DType dtype);
/// All values of a tensor; those of packed elements count separately.
std::vector<double> decodeValues(std::span<const std::uint8_t> bytes,
                                 isa::DType dtype);
inline std::vector<double> decodeValues(const std::vector<std::uint8_t> &bytes,
                                        isa::DType dtype) {
  return decodeValues(std::span<const std::uint8_t>(bytes), dtype);
}
/// The reverse: floats are rounded; integers must fit and stay as they are.
std::vector<std::uint8_t> encodeValues(const std::vector<double> &values,
                                       isa::DType dtype);

} // namespace kiln::tool

#endif // KILN_TOOL_FLOAT_FORMAT_H

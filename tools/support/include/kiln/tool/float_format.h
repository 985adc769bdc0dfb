//===- float_format.h - Rounding a double once --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Files hold doubles and floats, tensors any float type. Going through float on
// the way to bf16 would round twice, so each format is rounded to straight from
// the double: to nearest, ties to even, overflow to infinity, or to NaN where a
// type has none. f8e8m0 holds powers of two: what is too small, zero too, gives
// the smallest; what is negative, infinite or NaN gives NaN.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_FLOAT_FORMAT_H
#define KILN_TOOL_FLOAT_FORMAT_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <vector>

namespace kiln::tool {

/// The bits of `value` in the float type `dtype`. Of a packed type it is the
/// bits of one of its four values.
std::uint32_t encodeFloat(double value, isa::DType dtype);

/// The value of `bits`; exact.
double decodeFloat(std::uint32_t bits, isa::DType dtype);

/// Bits of one value: of a packed type those of one of its four.
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

/// The bits of value `index` of a tensor; those of a packed element count
/// singly, the first in the low bits.
std::uint32_t loadBits(const std::uint8_t *bytes, std::uint64_t index,
                       isa::DType dtype);
void storeBits(std::uint8_t *bytes, std::uint64_t index, isa::DType dtype,
               std::uint32_t bits);

/// What `bits` of any type stand for.
double decodeValue(std::uint32_t bits, isa::DType dtype);
/// All values of a tensor, packed ones singly.
std::vector<double> decodeValues(const std::vector<std::uint8_t> &bytes,
                                 isa::DType dtype);
/// The other way: floats rounded, integers, which must fit, as they are.
std::vector<std::uint8_t> encodeValues(const std::vector<double> &values,
                                       isa::DType dtype);

} // namespace kiln::tool

#endif // KILN_TOOL_FLOAT_FORMAT_H

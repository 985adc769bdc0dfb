//===- Bits.cpp - Numbers as bits, where views see them -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bits.h"
#include "Number.h"

#include <algorithm>
#include <cmath>

namespace kiln::interpret {

namespace {

/// The bits of a float below the sign: exponent, fraction.
struct BitFormat {
  int exponentBits, fractionBits, bias;
};

BitFormat bitFormatOf(DType dtype) {
  switch (dtype) {
  case DType::bf16:
    return {8, 7, 127};
  case DType::f16:
    return {5, 10, 15};
  case DType::f8e4m3:
  case DType::f8e4m3fn:
  case DType::f8e4m3fn_x4:
    return {4, 3, 7};
  case DType::f8e5m2:
  case DType::f8e5m2_x4:
    return {5, 2, 15};
  case DType::f4e2m1fn_x4:
    return {2, 1, 1};
  default:
    return {8, 23, 127};
  }
}

unsigned widthOf(DType dtype) {
  return 8 * isa::sizeInBytes(dtype) / isa::info(dtype).values;
}

std::uint32_t maskOf(unsigned width) {
  return width >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << width) - 1;
}

/// Nothing for NaN, which has many encodings.
std::optional<std::uint32_t> encoded(DType dtype, double value) {
  const unsigned width = widthOf(dtype);
  if (!isa::isFloat(dtype))
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) &
           maskOf(width);
  if (std::isnan(value))
    return std::nullopt;
  if (dtype == DType::f8e8m0) // A power of two.
    return static_cast<std::uint32_t>(std::ilogb(value) + 127);
  const BitFormat format = bitFormatOf(dtype);
  const std::uint32_t sign = std::signbit(value) ? 1U << (width - 1) : 0;
  const int least = 1 - format.bias;
  if (std::isinf(value))
    return sign | ((1U << format.exponentBits) - 1) << format.fractionBits;
  const double magnitude = std::fabs(value);
  const int exponent =
      magnitude == 0 ? least : std::max(std::ilogb(magnitude), least);
  // With the leading bit, which is 0 in a small number.
  const auto digits = static_cast<std::uint32_t>(
      std::ldexp(magnitude, format.fractionBits - exponent));
  const auto biased = static_cast<std::uint32_t>(exponent - least);
  return sign | ((biased << format.fractionBits) + digits);
}

Nibbles allOf(Nibble state) {
  Nibbles bits{};
  bits.fill(state);
  return bits;
}

} // namespace

Nibbles bitsOf(DType dtype, const Number &n) {
  if (isUnwritten(n))
    return allOf(unwrittenBits);
  const std::optional<std::uint32_t> code =
      n.bound == 0 ? encoded(dtype, n.value) : std::nullopt;
  if (!code)
    return allOf(unknownBits);
  Nibbles bits = allOf(unknownBits);
  const unsigned count = widthOf(dtype) / 4;
  for (unsigned i = 0; i < count; ++i)
    bits[i] = static_cast<std::int8_t>(*code >> 4 * i & 15);
  if (isa::isFloat(dtype) && n.value == 0)
    bits[count - 1] = unknownBits;
  return bits;
}

Number numberOf(DType dtype, const Nibbles &bits) {
  const auto end = bits.begin() + widthOf(dtype) / 4;
  if (std::find(bits.begin(), end, unwrittenBits) != end)
    return unwritten();
  if (std::find(bits.begin(), end, unknownBits) != end)
    return unknown();
  std::uint32_t code = 0;
  for (auto at = end; at != bits.begin();)
    code = code << 4 | static_cast<std::uint32_t>(*--at);
  return exactly(decodeElement(dtype, code));
}

Nibbles bitsIn(const Storage &storage, std::int64_t element, std::size_t part) {
  const auto at = static_cast<std::size_t>(element) * storage.perElement + part;
  if (const auto found = storage.partial.find(at);
      found != storage.partial.end())
    return found->second;
  return bitsOf(storage.dtype, storage.numbers[at]);
}

namespace {

/// Calls `use(number, nibble, own)` for each four bits of a number of `seen`:
/// those of number `number` of the memory behind it.
template <class Use>
void forEachNibble(const Storage &seen, std::int64_t element, std::size_t part,
                   const Use &use) {
  const std::size_t own = widthOf(seen.dtype) / 4,
                    other = widthOf(seen.seenOf->dtype) / 4;
  const std::size_t first =
      (static_cast<std::size_t>(element) * seen.perElement + part) * own;
  for (std::size_t i = 0; i < own; ++i)
    use((first + i) / other, (first + i) % other, i);
}

} // namespace

Number readSeen(const Storage &seen, std::int64_t element, std::size_t part) {
  const Storage &memory = *seen.seenOf;
  Nibbles bits = allOf(unknownBits);
  forEachNibble(seen, element, part,
                [&](std::size_t number, std::size_t nibble, std::size_t own) {
                  const auto per = memory.perElement;
                  bits[own] =
                      bitsIn(memory, static_cast<std::int64_t>(number / per),
                             number % per)[nibble];
                });
  return numberOf(seen.dtype, bits);
}

void writeSeen(Storage &seen, std::int64_t element, const Number &n,
               std::size_t part) {
  Storage &memory = *seen.seenOf;
  const Nibbles bits = bitsOf(seen.dtype, n);
  forEachNibble(seen, element, part,
                [&](std::size_t number, std::size_t nibble, std::size_t own) {
                  const auto per = memory.perElement;
                  Nibbles merged =
                      bitsIn(memory, static_cast<std::int64_t>(number / per),
                             number % per);
                  merged[nibble] = bits[own];
                  memory.numbers[number] = numberOf(memory.dtype, merged);
                  // A number determines all of its bits, unless some of them
                  // are missing.
                  if (memory.numbers[number].bound == 0 &&
                      bitsOf(memory.dtype, memory.numbers[number]) == merged)
                    memory.partial.erase(number);
                  else
                    memory.partial[number] = merged;
                });
}

} // namespace kiln::interpret

//===- Bits.h - Numbers as bits, where views see them
//----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory holds numbers. A view of another type sees their bits: the low ones
// first, four at a time, because the packed types have elements of four.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_BITS_H
#define KILN_INTERPRET_BITS_H

#include "Storage.h"

#include <array>
#include <optional>

namespace kiln::interpret {

/// Four bits: 0 to 15, or one of these.
enum Nibble : std::int8_t { unknownBits = -1, unwrittenBits = -2 };
/// Of an element: two for each of its bytes, the low ones first.
using Nibbles = std::array<std::int8_t, 8>;

/// The bits of a number of a type, as far as they are known: the sign of a zero
/// is not, because machines may differ in it.
Nibbles bitsOf(DType dtype, const Number &n);
/// The number that has these bits.
Number numberOf(DType dtype, const Nibbles &bits);

/// The bits of one number of a storage. `part` is that of a packed element.
Nibbles bitsIn(const Storage &storage, std::int64_t element, std::size_t part);

/// A number of memory that is seen as another type; and one that is written.
Number readSeen(const Storage &seen, std::int64_t element, std::size_t part);
void writeSeen(Storage &seen, std::int64_t element, const Number &n,
               std::size_t part);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_BITS_H

//===- shapes.h - Numbers that shapes must fit ----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same for every generation: the limits of access patterns on chip, and how
// instructions group lanes and rows.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_SHAPES_H
#define KILN_ISA_SHAPES_H

#include <cstdint>

namespace kiln::isa {

/// The limit of a free dimension of an operand on chip, in elements.
inline constexpr std::int64_t maxDimSize = 65535;
inline constexpr std::int64_t minStride = -32768, maxStride = 32767;

/// In a partition, of an operand.
inline constexpr std::int64_t maxSbufElements = 65536, maxPsumElements = 4096;

/// Lanes that one core of the GpSimd engine serves.
inline constexpr unsigned poolLanes = 16;

/// Rows that an element of a packed type holds, those that share a scale, and
/// packed rows that do.
inline constexpr std::int64_t packedRows = 4, scaledRows = 32,
                              rowsOfScale = scaledRows / packedRows;

/// Numbers of buffers that an operand can name, from 1 on.
inline constexpr std::uint32_t maxBuffers = 65535;

} // namespace kiln::isa

#endif // KILN_ISA_SHAPES_H

//===- PlanTimes.h - What the executor takes for parts of a plan -*- C++ -*-==//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is compared with others before it has instructions. These are the
// times that kiln::machine gives to the instructions that it would have, in ns.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_PLANTIMES_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_PLANTIMES_H

#include "kiln/isa/limits.h"
#include "kiln/isa/target.h"

#include "mlir/IR/Types.h"

namespace kiln::compiler::tile {

/// Of a tile that lies in more than one slot of all partitions.
inline constexpr int64_t rowsOfSlot = isa::maxPartitions;

struct TransferTime {
  double longest = 0;   ///< Of one DMA engine.
  double mean = 0;      ///< Of all of them.
  double generator = 0; ///< Of descriptors.
};

/// Between HBM, where rows lie apart, and a tile.
TransferTime transferTime(int64_t rows, int64_t columns, mlir::Type element,
                          const isa::Target &target);
/// In transfers of up to 128 columns, all of them.
TransferTime transposedTransferTime(int64_t rows, int64_t columns,
                                    mlir::Type element,
                                    const isa::Target &target);
/// TensorE transposes 128 x 128 elements.
double transposeTime(mlir::Type element, const isa::Target &target);

/// TensorE multiplies 128 rows of `columns` columns, a bank or less, by 128.
double multiplyTime(int64_t columns, mlir::Type element,
                    const isa::Target &target);
/// A product of as many columns is copied out of PSUM and added to a sum of f32
/// in SBUF.
double addTime(int64_t columns, const isa::Target &target);

/// VectorE adds a product of as many columns in PSUM to a sum of f32 in SBUF.
double sumTime(int64_t columns, const isa::Target &target);

/// VectorE combines each of `elements` elements per partition with a value of
/// its row, or `ofTwoTiles` with an element of another tile. It is the time of
/// scalar_tensor_tensor, which most chains become: a plan knows neither the
/// memories nor the types that a fast mode asks for.
double elementwiseTime(int64_t elements, bool ofTwoTiles,
                       const isa::Target &target);

/// VectorE packs four rows of each of `columns` columns, of 128 partitions.
double quantizeTime(int64_t columns, mlir::Type element, mlir::Type packed,
                    const isa::Target &target);
/// VectorE copies `columns` columns of 128 partitions out of PSUM.
double emptyTime(int64_t columns, mlir::Type element,
                 const isa::Target &target);

/// From the trigger of a transfer of nothing to its token.
double transferLatency(const isa::Target &target);
/// From asking for a block of instructions to its arrival.
double fetchLatency(const isa::Target &target);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_PLANTIMES_H

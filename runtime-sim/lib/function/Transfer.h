//===- Transfer.h - What a DMA moves ----------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_TRANSFER_H
#define KILN_SIM_LIB_FUNCTION_TRANSFER_H

#include "Lanes.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::sim {

/// The rows of an HBM operand, listed by an index operand.
struct RowIndices {
  View index; ///< Read lane first.
  View rows;  ///< The indexed operand; its layout is that of one row.
  std::uint64_t count = 0;
  std::int64_t stride = 0; ///< Bytes from row to row.
  std::int64_t extent = 0; ///< Rows of the tensor.
  std::int64_t offset = 0; ///< Of the first row in the tensor.
  std::int64_t tensorBytes = 0;
  bool isSigned = false;
};

/// A DMA, resolved when it issued.
struct TransferViews {
  View dst;
  std::vector<View> srcs;
  bool transpose = false;
  bool adds = false;  ///< dma_compute.
  bool skips = false; ///< Rows outside the tensor are left out.
  /// At most one side has them. A dma_compute that scatters has them for its
  /// first source as well.
  std::optional<RowIndices> dstRows, srcRows;
  unsigned queue = 0;
  /// Rows, middle and columns of what a transpose reads.
  std::uint64_t rows = 1, middle = 1, columns = 1;
  /// Which transfer of which engine this is, for stochastic rounding.
  isa::Engine engine = isa::Engine::sync;
  std::uint64_t serial = 0;
};

/// True if this is a DMA of one core.
bool isTransfer(const isa::Body &body);
/// The operands of a DMA at the addresses that the registers now give.
TransferViews prepareTransfer(Lanes &lanes, const isa::Body &body,
                              const StreamCursor &cursor);
/// Moves its bytes. Returns the error in an index, if there is one.
std::optional<std::string> moveTransfer(Lanes &lanes,
                                        const TransferViews &views);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_TRANSFER_H

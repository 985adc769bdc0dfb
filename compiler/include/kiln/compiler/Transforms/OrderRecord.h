//===- OrderRecord.h - What nc-note-order has noted -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORMS_ORDERRECORD_H
#define KILN_COMPILER_TRANSFORMS_ORDERRECORD_H

#include "mlir/IR/BuiltinAttributes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::compiler::nc {

/// Numbers follow the text, so an operation is earlier than another one if its
/// number is smaller, or if they are in a common loop and it is of an earlier
/// iteration.
struct OrderRecord {
  static constexpr int64_t none = -1; ///< No loop; unknown trips.
  /// As `trips`: of a loop whose bounds say no more.
  static constexpr int64_t atMostOnce = -2;
  static constexpr int64_t once = -1; ///< As `writes`: counted, not measured.

  struct Loop {
    int64_t number = 0;
    int64_t trips = none;
    int64_t begin = 0; ///< First value of its counter; the least if unknown.
  };
  /// By number: the number of the loop around it.
  std::vector<int64_t> parents;
  /// By number: how many elements it writes, or `once`, or 0.
  std::vector<int64_t> writes;
  std::vector<Loop> loops;
  /// Numbers count for all memory, not only for that of the source.
  bool allMemory = false;

  int64_t add(int64_t loop, int64_t elements) {
    parents.push_back(loop);
    writes.push_back(elements);
    return static_cast<int64_t>(parents.size()) - 1;
  }

  mlir::Attribute toAttribute(mlir::MLIRContext *context) const;
  static std::optional<OrderRecord> fromAttribute(mlir::Attribute attribute);
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_TRANSFORMS_ORDERRECORD_H

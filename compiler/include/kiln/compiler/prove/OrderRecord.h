//===- OrderRecord.h - What nc-note-order has noted -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROVE_ORDERRECORD_H
#define KILN_COMPILER_PROVE_ORDERRECORD_H

#include "mlir/IR/BuiltinAttributes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::compiler::nc {

/// Numbers follow the text. So an operation is earlier than another one if its
/// number is smaller, or if both are in a common loop and it is in an earlier
/// iteration.
struct OrderRecord {
  static constexpr int64_t none = -1; ///< No loop; unknown trips.
  /// As `trips`: a loop about whose trips nothing more is known.
  static constexpr int64_t atMostOnce = -2;
  static constexpr int64_t once = -1; ///< As `writes`: runs, not elements.

  struct Loop {
    int64_t number = 0;
    int64_t trips = none;
    int64_t begin = 0; ///< First value of its counter; the lowest if unknown.
  };
  /// For each number, the number of the loop around it.
  std::vector<int64_t> parents;
  /// For each number, the elements that it writes, or `once`, or 0.
  std::vector<int64_t> writes;
  std::vector<Loop> loops;
  /// The numbers order all memory, not only that of the source.
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

#endif // KILN_COMPILER_PROVE_ORDERRECORD_H

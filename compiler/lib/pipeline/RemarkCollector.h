//===- RemarkCollector.h - Remarks of passes as values --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PIPELINE_REMARKCOLLECTOR_H
#define KILN_COMPILER_LIB_PIPELINE_REMARKCOLLECTOR_H

#include "kiln/compiler/compile.h"

#include "mlir/IR/Remarks.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::compiler {

/// Appends what the passes remark to a list. A line that is recorded a thousand
/// times is remarked on once, with the number of times.
class RemarkCollector : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkCollector(std::vector<CompileRemark> &remarks)
      : remarks(remarks) {}

  /// From now on, `context` hands every remark to a collector of `remarks`,
  /// which belongs to it. Null if it has another one.
  static RemarkCollector *listen(mlir::MLIRContext &context,
                                 std::vector<CompileRemark> &remarks);

  /// The list has only its first `count` remarks now.
  void keepFirst(std::size_t count) {
    std::erase_if(known,
                  [&](const auto &entry) { return entry.second >= count; });
  }

  void
  streamOptimizationRemark(const mlir::remark::detail::Remark &remark) override;

private:
  std::vector<CompileRemark> &remarks;
  std::map<std::string, std::size_t> known; ///< Index, by what is printed.
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_PIPELINE_REMARKCOLLECTOR_H

//===- MeasuredGroup.h - What blocks take, here or there --------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_MEASUREDGROUP_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_MEASUREDGROUP_H

#include "BodyLoads.h"
#include "TransposeGroup.h"

#include <optional>
#include <vector>

namespace kiln::compiler::nc {

/// A group whose blocks may move to the DMA engines. Each block is measured
/// once, as what it is and as what may take its place.
class MeasuredGroup {
public:
  explicit MeasuredGroup(const TransposeGroup &group)
      : group(&group), blocks(group.blocks().size()), transfers(blocks.size()),
        copies(blocks.size() + 1) {}

  /// Where the first `kept` blocks stay.
  void addTo(BodyLoads &loads, size_t kept) {
    for (size_t i = 0; i < kept; ++i)
      loads.add(
          once(blocks[i], [&] { return loads.measure(group->blocks()[i]); }));
    for (size_t i = kept; i < blocks.size(); ++i)
      loads.add(once(transfers[i], [&] {
        NcInstruction transfer = group->makeTransfer(i);
        // With the descriptors that nc-pipeline-loops gives it.
        transfer->setAttr(
            dgeModeAttrName,
            DgeModeAttr::get(transfer->getContext(), isa::DgeMode::none));
        return measureAndErase(loads, transfer);
      }));
    if (kept == 0)
      return;
    loads.add(once(copies[kept], [&] {
      return kept == blocks.size()
                 ? loads.measure(group->copy())
                 : measureAndErase(loads, group->makeCopy(kept));
    }));
  }

private:
  using Measured = std::optional<BodyLoads::Part>;

  static const BodyLoads::Part &
  once(Measured &part, llvm::function_ref<BodyLoads::Part()> measure) {
    if (!part)
      part = measure();
    return *part;
  }

  /// An operation that is created only to be measured.
  static BodyLoads::Part measureAndErase(const BodyLoads &loads,
                                         NcInstruction op) {
    BodyLoads::Part part = loads.measure(op);
    llvm::SmallVector<mlir::Operation *, 4> views;
    for (mlir::Value operand : op->getOperands())
      views.push_back(operand.getDefiningOp());
    op->erase();
    for (mlir::Operation *view : views)
      if (view && view->use_empty())
        view->erase();
    return part;
  }

  const TransposeGroup *group;
  std::vector<Measured> blocks, transfers; ///< By block.
  std::vector<Measured> copies;            ///< By the blocks that stay.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_MEASUREDGROUP_H

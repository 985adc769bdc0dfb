//===- MergeEqual.cpp - Equal operations are one --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/SourceOrder.h"
#include "kiln/compiler/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCMERGEEQUAL
#include "kiln/compiler/Transforms/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;

namespace {

/// A read that stands for another one must see what that one would have seen.
struct NoteMerged : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, Operation *kept) override {
    kiln::compiler::nc::noteMerged(kept, op);
  }
};

class MergeEqual
    : public kiln::compiler::nc::impl::NcMergeEqualBase<MergeEqual> {
public:
  void runOnOperation() override {
    NoteMerged listener;
    IRRewriter rewriter(&getContext(), &listener);
    eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(),
                                  getOperation());
  }
};

} // namespace

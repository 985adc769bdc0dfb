//===- MultiBuffer.cpp - Copies of loop-local buffers --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Passes.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCMULTIBUFFER
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

static constexpr Remarks remarks("nc-multi-buffer");

namespace {

class MultiBuffer
    : public kiln::compiler::nc::impl::NcMultiBufferBase<MultiBuffer> {
public:
  using Base::Base;

  void runOnOperation() override {
    if (copies < 1) {
      getOperation().emitError() << Code{"KILN-C111"}
                                 << "nc-multi-buffer needs at least 1 "
                                    "copy, found 0";
      return signalPassFailure();
    }
    getOperation().walk([&](AllocOp alloc) {
      auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
      if (!loop || alloc.getSpace() == Space::hbm || alloc.getRing() != 1 ||
          alloc.getPinByte() || alloc->hasAttr(userRingAttrName) ||
          loop->hasAttr(onceAttrName) || alloc->hasAttr(copyAttrName) ||
          alloc.getMemory().use_empty())
        return;
      std::optional<uint64_t> trips = constantTrips(loop);
      if (trips && *trips < 2)
        return;
      remarks.passed(alloc, "Buffered")
          << count("copies", unsigned(copies)) << " copies of "
          << count("bytes", alloc.getBytesPerPartition())
          << " bytes of a partition: the next iteration fills another one";
      alloc.setRing(copies);
    });
  }
};

} // namespace

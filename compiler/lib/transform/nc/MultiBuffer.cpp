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

static constexpr Remarks multiBufferRemarks("nc-multi-buffer");

namespace {

/// Of what a DMA brings to a loop that data bounds: with pages of a quarter of
/// a megabyte, 8 to 12 us of transfers.
constexpr unsigned copiesAhead = 8;

class MultiBuffer
    : public kiln::compiler::nc::impl::NcMultiBufferBase<MultiBuffer> {
public:
  using Base::Base;

  /// Whether a DMA fills it from HBM.
  static bool isLoaded(Value memory) {
    return llvm::any_of(memory.getUsers(), [&](Operation *view) {
      return llvm::any_of(view->getUsers(), [&](Operation *user) {
        auto instruction = dyn_cast<NcInstruction>(user);
        if (!instruction || !infoOf(instruction).isDma)
          return false;
        bool writes = false, fromHbm = false;
        for (const MemoryAccess &access : accessesOf(instruction)) {
          writes |= access.writes() && access.base == memory;
          fromHbm |=
              !access.writes() && access.shape.space == kiln::isa::Space::hbm;
        }
        return writes && fromHbm;
      });
    });
  }

  void runOnOperation() override {
    if (copies < 1) {
      getOperation().emitError()
          << Code{"KILN-C111"} << "nc-multi-buffer needs "
          << allowed("at least 1") << " copy, found " << found("0");
      return signalPassFailure();
    }
    getOperation().walk([&](AllocOp alloc) {
      auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
      if (!loop || alloc.getSpace() == Space::hbm || alloc.getRing() != 1 ||
          alloc->hasAttr(userRingAttrName) || loop->hasAttr(onceAttrName) ||
          alloc->hasAttr(copyAttrName) || alloc.getMemory().use_empty())
        return;
      std::optional<uint64_t> trips = constantTrips(loop);
      if (trips && *trips < 2)
        return;
      if (alloc.getPinByte()) {
        multiBufferRemarks.missed(alloc, "NotBuffered")
            << "it is pinned to one place, so each iteration waits for the "
               "readers of the previous one";
        return;
      }
      // A transfer takes long to arrive: one more copy may be on its way. A
      // loop that data bounds is not pipelined: only the distance by which its
      // loads run ahead hides the work before it.
      unsigned ring = copies;
      if (copies > 1 && isLoaded(alloc.getMemory()))
        ring = isBoundByData(llvm::cast<scf::ForOp>(alloc->getParentOp()))
                   ? std::max(copies.getValue(), copiesAhead)
                   : copies + 1;
      multiBufferRemarks.passed(alloc, "Buffered")
          << count("copies", ring) << " copies of "
          << count("bytes", alloc.getBytesPerPartition())
          << noun(alloc.getBytesPerPartition(), " byte")
          << " per partition: the next iteration fills another one";
      alloc.setRing(ring);
    });
  }
};

} // namespace

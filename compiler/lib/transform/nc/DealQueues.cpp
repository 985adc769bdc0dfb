//===- DealQueues.cpp - Queues in turn for what runs once -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queues are chosen in the order of the text, then nc-order changes it. Two
// transfers of one queue start a good part of a microsecond apart, so those
// that follow each other must not be in one. In a loop, descriptors take longer
// than that.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Passes.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCDEALQUEUES
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks dealQueuesRemarks("nc-deal-queues");

namespace {

class DealQueues
    : public kiln::compiler::nc::impl::NcDealQueuesBase<DealQueues> {
public:
  void runOnOperation() override {
    std::array<SmallVector<NcInstruction>, isa::numEngines> transfers;
    for (auto op : getOperation().getOps<NcInstruction>())
      if (isDealt(op))
        transfers[static_cast<size_t>(*op.getAssignedEngine())].push_back(op);
    for (ArrayRef<NcInstruction> ofStream : transfers)
      deal(ofStream);
  }

private:
  static bool isDealt(NcInstruction op) {
    const auto mode = op->getAttrOfType<DgeModeAttr>(dgeModeAttrName);
    return op->hasAttr(dealtQueueAttrName) && mode &&
           mode.getValue() == isa::DgeMode::none && op.getAssignedEngine();
  }

  static StringRef streamOf(ArrayRef<NcInstruction> transfers) {
    NcInstruction first = transfers.front();
    return isa::name(*first.getAssignedEngine());
  }

  static void deal(ArrayRef<NcInstruction> transfers) {
    SmallVector<IntegerAttr> queues;
    for (NcInstruction op : transfers)
      queues.push_back(op->getAttrOfType<IntegerAttr>(queueAttrName));
    llvm::sort(queues, [](IntegerAttr a, IntegerAttr b) {
      return a.getInt() < b.getInt();
    });
    queues.erase(llvm::unique(queues), queues.end());
    for (auto [i, op] : llvm::enumerate(transfers))
      op->setAttr(queueAttrName, queues[i % queues.size()]);
    if (queues.size() > 1)
      dealQueuesRemarks.passed(transfers.front(), "Dealt")
          << measure("transfers", transfers.size()) << " transfers of "
          << streamOf(transfers) << " alternate between "
          << measure("queues", queues.size()) << " queues";
    else if (transfers.size() > 1)
      dealQueuesRemarks.missed(transfers.front(), "NotDealt")
          << measure("transfers", transfers.size()) << " transfers of "
          << streamOf(transfers)
          << " share the one queue that nc-choose-engines gave them";
  }
};

} // namespace

//===- FixDescriptors.cpp - Descriptors made before the kernel runs -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transfer that runs once, between addresses that are known, needs no
// descriptors made while the kernel runs: its stream continues at once, while
// generating them takes half a microsecond or more.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Passes.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCFIXDESCRIPTORS
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks fixDescriptorsRemarks("nc-fix-descriptors");

namespace {

class FixDescriptors
    : public kiln::compiler::nc::impl::NcFixDescriptorsBase<FixDescriptors> {
public:
  void runOnOperation() override {
    size_t fixed = 0, open = 0;
    NcInstruction first, firstOpen;
    for (auto op : getOperation().getOps<NcInstruction>()) {
      if (!isOpen(op))
        continue;
      if (!isFixed(op)) {
        if (open++ == 0)
          firstOpen = op;
        continue;
      }
      op->setAttr(dgeModeAttrName,
                  DgeModeAttr::get(op->getContext(), isa::DgeMode::none));
      if (fixed++ == 0)
        first = op;
    }
    if (fixed > 0)
      fixDescriptorsRemarks.passed(first, "Fixed")
          << measure("transfers", fixed) << noun(fixed, " transfer")
          << " outside loops " << noun(fixed, "has a", "have") << " known "
          << noun(fixed, "address", "addresses")
          << ": descriptors are generated before the kernel runs";
    if (open > 0)
      fixDescriptorsRemarks.missed(firstOpen, "NotFixed")
          << "a register or an index gives the address of "
          << measure("transfers", open) << noun(open, " transfer")
          << " outside loops: descriptors are generated while the kernel runs";
  }

private:
  /// A copy or transpose for which the user chose no descriptors.
  static bool isOpen(NcInstruction op) {
    const isa::Opcode opcode = infoOf(op).opcode;
    const auto mode = op->getAttrOfType<DgeModeAttr>(dgeModeAttrName);
    return (opcode == isa::Opcode::DmaCopy ||
            opcode == isa::Opcode::DmaTranspose) &&
           (!mode || mode.getValue() == isa::DgeMode::unknown);
  }

  static bool isFixed(NcInstruction op) {
    return llvm::all_of(accessesOf(op), [](const MemoryAccess &access) {
      return !access.isIndexed && formOfOffset(access).isConstant();
    });
  }
};

} // namespace

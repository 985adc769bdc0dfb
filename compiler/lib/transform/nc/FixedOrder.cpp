//===- FixedOrder.cpp - What keeps iterations from overlapping ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Promises.h"

using namespace mlir;
using namespace kiln::compiler::nc;

StringRef kiln::compiler::nc::whyOrderIsFixed(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op))
    return alloc.getPinByte() || alloc.getRing() != 1 ||
                   alloc->hasAttr(userRingAttrName)
               ? "the program places the memory of the loop"
               : "";
  auto instruction = dyn_cast<NcInstruction>(op);
  if (!instruction)
    return "";
  if (hasUserTokens(op) || labelOf(op) || orderedPlace(op))
    return "the program fixes the order of its instructions";
  // Both sides would have to move in the same way.
  if (meetsPeers(instruction))
    return "it synchronises with other cores or ranks";
  return "";
}

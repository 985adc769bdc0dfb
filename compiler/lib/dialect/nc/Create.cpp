//===- Create.cpp - Instructions by their mnemonic ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Create.h"

using namespace mlir;
using namespace kiln::compiler::nc;

void kiln::compiler::nc::addOperandGroups(OperationState &state,
                                          StringRef mnemonic,
                                          uint32_t present) {
  const auto opcode =
      isa::parseOpcode(std::string_view(mnemonic.data(), mnemonic.size()));
  SmallVector<int32_t> sizes;
  unsigned optional = 0;
  for (const isa::OperandInfo &operand : isa::info(*opcode).operands) {
    if (isa::isValue(operand.kind))
      sizes.push_back(static_cast<int32_t>(present >> sizes.size() & 1));
    optional += isa::isOptionalValue(operand.kind);
  }
  // One that may be absent is counted by what is left for it.
  if (optional > 1)
    state.addAttribute("operandSegmentSizes",
                       Builder(state.getContext()).getDenseI32ArrayAttr(sizes));
}

NcInstruction kiln::compiler::nc::createInstruction(
    OpBuilder &builder, Location where, StringRef mnemonic,
    ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  OperationState state(where, nc::operationName(mnemonic));
  uint32_t present = 0;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand) {
      present |= uint32_t(1) << i;
      state.addOperands(operand);
    }
  addOperandGroups(state, mnemonic, present);
  state.addAttributes(attributes);
  return cast<NcInstruction>(builder.create(state));
}

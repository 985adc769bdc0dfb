//===- Apply.cpp - Instructions on whole tiles ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/isa/info.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/EnumText.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// One instruction for each 128 rows, its operands in the order of its record.
LogicalResult Lowering::lowerApply(ApplyOp op) {
  const isa::InstructionInfo &info = isa::info(op.getOpcode());
  const StringRef mnemonic = nc::textOf(op.getOpcode());
  llvm::StringMap<Ref> named;
  for (auto [name, input] :
       llvm::zip(op.getNames().getAsValueRange<StringAttr>(), op.getInputs()))
    named[name] = toSbuf(input);
  const Ref &to = destination(op.getResult());
  if (op.getRowSum())
    named["reduce_res"] = destination(op.getRowSum());
  for (const Part &part : slotsOf(to.rows)) {
    SmallVector<Value> operands;
    for (const isa::OperandInfo &operand : info.operands) {
      if (!isa::isValue(operand.kind))
        continue;
      const StringRef name(operand.name.data(), operand.name.size());
      auto found = named.find(name);
      if (found == named.end() && name != "dst") {
        operands.emplace_back();
        continue;
      }
      const Ref &ref = found == named.end() ? to : found->second;
      if (!fits(ref, part))
        return op.emitError()
               << Code{"KILN-C178"} << "'" << name << "' of '" << mnemonic
               << "' has " << compiler::found(Twine(ref.free()))
               << " elements per partition, but one instruction takes "
               << compiler::allowed(Twine(maxDimSize))
               << "; apply it to windows of the columns";
      operands.push_back(view(ref, part));
    }
    emit(mnemonic, operands, llvm::to_vector(op.getFields()));
  }
  return success();
}

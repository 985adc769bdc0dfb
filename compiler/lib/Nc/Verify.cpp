//===- Verify.cpp - What generated verifiers of nc operations call --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Verify.h"

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

LogicalResult kiln::compiler::nc::emitUnknownEnumerator(Operation *op,
                                                        StringRef operand,
                                                        StringRef found) {
  return op->emitOpError("operand '")
         << operand << "' has no enumerator '" << found << "'";
}

LogicalResult kiln::compiler::nc::checkScalarOrTile(Operation *op,
                                                    StringRef operand,
                                                    Value view,
                                                    bool hasImmediate,
                                                    bool required) {
  if (view && hasImmediate)
    return op->emitOpError("operand '")
           << operand << "' is given both as a tile and as an immediate";
  if (required && !view && !hasImmediate)
    return op->emitOpError("needs operand '")
           << operand << "', a [P, 1] tile or the immediate '" << operand
           << "_value'";
  return success();
}

LogicalResult kiln::compiler::nc::checkIndexPattern(Operation *op,
                                                    StringRef operand,
                                                    ArrayRef<int64_t> steps,
                                                    ArrayRef<int64_t> sizes) {
  if (steps.size() != sizes.size() || steps.empty() ||
      steps.size() > isa::maxFreeDims)
    return op->emitOpError("operand '")
           << operand << "' needs 1 to " << isa::maxFreeDims
           << " pairs of step and size, found " << steps.size() << " steps and "
           << sizes.size() << " sizes";
  return success();
}

isa::IndexPattern
kiln::compiler::nc::makeIndexPattern(ArrayRef<int64_t> steps,
                                     ArrayRef<int64_t> sizes) {
  isa::IndexPattern pattern;
  for (auto [step, size] : llvm::zip(steps, sizes))
    pattern.dims[pattern.rank++] = isa::Dim{static_cast<std::int32_t>(step),
                                            static_cast<std::uint32_t>(size)};
  return pattern;
}

namespace {

/// Shapes and types are known, addresses are not.
class UnknownAddresses : public OperandResolver {
public:
  isa::Access access(Value view) override { return accessShape(view); }
  isa::RegisterOrInt index(Value value, std::int32_t constant) override {
    if (value)
      return isa::RegisterOrInt{isa::Register{0}};
    return isa::RegisterOrInt{constant};
  }
};

} // namespace

isa::Body kiln::compiler::nc::bodyWithoutAddresses(NcInstruction op) {
  UnknownAddresses resolver;
  return op.buildInstruction(resolver);
}

LogicalResult kiln::compiler::nc::verifyInstruction(NcInstruction op) {
  if (auto text = op->getAttrOfType<StringAttr>("engine"))
    if (!op.getAssignedEngine())
      return emitUnknownEnumerator(op, "engine", text.getValue());
  return success();
}

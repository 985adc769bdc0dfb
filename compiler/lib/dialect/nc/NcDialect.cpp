//===- NcDialect.cpp - The nc dialect: types and attributes ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/EnumText.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/isa/limits.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::compiler::nc;

#include "kiln/compiler/dialect/nc/NcDialect.cpp.inc"
#include "kiln/compiler/dialect/nc/NcEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "kiln/compiler/dialect/nc/NcAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "kiln/compiler/dialect/nc/NcTypes.cpp.inc"

void NcDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/compiler/dialect/nc/NcAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "kiln/compiler/dialect/nc/NcTypes.cpp.inc"
      >();
  registerOperations();
}

//===----------------------------------------------------------------------===//
// ViewType: !nc.view<128x512xf32, sbuf>
//===----------------------------------------------------------------------===//

mlir::Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef spelling;
  SMLoc spaceLoc;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.getCurrentLocation(&spaceLoc) || parser.parseKeyword(&spelling) ||
      parser.parseGreater())
    return {};
  std::optional<Space> space = symbolizeSpace(spelling);
  if (!space) {
    parser.emitError(spaceLoc, "expected hbm, sbuf or psum, found '")
        << spelling << "'";
    return {};
  }
  return ViewType::get(parser.getContext(), shape, elementType, *space);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape())
    printer << extent << "x";
  printer << getElementType() << ", " << stringifySpace(getSpace()) << ">";
}

//===----------------------------------------------------------------------===//
// TokenAttr: #nc.token<semaphore, value>
//===----------------------------------------------------------------------===//

LogicalResult TokenAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t semaphore, int64_t value) {
  namespace isa = kiln::isa;
  if (semaphore < 0 || semaphore >= isa::numSemaphores)
    return emitError() << "semaphores are 0 to " << isa::numSemaphores - 1
                       << ", found " << semaphore;
  if (value < 1 || value > isa::maxTokens)
    return emitError() << "a token has a value of 1 to " << isa::maxTokens
                       << ", found " << value;
  return success();
}

SmallVector<TokenAttr, 2> kiln::compiler::nc::tokensOf(Attribute list) {
  auto tokens = dyn_cast_if_present<ArrayAttr>(list);
  if (!tokens)
    return {};
  return llvm::to_vector<2>(tokens.getAsRange<TokenAttr>());
}

//===----------------------------------------------------------------------===//
// Element types and memory spaces
//===----------------------------------------------------------------------===//

Type kiln::compiler::nc::elementType(MLIRContext *context, isa::DType dtype) {
  Builder builder(context);
  switch (dtype) {
  case isa::DType::f32:
    return builder.getF32Type();
  case isa::DType::bf16:
    return builder.getBF16Type();
  case isa::DType::f16:
    return builder.getF16Type();
  case isa::DType::i32:
    return builder.getI32Type();
  case isa::DType::u8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case isa::DType::i8:
    return builder.getI8Type();
  case isa::DType::u16:
    return builder.getIntegerType(16, /*isSigned=*/false);
  case isa::DType::i16:
    return builder.getI16Type();
  case isa::DType::u32:
    return builder.getIntegerType(32, /*isSigned=*/false);
  case isa::DType::boolean:
    return builder.getI1Type();
  case isa::DType::tf32:
    return builder.getTF32Type();
  case isa::DType::f8e4m3:
    return Float8E4M3Type::get(context);
  case isa::DType::f8e4m3fn:
    return Float8E4M3FNType::get(context);
  case isa::DType::f8e5m2:
    return Float8E5M2Type::get(context);
  case isa::DType::f8e8m0:
    return Float8E8M0FNUType::get(context);
  case isa::DType::f8e4m3fn_x4:
    return VectorType::get({4}, Float8E4M3FNType::get(context));
  case isa::DType::f8e5m2_x4:
    return VectorType::get({4}, Float8E5M2Type::get(context));
  case isa::DType::f4e2m1fn_x4:
    return VectorType::get({4}, Float4E2M1FNType::get(context));
  }
  return {};
}

static std::optional<kiln::isa::DType> integerOf(IntegerType type) {
  namespace isa = kiln::isa;
  switch (type.getWidth()) {
  case 1:
    if (type.isSignless())
      return isa::DType::boolean;
    break;
  case 8:
    if (!type.isSigned())
      return type.isUnsigned() ? isa::DType::u8 : isa::DType::i8;
    break;
  case 16:
    if (!type.isSigned())
      return type.isUnsigned() ? isa::DType::u16 : isa::DType::i16;
    break;
  case 32:
    if (!type.isSigned())
      return type.isUnsigned() ? isa::DType::u32 : isa::DType::i32;
    break;
  default:
    break;
  }
  return std::nullopt;
}

/// The inverse of elementType. It makes no types: every operand of every
/// instruction is asked for its own, many times.
std::optional<kiln::isa::DType> kiln::compiler::nc::dtypeOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerOf(integer);
  if (llvm::isa<Float32Type>(type))
    return isa::DType::f32;
  if (llvm::isa<BFloat16Type>(type))
    return isa::DType::bf16;
  for (const isa::DTypeInfo &entry : isa::dtypeTable)
    if (type == elementType(type.getContext(), entry.dtype))
      return entry.dtype;
  return std::nullopt;
}

std::optional<Space> kiln::compiler::nc::spaceOf(MemRefType type) {
  if (auto attr = dyn_cast_or_null<SpaceAttr>(type.getMemorySpace()))
    return attr.getValue();
  return std::nullopt;
}

MemRefType kiln::compiler::nc::memoryType(MLIRContext *context,
                                          ArrayRef<int64_t> shape,
                                          isa::DType dtype, Space space) {
  return MemRefType::get(shape, elementType(context, dtype),
                         MemRefLayoutAttrInterface{},
                         SpaceAttr::get(context, space));
}

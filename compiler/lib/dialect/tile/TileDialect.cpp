//===- TileDialect.cpp - The tile dialect ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/tile/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

mlir::Attribute OperatorAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Operator> value = parseOperator(parser);
  if (failed(value) || parser.parseGreater())
    return {};
  return OperatorAttr::get(parser.getContext(), *value);
}

void OperatorAttr::print(AsmPrinter &printer) const {
  printer << "<" << textOf(getValue()) << ">";
}

#include "kiln/compiler/dialect/tile/TileDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "kiln/compiler/dialect/tile/TileAttributes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/compiler/dialect/tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/compiler/dialect/tile/TileOps.cpp.inc"
      >();
}

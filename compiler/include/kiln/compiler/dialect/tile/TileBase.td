//===- TileBase.td - The tile dialect ----------------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TILE_BASE
#define KILN_TILE_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "kiln/compiler/dialect/nc/NcBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::kiln::compiler::tile";
  let summary = "What a kernel computes, on tiles of any size";
  let description = [{
    Values are builtin tensors: dimension 0 is rows, which may exceed the 128
    partitions of the machine; they are immutable and have no memory. Buffers,
    which may be assigned, are memrefs from `tile.declare`. HBM tensors are
    memrefs: function arguments or `nc.alloc`. Nothing here names an engine.

    A *view* on any of them is `row`, `offset(indices)`, `sizes`, `strides`, in
    elements. On tiles and buffers dimension 0 of the view is rows: it starts
    at `row` and has stride 1; `offset` and the other strides address the
    row-major free dimensions. In HBM all of them address the row-major tensor.
    Stride 0 repeats.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::kiln::compiler::nc::NcDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def Tile_OperatorAttr : AttrDef<Tile_Dialect, "Operator"> {
  let mnemonic = "operator";
  let summary = "an operator of the instruction set, or divide";
  let description = [{
    `#tile.operator<add>`. No engine divides: tile-legalize multiplies by a
    reciprocal instead.
  }];
  let parameters = (ins "::kiln::compiler::tile::Operator":$value);
  let hasCustomAssemblyFormat = 1;
  let returnType = "::kiln::compiler::tile::Operator";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::kiln::compiler::tile::OperatorAttr::get("
                         "$_builder.getContext(), $0)";
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

/// A value-to-value operation: no memory, may be moved and merged freely.
class Tile_PureOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [Pure]>;

#endif // KILN_TILE_BASE

//===- TileOps.td - Operations of the tile dialect ---------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TILE_OPS
#define KILN_TILE_OPS

include "kiln/compiler/dialect/tile/TileBase.td"

//===----------------------------------------------------------------------===//
// Buffers and memory
//===----------------------------------------------------------------------===//

def Tile_DeclareOp : Tile_Op<"declare"> {
  let summary = "a mutable tile";
  let description = [{
    A fresh one each time it executes: declared in a loop body it may have
    several copies, declared outside it carries its value around the loop.

    ```mlir
    %new = tile.declare {ring = 2 : i64, label = "scores"} : memref<128x512xf32, #nc.space<sbuf>>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$ring,
    OptionalAttr<I64Attr>:$pin_partition, OptionalAttr<I64Attr>:$pin_byte,
    OptionalAttr<StrAttr>:$label);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

/// Operations that look at memory (or a tile) through a view. They may see the
/// bytes of memory as elements of another type than it holds: then offset,
/// sizes and strides count those.
class Tile_ViewOp<string mnemonic, list<Trait> traits, dag first, dag last>
    : Tile_Op<mnemonic, traits> {
  let arguments = !con(first, (ins Variadic<Index>:$indices,
    DefaultValuedAttr<I64Attr, "0">:$row, AffineMapAttr:$offset,
    DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides), last);
}

def Tile_ReadOp : Tile_ViewOp<"read", [],
    (ins Arg<AnyMemRef, "", [MemRead]>:$base), (ins)> {
  let summary = "the value that a buffer holds now";
  let description = [{
    The view addresses the buffer; the result is its value at this point of the
    program. Later assignments do not change it. The result may have another
    element type: it then shows the same bytes.

    ```mlir
    %now = tile.read %buffer[] offset affine_map<() -> (0)> sizes [128, 512]
      strides [1, 1] : memref<128x512xf32, #nc.space<sbuf>> -> tensor<128x512xf32>
    ```
  }];
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`row` $row^)? `offset` $offset `sizes` $sizes
    `strides` $strides attr-dict `:` type($base) `->` type($result)
  }];
}

def Tile_LoadOp : Tile_ViewOp<"load", [],
    (ins Arg<AnyMemRef, "", [MemRead]>:$base), (ins)> {
  let summary = "a window of an HBM tensor";
  let description = [{
    The result has the sizes of the view and the element type of the tensor, or
    shows its bytes as elements of another type.

    ```mlir
    %rows = tile.load %x[%i] offset affine_map<(d0) -> (d0 * 512)>
      sizes [128, 512] strides [512, 1] : memref<256x512xf32, #nc.space<hbm>> -> tensor<128x512xf32>
    ```
  }];
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`row` $row^)? `offset` $offset `sizes` $sizes
    `strides` $strides attr-dict `:` type($base) `->` type($result)
  }];
}

def Tile_LoadTransposedOp : Tile_ViewOp<"load_transposed", [],
    (ins Arg<AnyMemRef, "", [MemRead]>:$base), (ins)> {
  let summary = "a two-dimensional window of an HBM tensor, transposed";
  let description = [{
    The view has two sizes; the result has them in the other order. A result of
    [C / n, R, n] keeps n neighbours of a row of [R, C] together.

    ```mlir
    %columns = tile.load_transposed %x[] offset affine_map<() -> (0)>
      sizes [128, 64] strides [512, 1] : memref<256x512xf32, #nc.space<hbm>> -> tensor<64x128xf32>
    ```
  }];
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`row` $row^)? `offset` $offset `sizes` $sizes
    `strides` $strides attr-dict `:` type($base) `->` type($result)
  }];
}

def Tile_AssignOp : Tile_ViewOp<"assign", [],
    (ins Arg<AnyMemRef, "", [MemWrite]>:$base, AnyRankedTensor:$value), (ins)> {
  let summary = "gives a buffer, or a part of it, a new value";
  let description = [{
    The view addresses the buffer and has the shape of the value. What it does
    not show keeps its value.

    ```mlir
    tile.assign %tile, %buffer[] offset affine_map<() -> (0)> sizes [128, 512]
      strides [1, 1] : tensor<128x512xf32>, memref<128x512xf32, #nc.space<sbuf>>
    ```
  }];
  let assemblyFormat = [{
    $value `,` $base `[` $indices `]` (`row` $row^)? `offset` $offset
    `sizes` $sizes `strides` $strides attr-dict
    `:` type($value) `,` type($base)
  }];
}

def Tile_StoreOp : Tile_ViewOp<"store", [],
    (ins Arg<AnyMemRef, "", [MemWrite]>:$base, AnyRankedTensor:$value), (ins)> {
  let summary = "writes a tile to a window of an HBM tensor";
  let description = [{
    The view addresses the tensor and has the shape of the value.

    ```mlir
    tile.store %tile, %x[%i] offset affine_map<(d0) -> (d0 * 512)>
      sizes [128, 512] strides [512, 1] : tensor<128x512xf32>, memref<256x512xf32, #nc.space<hbm>>
    ```
  }];
  let assemblyFormat = [{
    $value `,` $base `[` $indices `]` (`row` $row^)? `offset` $offset
    `sizes` $sizes `strides` $strides attr-dict
    `:` type($value) `,` type($base)
  }];
}

def Tile_SliceOp : Tile_ViewOp<"slice", [Pure], (ins AnyRankedTensor:$base),
                               (ins)> {
  let summary = "a window of a tile";
  let description = [{
    A new value, not an alias. Stride 0 repeats; a slice of the whole tile folds
    away.

    ```mlir
    %half = tile.slice %tile[] offset affine_map<() -> (256)> sizes [128, 256]
      strides [1, 1] : tensor<128x512xf32> -> tensor<128x256xf32>
    ```
  }];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $base `[` $indices `]` (`row` $row^)? `offset` $offset `sizes` $sizes
    `strides` $strides attr-dict `:` type($base) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// What a kernel writes
//===----------------------------------------------------------------------===//

def Tile_FillOp : Tile_PureOp<"fill"> {
  let summary = "one value everywhere";
  let description = [{
    The value is rounded to the element type. Passes see it as a constant.

    ```mlir
    %zero = tile.fill 0.0 : tensor<128x512xf32>
    ```
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Tile_MatmulOp : Tile_PureOp<"matmul", [AttrSizedOperandSegments]> {
  let summary = "matrix product, accumulated in f32";
  let description = [{
    `a` is [M, K] ([K, M] with `transpose_a`), `b` is [K, N] ([N, K] with
    `transpose_b`). The f32 result is rounded once to the result's type. The
    hardware wants the contraction on rows of both: `transpose_a` and not
    `transpose_b`, which tile-orient arranges.

    Rows of 8-bit floats may come in groups of 2 or 4, [K / 2, 2, M] and
    [K / 2, 2, N]: the array takes two of a partition at once.

    With scales, `a` is [K / 4, M] and `b` is [K / 4, N] of a packed type, whose
    element r holds rows 4 r to 4 r + 3; 32 rows share one of the scales,
    [K / 32, M] and [K / 32, N].

    ```mlir
    %product = tile.matmul %weights, %weights {transpose_a}
      : tensor<512x128xf32>, tensor<512x128xf32> -> tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b,
    Optional<AnyRankedTensor>:$a_scales, Optional<AnyRankedTensor>:$b_scales,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs AnyRankedTensor:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a,
                   "::mlir::Value":$b, "::mlir::UnitAttr":$transpose_a,
                   "::mlir::UnitAttr":$transpose_b), [{
      build($_builder, $_state, result, a, b, ::mlir::Value(), ::mlir::Value(),
            transpose_a, transpose_b);
    }]>
  ];
  let assemblyFormat = [{
    $a `,` $b (`scales` $a_scales^ `,` $b_scales `:` type($a_scales) `,`
    type($b_scales))? attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
}

def Tile_QuantizeOp : Tile_PureOp<"quantize"> {
  let summary = "packed floats with a scale for 32 rows of a column";
  let description = [{
    The input is [K, N], of 16-bit floats. Element r of `data`, [K / 4, N],
    holds rows 4 r to 4 r + 3; `scales` is [K / 32, N]. The engine finds four
    rows on a partition: tile-orient makes the input [K / 4, 4, N] if a load
    brings it, else [N, K] with `turned`.

    ```mlir
    %data, %scales = tile.quantize %wide
      : tensor<512x128xbf16> -> tensor<128x128xvector<4xf8E4M3FN>>,
      tensor<16x128xf8E8M0FNU>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, UnitAttr:$turned);
  let results = (outs AnyRankedTensor:$data, AnyRankedTensor:$scales);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` type($data) `,` type($scales)
  }];
}

def Tile_TransposeOp : Tile_PureOp<"transpose"> {
  let summary = "rows against columns";
  let description = [{
    Two dimensions, the same element type. A transpose of a transpose folds
    away.

    ```mlir
    %turned = tile.transpose %tile : tensor<128x512xf32> -> tensor<512x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Tile_UnaryOp : Tile_PureOp<"unary"> {
  let summary = "an activation function of each element";
  let description = [{
    The function is one of the instruction set. tile-legalize makes it a
    `tile.activate`.

    ```mlir
    %e = tile.unary exp %tile : tensor<128x512xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins Nc_ActivationFunctionAttr:$op, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "custom<Case>($op) $input attr-dict `:` type($input) `->` type($result)";
}

def Tile_BinaryOp : Tile_PureOp<"binary"> {
  let summary = "two tiles, element by element; an extent of 1 repeats";
  let description = [{
    An operator of the instruction set, or `divide`, which tile-legalize
    replaces.

    ```mlir
    %sum = tile.binary add %tile, %column : tensor<128x512xf32>, tensor<128x1xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins Tile_OperatorAttr:$op, AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    custom<Case>($op) $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Tile_ScalarOp : Tile_PureOp<"scalar"> {
  let summary = "a tile and a number: input op value, or value op input";
  let description = [{
    With `reverse` the number is the left operand. The operator is one of the
    instruction set, or `divide`.

    ```mlir
    %rest = tile.scalar subtract %tile, 1.0 {reverse} : tensor<128x512xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins Tile_OperatorAttr:$op, AnyRankedTensor:$input, F64Attr:$value,
    UnitAttr:$reverse);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    custom<Case>($op) $input `,` $value attr-dict `:` type($input) `->` type($result)
  }];
}

def Tile_CompareOp : Tile_PureOp<"compare"> {
  let summary = "1 where the comparison holds, 0 elsewhere";
  let description = [{
    Either `rhs` or `value` is given. With `reverse` the number is the left
    operand.

    ```mlir
    %less = tile.compare less %tile, %column : tensor<128x1xf32> : tensor<128x512xf32> -> tensor<128x512xui8>
    ```
  }];
  let arguments = (ins Nc_AluOpAttr:$op, AnyRankedTensor:$lhs,
    Optional<AnyRankedTensor>:$rhs, OptionalAttr<F64Attr>:$value,
    UnitAttr:$reverse);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    custom<Case>($op) $lhs (`,` $rhs^ `:` type($rhs))? attr-dict `:` type($lhs) `->`
    type($result)
  }];
}

def Tile_SelectOp : Tile_PureOp<"select"> {
  let summary = "on_true where the mask is not zero, else on_false";
  let description = [{
    The mask is ui8. An extent of 1 repeats.

    ```mlir
    %chosen = tile.select %mask, %tile, %other
      : tensor<128x512xui8>, tensor<128x512xf32>, tensor<128x512xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$mask, AnyRankedTensor:$on_true,
    AnyRankedTensor:$on_false);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $mask `,` $on_true `,` $on_false attr-dict `:` type($mask) `,`
    type($on_true) `,` type($on_false) `->` type($result)
  }];
}

def Tile_KeepOp : Tile_PureOp<"keep"> {
  let summary = "keeps elements by an affine condition on their indices";
  let description = [{
    input[r, c] where `row_step * r + col_step * c + offset(indices) compare 0`
    holds, else `otherwise`.

    ```mlir
    %causal = tile.keep %tile where 1 * row + -1 * col + affine_map<(d0) -> (d0)>[%i]
      greater_equal else 0.0 : tensor<128x512xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Variadic<Index>:$indices,
    I64Attr:$row_step, I64Attr:$col_step, AffineMapAttr:$offset,
    Nc_AluOpAttr:$compare, F64Attr:$otherwise);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `where` $row_step `*` `row` `+` $col_step `*` `col` `+` $offset `[` $indices `]`
    custom<Case>($compare) `else` $otherwise attr-dict `:` type($input) `->` type($result)
  }];
}

def Tile_ReduceOp : Tile_PureOp<"reduce"> {
  let summary = "one value per row";
  let description = [{
    The operator is add, multiply, maximum or minimum. All dimensions but the
    first are reduced; the result is [R, 1].

    ```mlir
    %most = tile.reduce maximum %tile : tensor<128x512xf32> -> tensor<128x1xf32>
    ```
  }];
  let arguments = (ins Nc_AluOpAttr:$op, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "custom<Case>($op) $input attr-dict `:` type($input) `->` type($result)";
}

def Tile_ApplyOp : Tile_Op<"apply", [AlwaysSpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an instruction, on each 128 rows of whole tiles";
  let description = [{
    `names` are the operands of the instruction that the inputs are; `fields`
    are its attributes in the nc dialect; the result is its destination. A
    second result is what an instruction that adds up rows writes to
    `reduce_res`. It has an effect only where it draws random numbers.

    ```mlir
    %r = tile.apply reciprocal(%tile) ["data"] {} : (tensor<128x512xf32>) -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins Nc_OpcodeAttr:$opcode, Variadic<AnyRankedTensor>:$inputs,
    StrArrayAttr:$names, DictionaryAttr:$fields);
  let results = (outs AnyRankedTensor:$result,
    Optional<AnyRankedTensor>:$row_sum);
  let assemblyFormat = [{
    custom<Case>($opcode) `(` $inputs `)` $names $fields attr-dict
    `:` functional-type($inputs, results)
  }];
}

def Tile_RepeatOp : Tile_PureOp<"repeat"> {
  let summary = "one row on every row, bit for bit";
  let description = [{
    By DMA. For integers that no product in fp32 carries; other rows repeat by
    a product with ones.

    ```mlir
    %all = tile.repeat %row : tensor<1x512xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Tile_AppendOp : Tile_PureOp<"append"> {
  let summary = "one more column, which holds a number";
  let description = [{
    The number is rounded to the element type. A load writes its columns beside
    it; anything else is copied. tile-append-sums makes it: a product with a
    column of ones adds up rows.

    ```mlir
    %wide = tile.append %tile, 1.0 : tensor<128x512xf32> -> tensor<128x513xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, F64Attr:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $value attr-dict `:` type($input) `->` type($result)";
}

def Tile_CastOp : Tile_PureOp<"cast"> {
  let summary = "conversion to another element type, through f32";
  let description = [{
    Rounds to nearest even; a cast to the same type folds away.

    ```mlir
    %short = tile.cast %tile : tensor<128x512xf32> -> tensor<128x512xbf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

include "kiln/compiler/dialect/tile/TileFused.td"

#endif // KILN_TILE_OPS

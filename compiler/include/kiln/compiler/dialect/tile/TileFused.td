//===- TileFused.td - What an engine does in one pass ------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TILE_FUSED
#define KILN_TILE_FUSED

include "kiln/compiler/dialect/tile/TileBase.td"

def Tile_ActivateOp : Tile_PureOp<"activate", [AttrSizedOperandSegments]> {
  let summary = "op(fma(input, scale, bias)), and its row sums";
  let description = [{
    `scale` is a number or an f32 [R, 1] tile, `bias` a number or an [R, 1]
    tile. The row sums are taken before rounding to the result's type. With
    `row_op = #nc.alu_op<maximum>`, from trn3 on and only for a copy that a
    number scales, they are maxima.

    ```mlir
    %p, %sums = tile.activate exp %tile bias %column : tensor<128x1xf32> : tensor<128x512xf32> -> tensor<128x512xbf16>, tensor<128x1xf32>
    ```
  }];
  let arguments = (ins Nc_ActivationFunctionAttr:$op, AnyRankedTensor:$input,
    Optional<AnyRankedTensor>:$scale, Optional<AnyRankedTensor>:$bias,
    DefaultValuedAttr<F32Attr, "1.0f">:$scale_value,
    DefaultValuedAttr<F32Attr, "0.0f">:$bias_value,
    OptionalAttr<Nc_AluOpAttr>:$row_op);
  let results = (outs AnyRankedTensor:$result,
    Optional<AnyRankedTensor>:$row_sum);
  let assemblyFormat = [{
    custom<Case>($op) $input (`scale` $scale^ `:` type($scale))?
    (`bias` $bias^ `:` type($bias))? attr-dict
    `:` type($input) `->` type($result) (`,` type($row_sum)^)?
  }];
}

def Tile_ChainOp : Tile_PureOp<"chain", [AttrSizedOperandSegments]> {
  let summary = "(input op0 operand0) op1 operand1, numbers or [R, 1] tiles";
  let description = [{
    Rounded to f32 after each operator. `reverse0` means operand0 op0 input.
    An absent tile operand is the immediate `value0` or `value1`.

    ```mlir
    %y = tile.chain %tile operand0 %column : tensor<128x1xf32>
      {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>, value1 = 1.0 : f32}
      : tensor<128x512xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
    Optional<AnyRankedTensor>:$operand0, Optional<AnyRankedTensor>:$operand1,
    Nc_AluOpAttr:$op0, DefaultValuedAttr<F32Attr, "0.0f">:$value0,
    UnitAttr:$reverse0, OptionalAttr<Nc_AluOpAttr>:$op1,
    DefaultValuedAttr<F32Attr, "0.0f">:$value1, UnitAttr:$reverse1);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input (`operand0` $operand0^ `:` type($operand0))?
    (`operand1` $operand1^ `:` type($operand1))? attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Tile_ScalarTensorOp : Tile_PureOp<"scalar_tensor"> {
  let summary = "(input op0 operand0) op1 operand1, operand1 a whole tile";
  let description = [{
    Like tile.chain, but the second operand is a tile of the same shape.

    ```mlir
    %z = tile.scalar_tensor %tile, %other
      {op0 = #nc.alu_op<multiply>, op1 = #nc.alu_op<add>, value0 = 2.0 : f32}
      : tensor<128x512xf32>, tensor<128x512xf32> -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$operand1,
    Optional<AnyRankedTensor>:$operand0, Nc_AluOpAttr:$op0,
    DefaultValuedAttr<F32Attr, "0.0f">:$value0, UnitAttr:$reverse0,
    Nc_AluOpAttr:$op1, UnitAttr:$reverse1);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `,` $operand1 (`operand0` $operand0^ `:` type($operand0))? attr-dict
    `:` type($input) `,` type($operand1) `->` type($result)
  }];
}

#endif // KILN_TILE_FUSED

//===- Tensor.td - Tensor engine instructions --------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

class AccumulatedOut<string name, string doc, DTypes types>
    : TileOut<name, doc, types, ["psum"]> {
  let ReadIf = "accumulate";
}

def NcMatmul : Instruction<"nc_matmul", 1, TensorGroup> {
  let Engines = ["tensor"];
  let Operands = [
    AccumulatedOut<"dst", "result [M, N]", MatmulDType>,
    TileIn<"stationary", "[K, M], K on partitions", MatmulDType, ["sbuf"]>,
    TileIn<"moving", "[K, N], K on partitions", MatmulDType, ["sbuf"]>,
    Flag<"accumulate", "add to the PSUM contents instead of overwriting them">,
    Flag<"is_transpose", "pass `stationary` through bit for bit; `moving` is an identity (v3+)">,
    Flag<"is_stationary_onezero", "promise: the fp32 stationary holds only 0 and 1; faster, same result">, Flag<"is_moving_onezero", "the same for moving">, 
    OptionalPair<"tile_position", "(row, column) where the tile of the PE array starts; with tile_size">, 
    OptionalPair<"tile_size", "(rows, columns) of the tile: 128, 64 or, from v3 on, 32 each">, 
    EnumOperand<"perf_mode", PerformanceMode, "double_row: [K, 2, M] and [K, 2, N]", "PerformanceMode::none">, 
    TileIndex<"dst">, TileIndex<"stationary">, TileIndex<"moving">
  ];
  let Checks = ["matmulShapes", "matmulTypes", "matmulBank", "matmulTile", "matmulDoubleRow", "matmulIndices"];
  let Cost = "matmul";
  let Summary = "Matrix product on the PE array, into PSUM.";
  let Equation = "dst[m, n] (+)= sum over k of stationary[k, m] * moving[k, n]";
  let Description = [{
    For k ascending `acc = fma(stationary, moving, acc)` in fp32 from +0; then one fp32 add into PSUM
    if `accumulate` is set, else a store. With double_row every partition holds two rows of K: j = 0, 1 inside k. A tile of the PE
    array (tile_position, tile_size) takes its inputs from partition `row` on and writes from partition `column` on. With `is_transpose` the result is the bit pattern of `stationary` transposed.
  }];
  let Example = "nc_matmul dst=psum[p0:128, 0x0: f32 512x1], stationary=sbuf[p0:128, 0x0: bf16 128x1], moving=sbuf[p0:128, 0x400: bf16 512x1], accumulate";
}

def NcTranspose : Instruction<"nc_transpose", 2, TensorGroup> {
  let Engines = ["tensor", "vector"];
  let Operands = [
    TileOut<"dst", "[F, P]; PSUM on the tensor engine", CopyDType>,
    TileIn<"data", "[P, F]; SBUF on the tensor engine", CopyDType>
  ];
  let MovesBits = true;
  let Checks = ["transposeShapes"];
  let Cost = "transpose";
  let Summary = "Two-dimensional transpose, partitions against free dimension.";
  let Equation = "dst[f, p] = data[p, f]";
  let Description = [{
    Tensor engine: up to 128 x 128, SBUF to PSUM. Vector engine: up to 32 x 32, any on-chip memory. Exact to the bit
    except on the v2 tensor engine, where it is an ordinary product with an identity matrix.
  }];
  let Example = "nc_transpose dst=psum[p0:64, 0x800: bf16 128x1], data=sbuf[p0:128, 0x0: bf16 64x1]";
}

class ScaleIn<string name, string doc> : TileIn<name, doc, ScaleDType, ["sbuf"]> {
  let AnyStart = true;
}

def NcMatmulMx : Instruction<"nc_matmul_mx", 3, TensorGroup> {
  let Engines = ["tensor"];
  let Since = "v4";
  let Operands = [
    AccumulatedOut<"dst", "result [M, N]", F32OrBf16>,
    TileIn<"stationary", "[K, M] packed, K on partitions", MxInDType, ["sbuf"]>,
    TileIn<"moving", "[K, N] packed, K on partitions", MxInDType, ["sbuf"]>,
    ScaleIn<"stationary_scale", "one row of M scales per 8 partitions of stationary">,
    ScaleIn<"moving_scale", "one row of N scales per 8 partitions of moving">,
    Flag<"accumulate", "add to the PSUM contents instead of overwriting them">,
    OptionalPair<"tile_position", "(row, 0) where the tile of the PE array starts; with tile_size">,
    OptionalPair<"tile_size", "(32, 64 or 128 rows, 128)">,
    TileIndex<"dst">, TileIndex<"stationary">, TileIndex<"moving">
  ];
  let Checks = ["matmulMxShapes", "matmulMxTile", "matmulBank", "matmulIndices"];
  let Cost = "matmul";
  let Summary = "Matrix product of packed 8 or 4-bit floats with shared scales, into PSUM.";
  let Equation = "dst[m, n] (+)= sum over k, q of S[k, m, q] * 2^(ss[k / 8, m] - 127) * X[k, n, q] * 2^(ms[k / 8, n] - 127)";
  let Description = [{
    q counts the four values of a packed element. For k ascending and q ascending inside k `acc = fma(S * scale, X * scale, acc)` in
    fp32; then as nc_matmul. Scale row g of a tile lives 32 * (g / 4) + g % 4 partitions after the first partition of the operand,
    which is a multiple of 32 plus 0, 4, 8 or 12; the rows between are not read. Scale 255 is NaN. An index of stationary or moving also indexes its scales.
  }];
  let Example = "nc_matmul_mx dst=psum[p0:64, 0x0: f32 512x1], stationary=sbuf[p0:128, 0x0: f8e4m3fn_x4 64x1], moving=sbuf[p0:128, 0x400: f4e2m1fn_x4 512x1], stationary_scale=sbuf[p4:104, 0x1000: f8e8m0 64x1], moving_scale=sbuf[p0:100, 0x1400: u8 512x1], accumulate";
}

//===- Tensor.td - Tensor engine instructions --------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

class AccumulatedOut<string name, string doc>
    : TileOut<name, doc, AnyDType, ["psum"]> {
  let ReadIf = "accumulate";
}

def NcMatmul : Instruction<"nc_matmul", 1, TensorGroup> {
  let Engines = ["tensor"];
  let Operands = [
    AccumulatedOut<"dst", "result [M, N]">,
    TileIn<"stationary", "[K, M], K on partitions", AnyDType, ["sbuf"]>,
    TileIn<"moving", "[K, N], K on partitions", AnyDType, ["sbuf"]>,
    Flag<"accumulate", "add to the PSUM contents instead of overwriting them">,
    Flag<"is_transpose", "pass `stationary` through bit for bit; `moving` is an identity (v3+)">
  ];
  let Checks = ["matmulShapes", "matmulTypes", "matmulBank"];
  let Cost = "matmul";
  let Summary = "Matrix product on the PE array, into PSUM.";
  let Equation = "dst[m, n] (+)= sum over k of stationary[k, m] * moving[k, n]";
  let Description = [{
    For k ascending `acc = fma(stationary, moving, acc)` in fp32 from +0; then one fp32 add into PSUM
    if `accumulate` is set, else a store. With `is_transpose` the result is the bit pattern of `stationary` transposed.
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

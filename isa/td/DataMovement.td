//===- DataMovement.td - DMA, copies, patterns, selection --*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

def DmaCopy : Instruction<"dma_copy", 16, DataMovement> {
  let Engines = ["sync", "scalar", "gpsimd", "vector", "tensor"];
  let Operands = [
    MemoryOperand<"dst", Write, "destination">,
    MemoryOperand<"src", Read, "source; elements are paired in row-major order">,
    Int<"queue", "DMA queue, 0 to 15", "0">,
    EnumOperand<"dge_mode", DgeMode, "what builds the descriptors", "DgeMode::unknown">,
    EnumOperand<"oob_mode", OobMode, "what an index outside the tensor does", "OobMode::error">, OptionalInt<"priority", "0 (most urgent) to 3 (v4)">, RowIndex<"dst">, RowIndex<"src">
  ];
  let Checks = ["dmaCounts", "dmaQueue", "dmaDge", "copyTypes", "rowIndices", "dmaPriority"];
  let MovesBits = true;
  let Cost = "dma";
  let IsDma = true;
  let Summary = "Copies between HBM and SBUF, either way or within one.";
  let Equation = "dst[i] = cast(src[i])";
  let Description = [{
    Elements of the two patterns are paired in row-major order, whatever their shapes. Equal types are copied bit for
    bit, different ones go through fp32. With src_index (gather) or dst_index (scatter) row w of that pattern starts at
    offset + index[w] * stride of its outermost dimension; a row that is negative or would leave the tensor ends the run
    or, with oob_mode=skip, is not moved. If a scatter has equal indices, the last one wins. The stream continues at
    once; semaphores signal when the last byte has landed.
  }];
  let Example = "dma_copy dst=sbuf[p0:128, 0x0 + r3*1024: bf16 512x1], src=hbm[x + r2*4096: bf16 128x512, 512x1], queue=3, signal s4+=1";
}

class TransposeIndex<string indexed> : RowIndex<indexed> {
  let Doc = "[P, K]: numbers of the rows, lane by lane (v3)";
  let Types = U32Only;
}

def DmaTranspose : Instruction<"dma_transpose", 17, DataMovement> {
  let Engines = ["sync", "scalar", "gpsimd", "vector", "tensor"];
  let Operands = [
    MemoryOperand<"dst", Write, "[F, P] in SBUF", ["sbuf"], TransposeDType>,
    MemoryOperand<"src", Read, "[P, F]; from HBM also three or four dimensions", ["hbm", "sbuf"], TransposeDType>,
    Int<"queue", "DMA queue, 0 to 15", "0">,
    EnumOperand<"dge_mode", DgeMode, "what builds the descriptors", "DgeMode::unknown">,
    EnumOperand<"oob_mode", OobMode, "what an index outside the tensor does", "OobMode::error">, OptionalInt<"priority", "0 (most urgent) to 3 (v4)">, TransposeIndex<"src">
  ];
  let Checks = ["dmaTransposeShapes", "dmaQueue", "dmaDge", "dmaPriority"];
  let MovesBits = true;
  let Cost = "dmaTranspose";
  let IsDma = true;
  let Summary = "Transposes a matrix on its way into SBUF.";
  let Equation = "dst[f, p] = src[p, f]; dst[c, b, a] = src[a, b, c]; dst[d, b, c, a] = src[a, b, c, d]";
  let Description = [{
    With src_index row a of src is row src_index[..][a] of the tensor, the index read lane first.
  }];
  let Example = "dma_transpose dst=sbuf[p0:128, 0x0: bf16 64x1], src=hbm[x: bf16 64x128, 128x1], queue=1";
}

def TensorCopy : Instruction<"tensor_copy", 18, DataMovement> {
  let Engines = ["vector", "scalar", "gpsimd"];
  let Operands = [TileOut<"dst", "destination", CopyDType>, TileIn<"src", "source", CopyDType>,
    TileIndex<"dst">, TileIndex<"src">
  ];
  let Checks = ["sameElements", "copyTypes", "gpsimdNoPsum", "scalarCopyGeneration", "tileIndices"];
  let MovesBits = true;
  let Cost = "copy";
  let Summary = "On-chip copy, with conversion where the types differ.";
  let Equation = "dst[p, i] = cast(src[p, i])";
  let Example = "tensor_copy dst=sbuf[p0:128, 0x0: bf16 512x1], src=psum[p0:128, 0x0: f32 512x1], wait s1>=1";
}

def Memset : Instruction<"memset", 19, DataMovement> {
  let Engines = ["vector", "gpsimd"];
  let Operands = [TileOut<"dst", "destination", CopyDType>, Float<"value", "cast to dst's type">];
  let Checks = ["gpsimdNoPsum", "memsetValue"];
  let MovesBits = true;
  let Cost = "memset";
  let Summary = "Fills a tile with one value.";
  let Equation = "dst[p, i] = cast(value)";
  let Example = "memset dst=sbuf[p0:128, 0x0: f32 512x1], value=0.0";
}

def Iota : Instruction<"iota", 20, DataMovement> {
  let Engines = ["gpsimd"];
  let Operands = [
    TileOut<"dst", "destination", AnyDType, ["sbuf"]>,
    Index<"pattern", "up to four [step, size] pairs; sizes multiply to the elements of dst">,
    RegOrInt<"offset", "added to every value", "0">,
    Int<"channel_multiplier", "times the lane, counted from 0", "0">
  ];
  let Checks = ["indexPatternSize"];
  let Cost = "pool";
  let Summary = "Writes an affine function of the indices.";
  let Equation = "dst[p, i..] = cast(offset + p * channel_multiplier + sum(i * step)) in int32";
  let Example = "iota dst=sbuf[p0:128, 0x0: i32 4x128, 128x1], pattern=index[4x1000, 128x1], offset=r1, channel_multiplier=128";
}

def AffineSelect : Instruction<"affine_select", 21, DataMovement> {
  let Engines = ["gpsimd"];
  let Operands = [
    TileOut<"dst", "destination", AnyDType, ["sbuf"]>,
    Index<"pattern", "up to four [step, size] pairs">,
    Int<"channel_multiplier", "times the lane, counted from 0">,
    TileIn<"on_true_tile", "kept where the comparison holds", AnyDType, ["sbuf"]>,
    Float<"on_false_value", "written elsewhere">,
    EnumOperand<"cmp_op", AluOp, "comparison of the affine value with 0", "AluOp::equal", Comparisons.Names>,
    RegOrInt<"offset", "added to every affine value", "0">
  ];
  let Checks = ["sameElements", "indexPatternSize"];
  let Cost = "pool";
  let Summary = "Keeps or replaces elements by an affine condition on their indices.";
  let Equation = "dst = (offset + p * channel_multiplier + sum(i * step)) cmp_op 0 ? on_true_tile : on_false_value";
  let Example = "affine_select dst=sbuf[p0:128, 0x0: f32 512x1], pattern=index[512x-1], channel_multiplier=1, on_true_tile=sbuf[p0:128, 0x800: f32 512x1], on_false_value=-inf, cmp_op=greater_equal, offset=r2";
}

def SelectReduce : Instruction<"select_reduce", 22, DataMovement> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination">,
    TileIn<"predicate", "nonzero selects on_true", SelectDType>,
    TileIn<"on_true", "taken where the predicate holds", OnTrueDType>,
    ScalarIn<"on_false", "taken elsewhere">,
    OptionalOut<"reduce_res", "[P, 1], receives the running maximum", FloatDType>,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Vector accumulator", "ReduceCommand::idle",
      ["idle", "reduce", "reset_reduce"]>,
    Flag<"reverse_pred", "select on_true where the predicate is zero">
  ];
  let Checks = ["sameElements", "notBothPsum", "reduceResult"];
  let State = "accumulator";
  let Cost = "select";
  let Summary = "Element-wise selection with an optional row maximum.";
  let Equation = "dst = predicate ? on_true : on_false; acc = max(acc, dst) in fp32";
  let Description = [{
    reset_reduce starts the Vector accumulator at -inf, reduce goes on from its value. After idle it is undefined.
  }];
  let Example = "select_reduce dst=sbuf[p0:128, 0x0: f32 64x1], predicate=sbuf[p0:128, 0x100: u8 64x1], on_true=psum[p0:128, 0x0: f32 64x1], on_false=-inf, reduce_res=sbuf[p0:128, 0x140: f32], reduce_cmd=reset_reduce";
}

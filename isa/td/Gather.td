//===- Gather.td - Shuffles, gathers, search, quantisation --*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

def NcStreamShuffle : Instruction<"nc_stream_shuffle", 25, DataMovement> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination", CopyDType>, TileIn<"src", "source of dst's type", CopyDType>,
    Lanes<"shuffle_mask", "lane of the quadrant that each lane takes, 255 = it keeps its value">
  ];
  let Checks = ["sameType", "streamShuffle"];
  let MovesBits = true;
  let Cost = "stream";
  let Summary = "Permutes the lanes of each quadrant of 32 partitions.";
  let Equation = "dst[32 q + i, :] = src[32 q + shuffle_mask[i], :]";
  let Description = [{
    q and i count from the first partitions of the operands; only lanes that dst has are written. src may be dst.
  }];
  let Example = "nc_stream_shuffle dst=sbuf[p0:128, 0x0: bf16 512x1], src=psum[p0:128, 0x0: bf16 512x1], shuffle_mask=[31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 255]";
}

def LocalGather : Instruction<"local_gather", 26, DataMovement> {
  let Engines = ["gpsimd"];
  let Operands = [
    TileOut<"dst", "num_valid_indices * num_elem_per_idx elements in a partition", CopyDType, ["sbuf"]>,
    TileIn<"src_buffer", "source of dst's type", CopyDType, ["sbuf"]>,
    TileIn<"index", "[P, I]: the list of 16 partitions, lane by lane", U16Only, ["sbuf"]>,
    Int<"num_elem_per_idx", "1, 2, 4, 8, 16 or 32", "1">,
    OptionalInt<"num_valid_indices", "how many of the 16 * I are used; absent = all">
  ];
  let Checks = ["localGather"];
  let MovesBits = true;
  let Cost = "poolGatherLocal";
  let Summary = "Gathers columns with one list of indices for 16 partitions.";
  let Equation = "L = index[16 c .. 16 c + 15, :] read lane first; dst[p, j * E + e] = src_buffer[p, L[j] + e], c = p / 16";
  let Description = [{
    An index counts elements, even if E = num_elem_per_idx is more than 1. An index outside src_buffer ends the run.
  }];
  let Example = "local_gather dst=sbuf[p0:32, 0x0: f32 128x1], src_buffer=sbuf[p0:32, 0x400: f32 512x1], index=sbuf[p0:32, 0x1000: u16 4x1], num_elem_per_idx=2, num_valid_indices=64";
}

def NcNGather : Instruction<"nc_n_gather", 27, DataMovement> {
  let Engines = ["gpsimd"];
  let Operands = [
    TileOut<"dst", "as many elements as indices", CopyDType, ["sbuf"]>,
    TileIn<"data", "source of dst's type", CopyDType, ["sbuf"]>,
    TileIn<"indices", "element of data in the same partition", U32Only, ["sbuf"]>
  ];
  let Checks = ["sameType", "gatherShapes"];
  let MovesBits = true;
  let Cost = "poolGather";
  let Summary = "Gathers elements of each partition by its own indices.";
  let Equation = "dst[p, j] = data[p, indices[p, j]]";
  let Description = [{
    An index outside data ends the run.
  }];
  let Example = "nc_n_gather dst=sbuf[p0:128, 0x0: bf16 64x1], data=sbuf[p0:128, 0x400: bf16 512x1], indices=sbuf[p0:128, 0x1000: u32 64x1]";
}

def DmaCompute : Instruction<"dma_compute", 28, DataMovement> {
  let Engines = ["sync", "scalar", "gpsimd", "vector", "tensor"];
  let Operands = [
    MemoryOperand<"dst", Write, "destination", ["hbm", "sbuf"], AnyDType>,
    MemoryList<"srcs", "1 to 16 sources", Read, ["hbm", "sbuf"], AnyDType>,
    EnumOperand<"reduce_op", AluOp, "only add", "AluOp::add", ["add"]>,
    Int<"queue", "DMA queue, 0 to 15", "0">,
    Flag<"unique_indices", "promise: no index is repeated", "true">,
    EnumOperand<"oob_mode", OobMode, "what an index outside the tensor does", "OobMode::error">,
    RowIndex<"dst">, RowIndex<"srcs">
  ];
  let Checks = ["dmaCompute", "dmaQueue"];
  let Cost = "dmaCompute";
  let IsDma = true;
  let Summary = "Adds several tensors while moving them.";
  let Equation = "dst[i] = cast(srcs[0][i] + srcs[1][i] + ..), in order, in fp32";
  let Description = [{
    With an index it reads, adds and writes in place, and takes two sources. dst_index, scatter-add: dst is in HBM,
    srcs[0] is the same pattern, row r is row dst_index[r] of both. srcs_index, gather-add: dst is in SBUF, srcs[0] is
    the same pattern, srcs[1] is in HBM and its row r is row srcs_index[r]. An index that occurs twice ends the run.
  }];
  let Example = "dma_compute dst=sbuf[p0:128, 0x0: f32 512x1], srcs=[sbuf[p0:128, 0x800: bf16 512x1], hbm[x: bf16 128x2048, 512x1]], queue=2";
}

def Topk : Instruction<"topk", 58, Reduction> {
  let Engines = ["gpsimd"];
  let Since = "v3";
  let Operands = [
    TileOut<"val_dst", "[P, K], ascending", Bf16Only, ["sbuf"]>,
    TileOut<"idx_dst", "[P, K], places of the values", U32Only, ["sbuf"]>,
    TileIn<"src", "[P, X]: element e of 16 partitions is at lane e % 16, column e / 16", Bf16Only, ["sbuf"]>,
    Int<"n", "elements that take part, 8 to 65535">
  ];
  let Checks = ["topkShapes"];
  let Cost = "poolTopk";
  let Summary = "The K largest of each 16 partitions, with their places.";
  let Equation = "val_dst[p, ..] = the K largest of the n elements of group p / 16, ascending; idx_dst = where they are";
  let Description = [{
    Every partition of a group receives the same. Of equal values, the one at the lower place is preferred and comes
    first. A NaN is below everything.
  }];
  let Example = "topk val_dst=sbuf[p0:16, 0x0: bf16 8x1], idx_dst=sbuf[p0:16, 0x20: u32 8x1], src=sbuf[p0:16, 0x400: bf16 64x1], n=1000";
}

def NonzeroWithCount : Instruction<"nonzero_with_count", 59, Reduction> {
  let Engines = ["gpsimd"];
  let Since = "v3";
  let Operands = [
    TileOperand<"dst", ReadWrite, ["sbuf"], I32Only, "[P, T + 1]; only partitions 0, 16, .. are written">,
    TileIn<"src", "[P, T]; only partitions 0, 16, .. are read", F32OrI32, ["sbuf"]>,
    Int<"index_offset", "added to every index", "0">,
    Int<"padding_val", "written after the last index", "-1">
  ];
  let Checks = ["nonzeroShapes"];
  let Cost = "poolTwice";
  let Summary = "Where a row is not zero, and how often.";
  let Equation = "dst[p, ..] = index_offset + ascending j with src[p, j] != 0, then padding_val; dst[p, T] = how many";
  let Description = [{
    p = 0, 16, .. counted from the first partition; the other partitions of dst keep their values. A NaN counts, -0 does not.
  }];
  let Example = "nonzero_with_count dst=sbuf[p0:128, 0x0: i32 9x1], src=sbuf[p0:128, 0x40: f32 8x1], index_offset=16";
}

def SequenceBounds : Instruction<"sequence_bounds", 60, Reduction> {
  let Engines = ["gpsimd"];
  let Operands = [
    TileOut<"dst", "[1, 2 n]: n starts, then n ends; segment_ids' type", F32OrI32, ["sbuf"]>,
    TileIn<"segment_ids", "[1, n], not negative, 0 = padding", F32OrI32, ["sbuf"]>
  ];
  let Checks = ["sequenceShapes"];
  let Cost = "poolBounds";
  let Summary = "Where the run of equal ids around each element starts and ends.";
  let Equation = "dst[j] = first place of the run of j, dst[n + j] = the place after its last; padding: n and -1";
  let Example = "sequence_bounds dst=sbuf[p0:1, 0x0: i32 2x8, 8x1], segment_ids=sbuf[p0:1, 0x80: i32 8x1]";
}

class ScaleOut<string name, string doc> : TileOut<name, doc, ScaleDType, ["sbuf"]> {
  let AnyStart = true;
}

def QuantizeMx : Instruction<"quantize_mx", 61, DataMovement> {
  let Engines = ["vector"];
  let Since = "v4";
  let Operands = [
    TileOut<"dst", "[P, F / 4] packed", MxOutDType, ["sbuf"]>,
    TileIn<"src", "[P, F], P a multiple of 32, F of 4", HalfDType, ["sbuf"]>,
    ScaleOut<"dst_scale", "one row of F / 4 scales per 8 partitions">
  ];
  let Checks = ["quantizeShapes"];
  let Cost = "quantize";
  let Summary = "Quantizes to packed 8-bit floats with one shared scale per 32 values.";
  let Equation = "E = floor(log2(max |v|)) of 8 partitions x 4 elements; dst_scale = E - (Emax - 1) + 127; dst = cast(v / 2^(dst_scale - 127))";
  let Description = [{
    Emax is 8 for f8e4m3fn_x4, 15 for f8e5m2_x4: nothing saturates. A group of zeros has scale 0, one with an Inf or NaN
    scale 255 and NaN elements; the scale is kept within 0 and 254 otherwise. Scales lie as nc_matmul_mx reads them; the
    rows between are not touched.
  }];
  let Example = "quantize_mx dst=sbuf[p0:64, 0x0: f8e5m2_x4 128x1], src=sbuf[p0:64, 0x400: bf16 512x1], dst_scale=sbuf[p8:44, 0x1000: u8 128x1]";
}

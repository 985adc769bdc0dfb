//===- Passes.td - Passes on the tile level ----------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TILE_PASSES
#define KILN_TILE_PASSES

include "mlir/Pass/PassBase.td"

def TileLegalize : Pass<"tile-legalize", "::mlir::func::FuncOp"> {
  let summary = "Legalisation: rewrites every operation into one that an engine has";
  let description = [{
    Expands division into reciprocal and product, broadcasting into per-row
    operands, broadcast loads or a product with ones, which stands before a loop
    that does not change the row, comparisons and unary functions into the
    one-pass operations, and makes matmul operands agree in type. Tiles keep
    their size: tile-to-nc splits rows over partitions.
  }];
}

def TileNarrow : Pass<"tile-narrow", "::mlir::func::FuncOp"> {
  let summary = "Load narrowing: loads only the windows that are used";
  let description = [{
    A load that takes more bytes per partition than the budget, and of which
    only column windows and row reductions are used, is replaced by one load per
    use, next to that use if nothing writes the tensor in between. A reduction
    is combined from reductions of windows.
  }];
  let options = [
    Option<"budget", "budget", "int64_t", "65536",
           "bytes per partition that a load may take whole">,
    Option<"window", "window", "int64_t", "32768",
           "bytes per partition of the windows of a reduction">
  ];
}

def TileStream : Pass<"tile-stream", "::mlir::func::FuncOp"> {
  let summary = "Loop tiling of what is larger than SBUF";
  let description = [{
    Outside of loops, a store of 4096 elements or more that is computed element
    by element from tensors without gaps is stored as 128 long rows and what is
    left, if that takes less than 0.9 of the time. Its own rows fill less than
    0.75 of their partitions, or have less than 512 bytes.

    Where the tiles of a block of the program take more than SBUF has, each
    store that takes a good part of it becomes loops over blocks of its rows
    (multiples of 128) and columns. Everything that the stored value depends on,
    down to the loads, is computed for these blocks. Row reductions of wide
    rows, and products that no block makes small enough, are computed in pieces.
    The sums of a product may also stay on chip while a loop over K adds up the
    products of the rows that each turn loads: 512, 1024 or 2048 rows, in two
    turns or more. Where no other block fits, and an operand is itself made of
    products, as in a gated MLP, it is made in each turn, which may have 256
    rows. Of packed floats with scales, a window is quantized, or loaded, with
    the scales that belong to it. Of the blocks that fit, products take those
    whose busiest engine has the least to do. A second model counts what
    products wait for, and is the only one that knows the loop over K. Its
    blocks are taken where products are most of the time, and where it finds at
    least 3 % less time. Everything else takes the blocks with the least time in
    a rough model. There, rows may stay on chip while their columns are
    processed, and a row that all rows use is loaded to all partitions once.
    Outside of loops, this also happens where all would fit, but blocks that
    overlap take less than 0.9 of the time. If an iteration computes whole rows
    without products, it also stores what another store takes from these rows. A
    load moves to the store only if nothing between may write its tensor. A
    tensor that is both loaded and stored must use the same places for both.
  }];
  let options = [
    Option<"budget", "budget", "int64_t", "0",
           "bytes per partition; 0 for all that the target has">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileAppendSums : Pass<"tile-append-sums", "::mlir::func::FuncOp"> {
  let summary = "Reductions as products: sums of rows by a column of ones";
  let description = [{
    Where a running sum of rows of p and a running sum of products p v are
    updated with the same factor, both become one sum, one column wider, whose
    product has a column of ones in v: attention's denominator and output. The
    tensor engine adds up the rows, and one instruction rescales both. v must be
    a load, p is what the rows are summed of, rounded as it is, and the product
    must not fill its PSUM banks.
  }];
}

def TileSplitExp : Pass<"tile-split-exp", "::mlir::func::FuncOp"> {
  let summary = "Operator fission: splits a scaled softmax between two engines";
  let description = [{
    Where c * s goes into a row maximum and into exp(c * s - m), the Scalar
    engine computes c * s and its maximum in one pass (activate2), and the
    Vector engine's fast exp (exponential) reads the result. c is positive, so
    the maximum is that of s, times c, bit for bit. As an activation does, the
    exponential adds up rows and rounds to other floats; where it cannot,
    nothing is split.
  }];
}

def TileNegate : Pass<"tile-negate", "::mlir::func::FuncOp"> {
  let summary = "Strength reduction: negates a running maximum that only exp subtracts";
  let description = [{
    An activation adds its per-row bias. A buffer that is made of maxima,
    minima, constants and products with constants, and that is read only as m
    in exp(x - m), is kept as -m, so that no instruction negates it: the online
    softmax of attention does this. All values change their sign exactly.
  }];
}

def TileOrient : Pass<"tile-orient", "::mlir::func::FuncOp"> {
  let summary = "Assigns operand roles of products, with few transposes";
  let description = [{
    The tensor engine computes stationary[K, M]^T * moving[K, N]. Transposes of
    loads become transposing loads, transposes of products swap the operands,
    pairs of transposes vanish; what remains is a tile.transpose. A product that
    is quantized to packed floats becomes four, each with every fourth row.
  }];
}

def TilePair : Pass<"tile-pair", "::mlir::func::FuncOp"> {
  let summary = "Data layout: loads bring rows of 8-bit operands in pairs";
  let description = [{
    From trn2 on, a product takes two rows of 8-bit floats from a partition.
    Where loads bring both operands, they bring two or four neighbouring rows to
    a partition: of K rows, [K / 4, 4, N], if that needs no more products. Then
    a transposing load moves elements of 16 or 32 bits, as the DMA engines
    require, and the tensor engine transposes nothing. A load is changed with
    all products that use it, or not at all.
  }];
}

def TileFuse : Pass<"tile-fuse", "::mlir::func::FuncOp"> {
  let summary = "Operator fusion: chains become single instructions";
  let description = [{
    Only where the intermediate value is f32, has one use, and the instruction
    set documents the merged rounding: scale and bias before an activation (one
    fused multiply-add), two per-row operators (rounded after each), a row
    sum of an activation, a cast of what an engine writes.
  }];
}

def TileJam : Pass<"tile-jam", "::mlir::func::FuncOp"> {
  let summary = "Unroll and jam of independent iterations around a chain";
  let description = [{
    Where an innermost loop carries a value, the engines wait for each other in
    a chain. The innermost loop around it whose iterations are independent and
    whose inner bounds agree in groups (also `q * 128 floordiv 512` for groups
    of four) is unrolled, and the copies are merged operation by operation, with
    shared inner loops and shared loads. Iterations are independent if they
    assign only buffers of their own and store to windows that are apart.
  }];
  let options = [
    Option<"copies", "copies", "int64_t", "4", "iterations that run together">,
    Option<"budget", "budget", "int64_t", "131072",
           "bytes per partition that all copies may take">,
    Option<"banks", "banks", "int64_t", "16",
           "PSUM banks that all copies may name; they share by lifetime">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def TileUnroll : Pass<"tile-unroll", "::mlir::func::FuncOp"> {
  let summary = "Full unrolling of loops that carry a value through few iterations";
  let description = [{
    An innermost loop that carries a value through few iterations becomes part of
    the body of the loop around it, if that runs often enough to be software
    pipelined and PSUM has banks for all of it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TilePeel : Pass<"tile-peel", "::mlir::func::FuncOp"> {
  let summary = "Loop peeling: the first iteration of the first nest of products";
  let description = [{
    Nothing hides the loads before the first product of a kernel. Where the
    iterations of a nest do not wait for each other, the first one is taken out
    of its loops, so that its transfers run once and come in pieces.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileHoist : Pass<"tile-hoist", "::mlir::func::FuncOp"> {
  let summary = "Loop-invariant code motion, bounded by what SBUF keeps";
  let description = [{
    A load moves if nothing in the loop may write its tensor, and a read if
    nothing may write its buffer, by memory effects: stores, assignments and
    destinations of instructions. What is moved stays in SBUF for the whole
    loop, so the bytes per partition that one loop may gain are bounded.
  }];
  let options = [
    Option<"budget", "budget", "int64_t", "65536",
           "bytes per partition that may be moved out of one loop">
  ];
}

def TileToNc : Pass<"tile-to-nc", "::mlir::func::FuncOp"> {
  let summary = "Bufferisation and instruction selection";
  let description = [{
    Each tile value becomes a buffer at the place where it is defined, or a
    window of the buffer that it is assigned to. A tile of more than 128 rows
    lies in slots: row r is partition r mod 128 of slot r div 128.
  }];
  let dependentDialects = ["::kiln::compiler::nc::NcDialect"];
}

#endif // KILN_TILE_PASSES

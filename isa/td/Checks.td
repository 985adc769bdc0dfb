//===- Checks.td - Conditions between operands ------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record lists its conditions by name. The function of that name is in
// lib/checks, its sentence for the manual is here.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_CHECKS
#define KILN_ISA_CHECKS

class Check<string name, string doc> {
  string Name = name;
  string Doc = doc;
}

def : Check<"activate2Operators", "Pairs are multiply with add, subtract or bypass, and add, subtract or bypass with bypass (KILN-I069); an operator other than bypass has its immediate (KILN-I014); two tiles have the same type (KILN-I012); reduce_op comes with a command other than idle (KILN-I022).">;
def : Check<"activationBias", "On v2 bias must be a [P, 1] tile, and reciprocal takes none (KILN-I023).">;
def : Check<"collectiveOperands", "As many destinations as sources, 1 to 16, all in hbm or all in sbuf; one in sbuf, one partition dimension and one free dimension; equal types; collective_dim is 0, for all_gather in sbuf also 1 (KILN-I081).">;
def : Check<"collectiveShapes", "dst has as many elements as src, for all_gather R times as many, for reduce_scatter one R-th, along partitions or columns in sbuf; all_to_all: R divides the elements (KILN-I081).">;
def : Check<"copyTypes", "A packed type and f8e8m0 are copied only to themselves (KILN-I012).">;
def : Check<"coreBarrier", "data is in a tensor that cores share: an argument or shared scratch; cores are (0, 1); the launch has two cores (KILN-I080).">;
def : Check<"countedCollective", "One source and one destination; metadata_tensor is [3, R] without gaps, with has_rdispls [4, R], in sbuf on one partition; all_gather_v and reduce_scatter_v: lists of 4, no has_rdispls; reduce_scatter_v: a dst of at most 16 KiB; all_to_all_v: has_rdispls needs v4, where lists are whole chips of 4 consecutive ranks, two or more (KILN-I083); two cores, but for all_to_all_v before v4 (KILN-I080).">;
def : Check<"dmaCompute", "1 to 16 sources of dst's element count (KILN-I067, KILN-I006), addresses without registers. With an index: v3, two sources, unique_indices, srcs[0] equal to dst, the indexed side in HBM and the other in SBUF (KILN-I067).">;
def : Check<"dmaCounts", "dst and src have the same number of elements (KILN-I006).">;
def : Check<"dmaDge", "hwdge needs v3, the sync or scalar stream and equal element types; none needs addresses without registers (KILN-I026).">;
def : Check<"dmaPriority", "priority is 0 to 3 and needs v4 (KILN-I071).">;
def : Check<"dmaQueue", "The queue is 0 to 15 (KILN-I028); one stream feeds a queue.">;
def : Check<"dmaTransposeShapes", "src is [P, F], or three or four dimensions in HBM; dst has the reversed shape and the same type, of 2 or 4 bytes; hwdge: 2-byte elements, up to 128 in the last dimension, the first is 16, or divides 16 and, times the last but one, gives a multiple of 16; swdge only with an index (KILN-I027). src_index: v3, 2-byte elements in HBM, a multiple of 16 rows, up to 128 columns; 16 to 128 partitions, 128 with more than one column (KILN-I068).">;
def : Check<"dropoutProbability", "A number is 0 to 1 (KILN-I073); a tile is f32 if data holds integers (KILN-I012).">;
def : Check<"gatherShapes", "All operands have the same partitions (KILN-I005), dst has as many elements as indices (KILN-I006).">;
def : Check<"gpsimdNoPsum", "In the gpsimd stream no operand is in PSUM (KILN-I003).">;
def : Check<"gpsimdRandom", "The generator of gpsimd exists from v3 on (KILN-I001).">;
def : Check<"indexPatternSize", "The sizes of the pattern, 1 to 65536 each, multiply to the elements of dst in a partition (KILN-I025).">;
def : Check<"localGather", "dst and src_buffer have the same type (KILN-I012); partitions are equal and a multiple of 16; num_elem_per_idx is 1, 2, 4, 8, 16 or 32; num_valid_indices is 1 to 16 * I and to 4096; dst has num_valid_indices * num_elem_per_idx elements (KILN-I065).">;
def : Check<"loopStep", "step is positive, and the body does not write the counter (KILN-I029).">;
def : Check<"matchReplaceShapes", "All operands have the same partitions (KILN-I005), dst has as many elements as data (KILN-I006).">;
def : Check<"matmulBank", "dst is aligned to 4 bytes and, before v4, stays within one PSUM bank of 2048 bytes (KILN-I017).">;
def : Check<"matmulDoubleRow", "double_row: the first free dimension of both inputs is 2, inputs are 8-bit floats, no is_transpose and no column tiling (KILN-I063).">;
def : Check<"matmulIndices", "Indices need v4, no tile_position but (0, 0), inputs of at most 16 bits; not moving with is_transpose (KILN-I068).">;
def : Check<"matmulMxShapes", "K is a multiple of 32 up to 128 in both inputs, M is even, N up to 4096 (bf16 dst 8192), dst is [M, N] of f32 or bf16 (KILN-I015, KILN-I061, KILN-I017). Scales cover 32 * (K / 32 - 1) + 4 partitions from 0, 4, 8 or 12 after the operand's first, and M or N columns (KILN-I061).">;
def : Check<"matmulMxTile", "tile_position and tile_size come together; the tile is 32, 64 or 128 rows and all 128 columns, starts at a multiple of its rows, and K fits (KILN-I062).">;
def : Check<"matmulShapes", "K up to 128 partitions in both inputs, M up to 128, N up to 512 (v4: 4096, bf16 results 8192), dst is [M, N] (KILN-I015). is_transpose: moving is [K, K], no accumulate (KILN-I018).">;
def : Check<"matmulTile", "tile_position and tile_size come together; rows and columns are 128, 64 or (v3) 32, the tile starts at multiples of them within 128; K and M fit; inputs start at its row, dst at its column (KILN-I062).">;
def : Check<"matmulTypes", "Inputs are floats; f32 and tf32 pair only with each other, f8e4m3 never with f8e4m3fn (KILN-I016). dst is f32, on v4 also bf16; is_transpose on v3 and later keeps the type of stationary (KILN-I017).">;
def : Check<"memsetValue", "A tile of a packed type or of f8e8m0 takes only 0, all bits zero (KILN-I076).">;
def : Check<"negateArithmetic", "negate needs an arithmetic operator (KILN-I039).">;
def : Check<"noPrelu", "prelu is for activate2, which has its slope (KILN-I021).">;
def : Check<"nonzeroShapes", "dst has the partitions of src (KILN-I005) and one element more (KILN-I066).">;
def : Check<"notBothPsum", "At most one full-tile input is in PSUM (KILN-I011).">;
def : Check<"oneSeed", "One partition (KILN-I073).">;
def : Check<"operatorFamilies", "Operators are all arithmetic or all bitwise. Bitwise: integers of one width, on vector or in tensor_partition_reduce (KILN-I039).">;
def : Check<"partitionReduceShapes", "dst has one partition and as many elements as data (KILN-I024).">;
def : Check<"permutePairs", "Pairs of ranks 0 to 63; a rank is a source at most once and a target at most once (KILN-I082).">;
def : Check<"powerEngine", "power runs on gpsimd (KILN-I021).">;
def : Check<"preparedCollective", "prepared has as many elements as metadata_tensor, without gaps (KILN-I083).">;
def : Check<"quantizeShapes", "P is a multiple of 32, src has four elements for one of dst, dst_scale covers 32 * (P / 32 - 1) + 4 partitions from 0, 4, 8 or 12 after src's first and the columns of dst (KILN-I061).">;
def : Check<"randomRange", "Two numbers: min is less than max (KILN-I073).">;
def : Check<"randomState", "6 words on gpsimd, 24 on vector (KILN-I073), which has a state from v4 on (KILN-I001).">;
def : Check<"rangeSelect", "on_false_value is the lowest finite fp32 value, and indices stay below 2^24 (KILN-I070).">;
def : Check<"reduceInit", "load_reduce has its starting value, other commands have none (KILN-I022).">;
def : Check<"reduceResult", "reduce_res comes with a command other than idle (KILN-I022).">;
def : Check<"reduceShapes", "axes is 1 to the free dimensions of data, dst has as many elements as the kept ones and the same partitions (KILN-I024, KILN-I005).">;
def : Check<"registerElement", "The access is one element (KILN-I030).">;
def : Check<"registerOperator", "An immediate divisor is not 0 (KILN-I031). f32 has no floor_divide, no modulo and no bits (KILN-I077).">;
def : Check<"replicaGroup", "1 to 64 lists of ranks 0 to 63, none empty, no rank twice (KILN-I082).">;
def : Check<"ringChannel", "channel_id is 0 to 3 (KILN-I082).">;
def : Check<"ringChannels", "channel_ids are 0, 1, .. in order, one for each source; 2 channels, 4 if every list is a whole node (KILN-I082).">;
def : Check<"rowIndices", "One index at most, from v3 on; it has one i32 or u32 for each row (outermost size) of an HBM pattern whose address has no register; dge_mode is unknown or swdge. oob_mode=skip needs an index or a register in an address (KILN-I068).">;
def : Check<"sameElements", "All operands have the same partitions, all full tiles the same elements in a partition (KILN-I005, KILN-I006).">;
def : Check<"samePartitions", "All operands have the same partitions (KILN-I005).">;
def : Check<"sameType", "dst has the element type of the input (KILN-I012).">;
def : Check<"scalarCopyGeneration", "In the scalar stream it needs v3 (KILN-I001).">;
def : Check<"scalarTypes", "Operands of arithmetic operators are f32 (KILN-I012), of bitwise ones integers as wide as data, written int(5) as a number (KILN-I039).">;
def : Check<"sendrecv", "src and dst have equal type, partitions and elements; cores are 0 and 1; pipe_id is not negative; gpsimd_dma is issued by the gpsimd stream and moves up to 256 elements per partition; the launch has two cores (KILN-I080).">;
def : Check<"sequenceShapes", "One partition; dst has twice the elements of segment_ids and its type (KILN-I066).">;
def : Check<"streamShuffle", "shuffle_mask holds lanes that src has, or 255 (KILN-I064); partitions of src and dst, in whole quadrants, start where they may (KILN-I007); elements are equal (KILN-I006).">;
def : Check<"tensorScalarEngines", "vector: any operator but rsqrt. gpsimd: only rsqrt, alone. scalar: v3 and later, multiply, add, or multiply then add; v4 also subtract for add (KILN-I021, KILN-I001).">;
def : Check<"tensorScalarOps", "A binary operator has its operand, a unary one has none; operand1 and reverse1 need op1 (KILN-I014).">;
def : Check<"tileIndices", "Indices need v4, start at a partition that is a multiple of 32, have the partitions of their operand and at least as many places as it has elements; on scalar no index of a dst in PSUM; an indexed input starts where its index does, the index of dst where the input does (KILN-I068).">;
def : Check<"topkShapes", "Partitions are equal and a multiple of 16; 8 <= n < 65536; K <= n and < 32768, the same in val_dst and idx_dst; src has n / 16 columns or more (KILN-I066).">;
def : Check<"transposeShapes", "dst is [F, P] for data [P, F] of the same type. tensor: SBUF to PSUM, up to 128 x 128; vector: up to 32 x 32 (KILN-I018, KILN-I004, KILN-I017).">;
def : Check<"unaryOperand", "A binary operator has its operand, a unary one has none (KILN-I014).">;

#endif // KILN_ISA_CHECKS

//===- Reduction.td - Reductions, scans, statistics --------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

def TensorReduce : Instruction<"tensor_reduce", 48, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "as many elements as the kept free dimensions have">,
    EnumOperand<"op", AluOp, "reduction operator", "", Reductions.Names>,
    TileIn<"data", "input">,
    Int<"axes", "how many trailing free dimensions are reduced, 1 to 4", "1">,
    Flag<"negate", "multiply the result by -1">,
    TileIndex<"dst">, TileIndex<"data">
  ];
  let Checks = ["reduceShapes", "operatorFamilies", "negateArithmetic", "tileIndices"];
  let Cost = "reduce";
  let Summary = "Reduces trailing free dimensions.";
  let Equation = "dst[p, outer] = cast((negate ? -1 : 1) * reduce(op, data[p, outer, inner..])), in order";
  let Description = [{
    The last `axes` free dimensions of data are reduced in order, in fp32, starting from the identity of the operator (subtract: from
    the first element).
  }];
  let Example = "tensor_reduce dst=sbuf[p0:128, 0x0: f32 4x1], op=maximum, data=psum[p0:128, 0x0: f32 4x128, 128x1], negate";
}

def TensorPartitionReduce : Instruction<"tensor_partition_reduce", 49, Reduction> {
  let Engines = ["gpsimd"];
  let Operands = [
    TileOut<"dst", "one partition, as many elements as data has in each", AnyDType, ["sbuf"]>,
    EnumOperand<"op", AluOp, "reduction operator", "",
      ["add", "average", "maximum", "bitwise_or", "bitwise_and"]>,
    TileIn<"data", "input", AnyDType, ["sbuf"]>
  ];
  let Checks = ["partitionReduceShapes", "operatorFamilies"];
  let Cost = "poolPartitions";
  let Summary = "Reduces over the partitions.";
  let Equation = "dst[0, i] = cast(reduce(op, data[0..P, i])), partitions in order; average = sum / P";
  let Description = [{
    Arithmetic in fp32, bitwise operators on the bits of integers. A product with a vector of ones on the tensor engine is faster.
  }];
  let Example = "tensor_partition_reduce dst=sbuf[p0:1, 0x0: f32 512x1], op=average, data=sbuf[p0:128, 0x800: f32 512x1]";
}

def TensorScalarCumulative : Instruction<"tensor_scalar_cumulative", 50, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination", CumulativeDType>, TileIn<"src", "input", CumulativeDType>,
    EnumOperand<"op0", AluOp, "operator with imm0", "", BinaryArithmetic.Names>,
    EnumOperand<"op1", AluOp, "operator with the accumulator", "",
      ["add", "subtract", "multiply", "maximum", "minimum"]>,
    ScalarIn<"imm0", "right operand of op0">,
    OptionalScalarIn<"imm1", "what load_reduce starts from">,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Vector accumulator", "ReduceCommand::reset_reduce",
      ["reduce", "reset_reduce", "load_reduce"]>,
    TileIndex<"dst">, TileIndex<"src">
  ];
  let Checks = ["sameElements", "reduceInit", "tileIndices"];
  let State = "accumulator";
  let Cost = "stream";
  let Summary = "Running reduction along the row: cumulative sums, products, maxima.";
  let Equation = "acc = (src[i] op0 imm0) op1 acc; dst[i] = cast(acc), i ascending";
  let Description = [{
    reset_reduce starts the accumulator at 0 for add and subtract, 1 for multiply, -inf for maximum, +inf for minimum.
    The new element is the left operand: subtract gives alternating sums. The accumulator keeps its value for a next
    instruction with reduce.
  }];
  let Example = "tensor_scalar_cumulative dst=sbuf[p0:128, 0x0: f32 512x1], src=sbuf[p0:128, 0x800: bf16 512x1], op0=multiply, op1=add, imm0=0.5, imm1=sbuf[p0:128, 0xc00: f32], reduce_cmd=load_reduce";
}

def TensorScalarReduce : Instruction<"tensor_scalar_reduce", 51, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination">, TileIn<"data", "input">,
    EnumOperand<"op0", AluOp, "operator", "", BinaryArithmetic.Names # UnaryArithmetic.Names>,
    OptionalScalarIn<"operand0", "right operand; none or 0 for a unary op0">,
    EnumOperand<"reduce_op", AluOp, "how the accumulator takes an element", "",
      ["add", "multiply", "maximum", "minimum"]>,
    OptionalOut<"reduce_res", "[P, 1], receives the Vector accumulator">,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Vector accumulator", "ReduceCommand::reset_reduce",
      ["reduce", "reset_reduce", "load_reduce"]>,
    OptionalScalarIn<"reduce_init", "what load_reduce starts from">,
    Flag<"reduce_res_negate", "reduce_res receives the negated accumulator">,
    TileIndex<"dst">, TileIndex<"data">
  ];
  let Checks = ["sameElements", "unaryOperand", "reduceInit", "tileIndices"];
  let State = "accumulator";
  let Cost = "scalarReduce";
  let Summary = "An operation with one value per partition, and a reduction of its row.";
  let Equation = "y = data op0 operand0; dst = cast(y); acc = acc reduce_op y; reduce_res = cast(reduce_res_negate ? -acc : acc)";
  let Description = [{
    reset_reduce starts the accumulator at 0 for add, 1 for multiply, -inf for maximum, +inf for minimum; load_reduce at
    reduce_init. Without reduce_res, the accumulator keeps the value for a next instruction with reduce.
  }];
  let Example = "tensor_scalar_reduce dst=sbuf[p0:128, 0x0: bf16 512x1], data=psum[p0:128, 0x0: f32 512x1], op0=multiply, operand0=sbuf[p0:128, 0x400: f32], reduce_op=maximum, reduce_res=sbuf[p0:128, 0x404: f32], reduce_cmd=load_reduce, reduce_init=-1.0, reduce_res_negate";
}

def TensorTensorScan : Instruction<"tensor_tensor_scan", 52, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination">, TileIn<"data0", "operand of op0">, TileIn<"data1", "operand of op1">,
    ScalarIn<"initial", "the value before the first">,
    EnumOperand<"op0", AluOp, "operator with the value before", "", BinaryArithmetic.Names>,
    EnumOperand<"op1", AluOp, "operator with data1", "", BinaryArithmetic.Names>,
    Flag<"reverse0", "data0 is the right operand of op0">,
    Flag<"reverse1", "data1 is the left operand of op1">
  ];
  let Checks = ["sameElements", "notBothPsum"];
  let Cost = "scan";
  let Summary = "A recurrence along the row.";
  let Equation = "r[i] = (data0[i] op0 r[i - 1]) op1 data1[i], r[-1] = initial; dst[i] = cast(r[i])";
  let Description = [{
    The value carried to the next element is the fp32 value before the cast to dst.
  }];
  let Example = "tensor_tensor_scan dst=sbuf[p0:128, 0x0: f32 64x1], data0=sbuf[p0:128, 0x100: f32 64x1], data1=psum[p0:128, 0x0: f32 64x1], initial=sbuf[p0:128, 0x200: f32], op0=multiply, op1=add, reverse1";
}

def RangeSelect : Instruction<"range_select", 24, DataMovement> {
  let Engines = ["vector"];
  let Since = "v3";
  let Operands = [
    TileOut<"dst", "destination", FloatDType>,
    TileIn<"on_true_tile", "taken where both comparisons hold", FloatDType>,
    EnumOperand<"comp_op0", AluOp, "index comp_op0 bound0", "", OrderedComparisons.Names>,
    EnumOperand<"comp_op1", AluOp, "index comp_op1 bound1", "", OrderedComparisons.Names>,
    PerPartitionIn<"bound0", "[P, 1]", F32Only, ["sbuf"]>,
    PerPartitionIn<"bound1", "[P, 1]", F32Only, ["sbuf"]>,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Vector accumulator", "ReduceCommand::reset_reduce",
      ["idle", "reduce", "reset_reduce"]>,
    OptionalOut<"reduce_res", "[P, 1], receives the running maximum">,
    EnumOperand<"reduce_op", AluOp, "only maximum", "AluOp::maximum", ["maximum"]>,
    Int<"range_start", "index of the first element", "0">,
    Float<"on_false_value", "only the lowest finite fp32 value", "-3.4028235e38f">
  ];
  let Checks = ["sameElements", "reduceResult", "rangeSelect"];
  let State = "accumulator";
  let Cost = "stream";
  let Summary = "Keeps the elements whose index lies between two bounds of their row.";
  let Equation = "j = range_start + i; y = j comp_op0 bound0 && j comp_op1 bound1 ? on_true_tile : on_false_value; dst = cast(y); acc = max(acc, y)";
  let Description = [{
    Indices are compared in fp32. A dst of 16 or 8 bits turns the fill into -inf, while the accumulator keeps its fp32 value.
    reset_reduce starts the accumulator at -inf.
  }];
  let Example = "range_select dst=sbuf[p0:128, 0x0: bf16 512x1], on_true_tile=psum[p0:128, 0x0: f32 512x1], comp_op0=greater_equal, comp_op1=less, bound0=sbuf[p0:128, 0x400: f32], bound1=sbuf[p0:128, 0x404: f32], reduce_res=sbuf[p0:128, 0x408: f32], range_start=512";
}

class StatisticsIn<string name, string doc> : TileIn<name, doc> {
  let MaxElements = 512;
}
class TriplesIn<string name, string doc> : TileIn<name, doc> {
  let MinElements = 3;
  let ElementStep = 3;
}

def BnStats : Instruction<"bn_stats", 53, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    CountedOut<"dst", "count, mean, sum of squared distances of the even places, then of the odd ones", 6>,
    StatisticsIn<"data", "up to 512 elements in a partition">
  ];
  let Checks = ["samePartitions"];
  let Cost = "stream";
  let Summary = "Count, mean and M2 of the even and of the odd elements of a row.";
  let Equation = "mean = sum(x) / count; M2 = sum((x - mean)^2), in order, each operation rounded to fp32";
  let Description = [{
    If there is no odd element, its three values are 0.
  }];
  let Example = "bn_stats dst=sbuf[p0:128, 0x0: f32 6x1], data=psum[p0:128, 0x0: f32 512x1]";
}

def BnAggr : Instruction<"bn_aggr", 54, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    CountedOut<"dst", "mean and variance", 2>,
    TriplesIn<"data", "triples count, mean, M2, as bn_stats writes them">
  ];
  let Checks = ["samePartitions"];
  let Cost = "bnAggregate";
  let Summary = "Combines partial statistics into mean and variance.";
  let Equation = "n = sum(count); mean = sum(count * mean_i) / n; var = (sum(M2) + sum(count * (mean_i - mean)^2)) / n";
  let Description = [{
    The sums run in order, with each operation rounded to fp32. n = 0 gives 0 and 0.
  }];
  let Example = "bn_aggr dst=sbuf[p0:128, 0x40: f32 2x1], data=sbuf[p0:128, 0x0: f32 12x1]";
}

class EightOf<string name, string doc, DTypes types = AnyDType>
    : TileIn<name, doc, types> {
  let MinElements = 8;
  let MaxElements = 16384;
  let MaxDims = 3;
}

def Max8 : Instruction<"max8", 55, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    CountedOut<"dst", "the eight largest, descending", 8>,
    EightOf<"src", "8 to 16384 elements in a partition">
  ];
  let Checks = ["samePartitions"];
  let Cost = "stream";
  let Summary = "The eight largest elements of each row.";
  let Equation = "dst[p, i] = cast(the i-th largest of src[p, ..]), equal ones counted separately";
  let Description = [{
    Compared in fp32; a NaN is below everything.
  }];
  let Example = "max8 dst=sbuf[p0:128, 0x0: f32 8x1], src=psum[p0:128, 0x0: f32 512x1]";
}

class EightValues<string name, string doc> : TileIn<name, doc> {
  let MinElements = 8;
  let MaxElements = 8;
  let MaxDims = 3;
}

def NcFindIndex8 : Instruction<"nc_find_index8", 56, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    CountedOut<"dst", "eight indices", 8, IndexDType>,
    EightOf<"data", "8 to 16384 elements in a partition">,
    EightValues<"vals", "eight values">
  ];
  let Checks = ["samePartitions"];
  let Cost = "stream";
  let Summary = "Where eight values are in each row.";
  let Equation = "dst[p, i] = smallest j with data[p, j] == vals[p, i]; none: all bits one";
  let Description = [{
    Equal values of vals take successive matches, in ascending i. Compared in fp32: a NaN never matches, +0 matches -0.
  }];
  let Example = "nc_find_index8 dst=sbuf[p0:128, 0x20: u32 8x1], data=psum[p0:128, 0x0: f32 512x1], vals=sbuf[p0:128, 0x0: f32 8x1]";
}

class OptionalIndices<string name, string doc>
    : OptionalOut<name, doc, IndexDType> {
  let PerPartitionScalar = false;
  let MinElements = 8;
  let MaxElements = 8;
}

def NcMatchReplace8 : Instruction<"nc_match_replace8", 57, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "data with the matches replaced">,
    EightOf<"data", "8 to 16384 elements in a partition">,
    EightValues<"vals", "eight values">,
    Float<"imm", "replaces a match, cast to dst's type">,
    OptionalIndices<"dst_idx", "eight indices">
  ];
  let Checks = ["matchReplaceShapes"];
  let Cost = "stream";
  let Summary = "Replaces the first match of each of eight values.";
  let Equation = "for i = 7 .. 0: j = lowest place not taken with data[p, j] == vals[p, i]; dst[p, j] = imm; dst_idx[p, i] = j; the rest is data";
  let Description = [{
    Matches are those of the original data, compared in fp32. A value without a match writes all ones to dst_idx. dst may be data.
  }];
  let Example = "nc_match_replace8 dst=sbuf[p0:128, 0x800: f32 512x1], data=sbuf[p0:128, 0x800: f32 512x1], vals=sbuf[p0:128, 0x0: f32 8x1], imm=-inf, dst_idx=sbuf[p0:128, 0x20: u32 8x1]";
}

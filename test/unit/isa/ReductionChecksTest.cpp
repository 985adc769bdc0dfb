//===- ReductionChecksTest.cpp - Accumulators, scans, statistics ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCases.h"

#include <fmt/format.h>

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

std::string tile(int elements, int offset = 0, const char *type = "f32",
                 int partitions = 4) {
  return fmt::format("sbuf[p0:{}, {}: {} {}x1]", partitions, offset, type,
                     elements);
}
const std::string column = "sbuf[p0:4, 98304: f32]";

} // namespace

TEST_CASE("accumulators start with a value exactly where one is loaded") {
  auto reduce = [](const std::string &rest) {
    return "tensor_scalar_reduce dst=" + tile(8) + ", data=" + tile(8) +
           ", op0=add, operand0=1.0, reduce_op=maximum" + rest;
  };
  auto cumulate = [](const std::string &rest) {
    return "tensor_scalar_cumulative dst=" + tile(8) + ", src=" + tile(8) +
           ", op0=add, op1=subtract, imm0=1.0" + rest;
  };
  auto exponential = [](const std::string &rest) {
    return "exponential dst=" + tile(8) + ", src=" + tile(8) + rest;
  };
  std::string res = ", reduce_res=" + column;
  run({{v2, V, reduce(""), ""},
       {v2, V, reduce(", reduce_cmd=idle"), "KILN-I022"},
       {v2, V, reduce(", reduce_cmd=load_reduce"), "KILN-I022"},
       {v2, V, reduce(", reduce_cmd=load_reduce, reduce_init=0.0"), ""},
       {v2, V, reduce(", reduce_init=0.0"), "KILN-I022"},
       {v2, V, reduce(res + ", reduce_res_negate"), ""},
       {v2, V, replaced(reduce(""), "reduce_op=maximum", "reduce_op=subtract"),
        "KILN-I022"},
       {v2, V, replaced(reduce(""), "operand0=1.0, ", ""), "KILN-I014"},
       {v2, V, replaced(reduce(""), "op0=add", "op0=bitwise_and"), "KILN-I021"},
       {v2, V, cumulate(""), ""},
       {v2, V, cumulate(", reduce_cmd=load_reduce, imm1=" + column), ""},
       {v2, V, cumulate(", reduce_cmd=load_reduce"), "KILN-I022"},
       {v2, V, cumulate(", imm1=1.0"), "KILN-I022"},
       {v2, V, cumulate(", reduce_cmd=reset"), "KILN-I022"},
       {v2, V, replaced(cumulate(""), "op1=subtract", "op1=equal"),
        "KILN-I021"},
       {v2, V, replaced(cumulate(""), "f32 8x1", "i32 8x1"), "KILN-I012"},
       {v2, V, replaced(cumulate(""), "f32 8x1", "i16 8x1"), ""},
       {v2, V, replaced(cumulate(""), "f32 8x1", "tf32 8x1"), "KILN-I012"},
       {v4, V, exponential(""), ""},
       {v3, V, exponential(""), "KILN-I001"},
       {v4, V, exponential(res), "KILN-I022"},
       {v4, V, exponential(res + ", reduce_cmd=reduce"), ""},
       {v4, V, exponential(", reduce_cmd=reset"), "KILN-I022"},
       {v4, V, exponential(", reduce_cmd=load_reduce, reduce_init=1.0"), ""},
       {v4, V,
        replaced(exponential(""), "dst=sbuf[p0:4, 0: f32",
                 "dst=sbuf[p0:4, 0: u32"),
        "KILN-I012"},
       {v4, V,
        replaced(exponential(""), "src=sbuf[p0:4, 0: f32",
                 "src=sbuf[p0:4, 0: u32"),
        ""},
       {v4, V,
        replaced(exponential(""), "src=sbuf[p0:4, 0: f32",
                 "src=sbuf[p0:4, 0: tf32"),
        "KILN-I012"}});
}

TEST_CASE("range_select fills with one value and counts exactly") {
  auto select = [](int start, const std::string &rest = "") {
    return fmt::format("range_select dst={}, on_true_tile={}, comp_op0=less, "
                       "comp_op1=equal, bound0={}, bound1={}, range_start={}",
                       tile(8), tile(8, 64), column, column, start) +
           rest;
  };
  run({{v3, V, select(0), ""},
       {v2, V, select(0), "KILN-I001"},
       {v3, V, select((1 << 24) - 9), ""},
       {v3, V, select((1 << 24) - 8), "KILN-I070"},
       {v3, V, select(0, ", on_false_value=0.0"), "KILN-I070"},
       {v3, V, replaced(select(0), "comp_op0=less", "comp_op0=not_equal"),
        "KILN-I021"},
       {v3, V, select(0, ", reduce_op=add"), "KILN-I022"},
       {v3, V, select(0, ", reduce_cmd=idle, reduce_res=" + column),
        "KILN-I022"},
       {v3, V, replaced(select(0), "bound0=sbuf", "bound0=psum"), "KILN-I004"},
       {v3, V, replaced(select(0), "sbuf[p0:4, 64: f32", "sbuf[p0:4, 64: i32"),
        "KILN-I012"}});
}

TEST_CASE("statistics have their counts") {
  auto stats = [](int out, int in) {
    return "bn_stats dst=" + tile(out) + ", data=" + tile(in, 64);
  };
  auto aggregate = [](int out, int in) {
    return "bn_aggr dst=" + tile(out) + ", data=" + tile(in, 64);
  };
  run({{v2, V, stats(6, 512), ""},
       {v2, V, stats(6, 513), "KILN-I036"},
       {v2, V, stats(6, 1), ""},
       {v2, V, stats(5, 512), "KILN-I036"},
       {v2, V, stats(7, 512), "KILN-I036"},
       {v2, V, aggregate(2, 3), ""},
       {v2, V, aggregate(2, 2), "KILN-I036"},
       {v2, V, aggregate(2, 4), "KILN-I036"},
       {v2, V, aggregate(2, 600), ""},
       {v2, V, aggregate(3, 3), "KILN-I036"},
       {v2, V, replaced(aggregate(2, 3), "p0:4, 64", "p0:5, 64"),
        "KILN-I005"}});
}

TEST_CASE("the instructions for eight") {
  auto max = [](int out, int in) {
    return "max8 dst=" + tile(out) + ", src=" + tile(in, 64);
  };
  auto find = [](int in, int values, const char *type = "u32") {
    return "nc_find_index8 dst=" + tile(8, 0, type) +
           ", data=" + tile(in, 128) + ", vals=" + tile(values, 64);
  };
  auto replace = [](int out, int in, int indices) {
    return "nc_match_replace8 dst=" + tile(out, 128) +
           ", data=" + tile(in, 128) + ", vals=" + tile(8, 64) +
           ", imm=-inf, dst_idx=" + tile(indices, 0, "u32");
  };
  run({{v2, V, max(8, 8), ""},
       {v2, V, max(8, 7), "KILN-I036"},
       {v2, V, max(8, 16384), ""},
       {v2, V, max(8, 16385), "KILN-I036"},
       {v2, V, max(7, 8), "KILN-I036"},
       {v2, V, replaced(max(8, 16), "16x1", "2x400, 2x100, 2x20, 2x1"),
        "KILN-I009"},
       {v2, V, replaced(max(8, 16), "16x1", "2x400, 2x100, 2x2, 2x1"), ""},
       {v2, V, find(8, 8), ""},
       {v2, V, find(8, 8, "u16"), ""},
       {v2, V, find(8, 8, "i32"), "KILN-I012"},
       {v2, V, find(16385, 8), "KILN-I036"},
       {v2, V, find(8, 9), "KILN-I036"},
       {v2, V, replace(16, 16, 8), ""},
       {v2, V, replace(17, 16, 8), "KILN-I006"},
       {v2, V, replace(7, 7, 8), "KILN-I036"},
       {v2, V, replace(16, 16, 9), "KILN-I036"}});
}

TEST_CASE("scans, dropout, predicates, partitions") {
  std::string scan = "tensor_tensor_scan dst=" + tile(8) +
                     ", data0=" + tile(8) +
                     ", data1=psum[p0:4, 0: f32 8x1], initial=0.0, "
                     "op0=multiply, op1=add";
  auto drop = [](const std::string &type, const std::string &prob) {
    return "dropout dst=" + tile(8, 0, type.c_str()) +
           ", data=" + tile(8, 64, type.c_str()) + ", prob=" + prob;
  };
  std::string copy = "tensor_copy_predicated dst=" + tile(8) +
                     ", src=" + tile(8, 64) +
                     ", predicate=" + tile(8, 128, "u16");
  std::string over = "tensor_partition_reduce dst=" + tile(8, 0, "f32", 1) +
                     ", op=average, data=" + tile(8, 64);
  run({{v2, V, scan, ""},
       {v2, V, replaced(scan, "data0=sbuf", "data0=psum"), "KILN-I011"},
       {v2, V, replaced(scan, "op0=multiply", "op0=abs"), "KILN-I021"},
       {v2, V, replaced(scan, "f32 8x1", "f32 9x1"), "KILN-I006"},
       {v2, V, drop("bf16", "0.0"), ""},
       {v2, V, drop("bf16", "1.0"), ""},
       {v2, V, drop("bf16", "1.0000001"), "KILN-I073"},
       {v2, V, drop("bf16", "-0.1"), "KILN-I073"},
       {v2, V, drop("bf16", "nan"), "KILN-I073"},
       {v2, V, drop("bf16", "sbuf[p0:4, 256: bf16]"), ""},
       {v2, V, drop("i32", "sbuf[p0:4, 256: bf16]"), "KILN-I012"},
       {v2, V, drop("i32", column), ""},
       {v2, V, replaced(drop("bf16", "0.5"), "bf16 8x1", "f32 8x1"),
        "KILN-I012"},
       {v2, V, copy, ""},
       {v2, V, replaced(copy, "u16", "i16"), "KILN-I012"},
       {v2, V, replaced(copy, tile(8, 64), "2.5"), ""},
       {v2, V, replaced(copy, "64: f32", "64: bf16"), "KILN-I012"},
       {v2, V, replaced(replaced(copy, "p0:4, 64", "p0:5, 64"), "8x1", "8x1"),
        "KILN-I005"},
       {v2, G, over, ""},
       {v2, V, over, "KILN-I002"},
       {v2, G, replaced(over, "p0:1", "p0:2"), "KILN-I024"},
       {v2, G, replaced(over, "8x1", "9x1"), "KILN-I024"},
       {v2, G, replaced(over, "average", "minimum"), "KILN-I021"},
       {v2, G, replaced(over, "average", "bitwise_or"), "KILN-I039"},
       {v2, G, replaced(over, "data=sbuf", "data=psum"), "KILN-I004"}});
}

TEST_CASE("two streaming inputs leave room for three free dimensions") {
  std::string four = "2x400, 2x100, 2x20, 2x2", three = "2x400, 2x100, 4x2";
  auto add = [](const std::string &dims) {
    return "tensor_tensor dst=sbuf[p0:4, 0: f32 " + dims +
           "], data1=sbuf[p0:4, 0: f32 16x1], data2=sbuf[p0:4, 64: f32 "
           "16x1], op=add";
  };
  auto copy = [](const std::string &dims) {
    return "tensor_copy dst=sbuf[p0:4, 0: f32 " + dims +
           "], src=sbuf[p0:4, 0: f32 16x1]";
  };
  run({{v3, V, add(three), ""},
       {v3, V, add(four), "KILN-I009"},
       {v3, V, copy(four), ""},
       // Dimensions that continue each other, or of size 1, do not count.
       {v3, V, add("2x400, 2x100, 2x4, 2x2"), ""},
       {v3, V, add("2x400, 2x100, 1x7, 4x2"), ""}});
}

//===- MeaningOfPlacesTest.cpp - Searches, gathers, products, transfers, two
// ways ===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As MeaningTest.cpp, for the instructions that are about places.
//
//===----------------------------------------------------------------------===//

#include "handmade.h"

#include <cmath>

namespace kiln::test::meaning_of_places_test {

using isa::DType;

namespace {

const Extents eight{rows, 8}, diagonal{rows, rows};

Operand inPsum(Operand tile) {
  tile.space = isa::Space::psum;
  return tile;
}
/// Numbers below `limit`, in no order.
Operand places(const std::string &name, DType dtype, const Extents &extents,
               std::size_t limit) {
  Values values(static_cast<std::size_t>(extents[0] * extents[1]));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i * 29 % limit);
  return numbers(name, dtype, extents, values);
}

} // namespace

KILN_MEANING(searches) {
  for (const DType type : types("max8", "dst")) {
    runInstruction({"max8",
                    {output("dst", type, eight), input("src", type, shape)},
                    {},
                    targetFor(type)});
    for (const DType place : types("nc_find_index8", "dst"))
      runInstruction({"nc_find_index8",
                      {output("dst", place, eight), input("data", type, shape),
                       input("vals", type, eight)},
                      {},
                      targetFor(type)});
    runInstruction({"nc_match_replace8",
                    {output("dst", type, shape), input("data", type, shape),
                     input("vals", DType::f32, eight),
                     output("dst_idx", DType::u32, eight)},
                    {{"imm", 2.5}},
                    targetFor(type)});
  }
  for (const std::int64_t n : {9, 100, 128})
    runInstruction({"topk",
                    {output("val_dst", DType::bf16, {32, 9}),
                     output("idx_dst", DType::u32, {32, 9}),
                     input("src", DType::bf16, {32, 8})},
                    {{"n", n}}});
  for (const DType type : types("nonzero_with_count", "src"))
    runInstruction({"nonzero_with_count",
                    {inPlace(input("dst", DType::i32, {20, cols + 1})),
                     input("src", type, {20, cols})},
                    {{"index_offset", std::int64_t{-3}}}});
  for (const DType type : types("sequence_bounds", "dst"))
    runInstruction(
        {"sequence_bounds",
         {output("dst", type, {1, 14}),
          numbers("segment_ids", type, {1, 7}, {0, 4, 4, 0, 0, 16777215, 4})},
         {}});
}

KILN_MEANING(gathers) {
  for (const DType type : types("nc_n_gather", "dst"))
    runInstruction({"nc_n_gather",
                    {output("dst", type, eight), input("data", type, shape),
                     places("indices", DType::u32, eight, cols)},
                    {},
                    targetFor(type)});
  for (const DType type : types("local_gather", "dst"))
    for (const std::int64_t each : {1, 4})
      runInstruction({"local_gather",
                      {output("dst", type, {32, 30 * each}),
                       input("src_buffer", type, {32, 16}),
                       places("index", DType::u16, {32, 2}, 13)},
                      {{"num_elem_per_idx", each},
                       {"num_valid_indices", std::int64_t{30}}},
                      targetFor(type)});
  std::vector<std::int64_t> mask;
  for (std::int64_t lane = 0; lane < 32; ++lane)
    mask.push_back(lane % 5 == 4 ? 255 : lane * 3 % 20);
  for (const DType type : types("nc_stream_shuffle", "dst"))
    runInstruction(
        {"nc_stream_shuffle",
         {inPlace(input("dst", type, {32, 6})), input("src", type, {20, 6})},
         {{"shuffle_mask", mask}},
         targetFor(type)});
}

KILN_MEANING(products) {
  for (const DType left : types("nc_matmul", "stationary"))
    for (const DType right : types("nc_matmul", "moving"))
      for (const DType result : {DType::f32, DType::bf16})
        runInstruction(
            {"nc_matmul",
             {inPsum(output("dst", result, {8, cols})),
              input("stationary", left, eight), input("moving", right, shape)},
             {},
             "trn3"});
  for (const DType type : types("nc_matmul", "dst")) {
    Values ones(static_cast<std::size_t>(rows * rows), 0.0);
    for (std::size_t i = 0; i < ones.size(); i += std::size_t{rows} + 1)
      ones[i] = 1;
    runInstruction({"nc_matmul",
                    {inPsum(output("dst", type, {8, rows})),
                     input("stationary", type, eight),
                     numbers("moving", type, diagonal, ones)},
                    {{"is_transpose", std::int64_t{1}}},
                    targetFor(type)});
    runInstruction({"nc_matmul",
                    {inPsum(output("dst", DType::f32, {8, 30})),
                     input("stationary", type, {rows, 2, 8}),
                     input("moving", type, {rows, 2, 30})},
                    {{"perf_mode", std::string("double_row")}},
                    "trn3"});
  }
  for (const DType type : types("nc_transpose", "dst")) {
    runInstruction(
        {"nc_transpose",
         {output("dst", type, {8, rows}), input("data", type, eight)},
         {{"engine", std::string("vector")}},
         targetFor(type)});
    runInstruction(
        {"nc_transpose",
         {inPsum(output("dst", type, {8, rows})), input("data", type, eight)},
         {},
         targetFor(type)});
  }
}

KILN_MEANING(microscaling) {
  const auto scales = [](const char *name, DType type, std::int64_t columns) {
    Values values(static_cast<std::size_t>(4 * columns));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int code = 120 + static_cast<int>(i * 7 % 15);
      values[i] = type == DType::u8 ? code : std::exp2(code - 127);
    }
    return numbers(name, type, {4, columns}, values);
  };
  for (const DType left : types("nc_matmul_mx", "stationary"))
    for (const DType right : types("nc_matmul_mx", "moving"))
      for (const DType type : types("nc_matmul_mx", "moving_scale"))
        for (const DType result : types("nc_matmul_mx", "dst"))
          runInstruction({"nc_matmul_mx",
                          {inPsum(output("dst", result, {6, 10})),
                           input("stationary", left, {32, 6}),
                           input("moving", right, {32, 10}),
                           scales("stationary_scale", DType::u8, 6),
                           scales("moving_scale", type, 10)},
                          {},
                          "trn3"});
  for (const DType from : types("quantize_mx", "src"))
    for (const DType to : types("quantize_mx", "dst"))
      for (const DType scale : types("quantize_mx", "dst_scale"))
        runInstruction(
            {"quantize_mx",
             {output("dst", to, {64, 10}), input("src", from, {64, 40}),
              inPlace(input("dst_scale", scale, {36, 10}))},
             {},
             "trn3"});
}

KILN_MEANING(transfers) {
  for (const DType type : types("dma_transpose", "dst"))
    runInstruction(
        {"dma_transpose",
         {output("dst", type, {12, 16}), input("src", type, {16, 12})},
         {},
         targetFor(type)});
  const std::vector<DType> all = types("dma_compute", "srcs");
  for (const DType type : types("dma_compute", "dst"))
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == type || isTurn(3))
        runInstruction(
            {"dma_compute",
             {output("dst", type, shape), input("srcs", all[i], shape),
              input("srcs", all[(i + 4) % all.size()], shape),
              input("srcs", all[(i + 7) % all.size()], shape)},
             {},
             "trn3"});
}

KILN_MEANING(statistics) {
  for (const DType type : types("bn_stats", "dst"))
    for (const std::int64_t count : {1, 2, 7, 60}) {
      runInstruction(
          {"bn_stats",
           {output("dst", type, {rows, 6}), input("data", type, {rows, count})},
           {},
           targetFor(type)});
      runInstruction({"bn_aggr",
                      {output("dst", type, {rows, 2}),
                       input("data", type, {rows, 3 * count})},
                      {},
                      targetFor(type)});
    }
}

/// A seed may make any numbers; what is known of them must hold.
KILN_MEANING(random_numbers) {
  for (const DType type : types("rng", "dst"))
    for (const char *engine : {"vector", "gpsimd"})
      runInstruction({"rng",
                      {output("dst", type, shape)},
                      {{"engine", std::string(engine)}}});
  for (const DType type : types("rand2", "dst"))
    runInstruction({"rand2",
                    {output("dst", type, shape)},
                    {{"min", -3.0}, {"max", 200.0}},
                    "trn3"});
  for (const DType type : types("dropout", "dst"))
    for (const double probability : {0.0, 0.5, 1.0})
      runInstruction({"dropout",
                      {output("dst", type, shape), input("data", type, shape)},
                      {{"prob", probability}},
                      targetFor(type)});
  for (const DType type : types("set_rng_seed", "src_seeds"))
    runInstruction(
        {"set_rng_seed", {inPlace(input("src_seeds", type, {1, 1}))}, {}});
  for (const char *target : {"trn2", "trn3"})
    for (const bool onVector : {false, true}) {
      const std::string engine = onVector ? "vector" : "gpsimd";
      const Extents words{128, onVector ? 24 : 6};
      runInstruction({"rand_set_state",
                      {inPlace(input("src_seeds", DType::u32, words))},
                      {{"engine", engine}},
                      target});
      runInstruction({"rand_get_state",
                      {output("dst", DType::u32, words)},
                      {{"engine", engine}},
                      target});
    }
}

} // namespace kiln::test::meaning_of_places_test

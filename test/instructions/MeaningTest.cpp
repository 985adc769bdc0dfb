//===- MeaningTest.cpp - Instructions x types x operators, two ways -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element-wise operator, function and type on values where they differ:
// limits, ties, both zeros, infinities, NaN. What the binary computes lies
// within the bounds of the interpreter, which shares no code with it.
//
//===----------------------------------------------------------------------===//

#include "handmade.h"

#include <cmath>

namespace kiln::test::meaning_test {

using isa::DType;

namespace {
const Extents column{rows, 1};
} // namespace

KILN_MEANING(tensor_tensor) {
  for (const std::string &op : operators("tensor_tensor", "op"))
    for (const DType type : types("tensor_tensor", "dst"))
      for (const char *engine : {"", "vector", "gpsimd"}) {
        // What GpSimd does apart: integers of 32 bits and powers.
        const bool isWide = isa::sizeInBytes(type) == 4;
        if (*engine ? !isWide || !isTurn(2) : isWide && !isa::isFloat(type))
          continue;
        HandmadeCall instruction{"tensor_tensor",
                                 {output("dst", type, shape),
                                  input("data1", type, shape),
                                  input("data2", type, shape)},
                                 {{"op", op}},
                                 "trn3"};
        if (*engine)
          instruction.attributes["engine"] = std::string(engine);
        runInstruction(instruction);
      }
  // Mixed types.
  const std::vector<DType> all = types("tensor_tensor", "dst");
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::string &op : operators("tensor_tensor", "op"))
      if (isTurn(5))
        runInstruction({"tensor_tensor",
                        {output("dst", all[(i + 5) % all.size()], shape),
                         input("data1", all[i], shape),
                         input("data2", all[(i + 3) % all.size()], shape)},
                        {{"op", op}},
                        "trn3"});
}

KILN_MEANING(integers_of_32_bits) {
  for (const DType type : {DType::i32, DType::u32})
    for (const std::string &op : operators("tensor_tensor", "op"))
      runInstruction({"tensor_tensor",
                      {output("dst", type, shape), input("data1", type, shape),
                       input("data2", type, shape)},
                      {{"op", op}},
                      "trn3"});
}

/// memset's value is an f32.
TEST_CASE("meaning: memset of integers of 32 bits") {
  for (const DType type : {DType::i32, DType::u32}) {
    for (const double value : {16777217.0, 0.1, 0x1p32})
      CHECK(!runInstruction({"memset",
                             {output("dst", type, shape)},
                             {{"value", value}},
                             "trn2"}));
    CHECK(runInstruction({"memset",
                          {output("dst", type, shape)},
                          {{"value", 16777216.0}},
                          "trn2"}));
  }
}

KILN_MEANING(operators_with_scalars) {
  for (const std::string &op : operators("tensor_scalar", "op0"))
    for (const DType type : types("tensor_scalar", "dst")) {
      const DType scalars = isBits(op) ? type : DType::f32;
      HandmadeCall one{"tensor_scalar",
                       {output("dst", type, shape), input("data", type, shape)},
                       {{"op0", op}},
                       "trn3"};
      if (!takesNone(op))
        one.tiles.push_back(input("operand0", scalars, column));
      runInstruction(one);
      if (!isTurn(3))
        continue;
      if (!takesNone(op))
        one.attributes["reverse0"] = std::int64_t{1};
      one.attributes["op1"] =
          std::string(isBits(op) ? "bitwise_xor" : "subtract");
      one.attributes["reverse1"] = std::int64_t{1};
      if (isBits(op))
        one.attributes["operand1"] = std::int64_t{85};
      else
        one.attributes["operand1"] = 0.1;
      runInstruction(one);
    }
  for (const std::string &op : operators("scalar_tensor_tensor", "op0"))
    for (const DType type : types("scalar_tensor_tensor", "dst"))
      runInstruction({"scalar_tensor_tensor",
                      {output("dst", type, shape), input("data", type, shape),
                       input("operand0", type, column),
                       input("operand1", DType::f32, shape)},
                      {{"op0", op}, {"op1", std::string("add")}},
                      "trn3"});
  for (const DType type : types("reciprocal", "dst"))
    runInstruction({"reciprocal",
                    {output("dst", type, shape), input("data", type, shape)},
                    {},
                    targetFor(type)});
}

KILN_MEANING(activation) {
  for (const std::string &op :
       words<isa::ActivationFunction>("activation", "op"))
    for (const DType type : types("activation", "dst")) {
      const std::string target = targetFor(type);
      runInstruction(
          {"activation",
           {output("dst", DType::f32, shape), input("data", type, shape)},
           {{"op", op}},
           target});
      if (isTurn(3))
        runInstruction(
            {"activation",
             {output("dst", type, shape), input("data", DType::f32, shape),
              input("bias", DType::bf16, column),
              output("reduce_res", DType::f32, column)},
             {{"op", op},
              {"scale", 0.3},
              {"reduce_op", std::string("add")},
              {"reduce_cmd", std::string("reset_reduce")}},
             target});
    }
}

KILN_MEANING(other_functions) {
  for (const DType type : types("activation_reduce", "dst"))
    runInstruction({"activation_reduce",
                    {output("dst", type, shape), input("data", type, shape),
                     output("reduce_res", DType::f32, column)},
                    {{"op", std::string("sigmoid")}},
                    targetFor(type)});
  for (const std::string &op0 : operators("activate2", "op0"))
    for (const std::string &op1 : operators("activate2", "op1"))
      for (const std::string &fold : operators("activate2", "reduce_op"))
        for (const DType type : {DType::f32, DType::bf16, DType::i16})
          for (const std::int64_t reverse : {0, 1}) {
            if (!isTurn(7))
              continue;
            HandmadeCall instruction{
                "activate2",
                {output("dst", type, shape), input("data", type, shape),
                 input("relu_param", DType::f32, column),
                 output("reduce_res", DType::f32, column)},
                {{"op", std::string("prelu")},
                 {"op0", op0},
                 {"op1", op1},
                 {"reduce_op", fold},
                 {"reduce_cmd", std::string("reset_reduce")}},
                "trn3"};
            if (op0 != "bypass") {
              instruction.tiles.push_back(input("imm0", DType::f32, column));
              instruction.attributes["reverse0"] = reverse;
            }
            if (op1 != "bypass") {
              instruction.tiles.push_back(input("imm1", DType::f32, column));
              instruction.attributes["reverse1"] = reverse;
            }
            runInstruction(instruction);
          }
  for (const DType type : types("activate2", "dst"))
    runInstruction({"activate2",
                    {output("dst", type, shape), input("data", type, shape)},
                    {{"op", std::string("tanh")}},
                    "trn3"});
  for (const DType from : types("exponential", "src"))
    for (const DType to : types("exponential", "dst"))
      if (isTurn(3))
        runInstruction({"exponential",
                        {output("dst", to, shape), input("src", from, shape),
                         input("max_value", DType::f32, column),
                         output("reduce_res", DType::f32, column)},
                        {{"reduce_cmd", std::string("reset_reduce")}},
                        "trn3"});
}

KILN_MEANING(copies) {
  for (const DType from : types("tensor_copy", "src"))
    for (const DType to : types("tensor_copy", "dst"))
      for (const char *engine : {"vector", "scalar", "gpsimd"})
        if (from == to || isTurn(5))
          runInstruction({"tensor_copy",
                          {output("dst", to, shape), input("src", from, shape)},
                          {{"engine", std::string(engine)}},
                          "trn3"});
  for (const DType from : types("dma_copy", "src"))
    for (const DType to : types("dma_copy", "dst"))
      if (from == to || isTurn(5))
        runInstruction({"dma_copy",
                        {output("dst", to, shape), input("src", from, shape)},
                        {},
                        "trn3"});
  for (const DType type : types("memset", "dst"))
    for (const double value : {0.0, 1.0, -3.0, 100.0, 16777217.0, 0.1, 1e30})
      if (isa::isFloat(type) ||
          (value == std::floor(value) &&
           (value != 16777217.0 || isa::sizeInBytes(type) < 4)))
        runInstruction({"memset",
                        {output("dst", type, shape)},
                        {{"value", value}},
                        targetFor(type)});
  for (const DType type : types("tensor_copy_predicated", "dst"))
    for (const DType choice : types("tensor_copy_predicated", "predicate"))
      for (const std::int64_t reverse : {0, 1})
        runInstruction(
            {"tensor_copy_predicated",
             {inPlace(input("dst", type, shape)), input("src", type, shape),
              input("predicate", choice, shape)},
             {{"reverse_pred", reverse}},
             targetFor(type)});
  for (const DType type : types("tensor_copy_predicated", "dst"))
    runInstruction({"tensor_copy_predicated",
                    {inPlace(input("dst", type, shape)),
                     input("predicate", DType::u8, shape)},
                    {{"src", -7.0}},
                    targetFor(type)});
}

KILN_MEANING(selections) {
  const std::vector<std::int64_t> pattern{-7, 6, 40000000, 10};
  for (const DType type : types("iota", "dst"))
    runInstruction({"iota",
                    {output("dst", type, shape)},
                    {{"pattern", pattern},
                     {"channel_multiplier", std::int64_t{300000007}}},
                    targetFor(type)});
  for (const std::string &op : operators("affine_select", "cmp_op"))
    for (const DType type : types("affine_select", "dst"))
      runInstruction(
          {"affine_select",
           {output("dst", type, shape), input("on_true_tile", type, shape)},
           {{"pattern", std::vector<std::int64_t>{-1, cols}},
            {"channel_multiplier", std::int64_t{9}},
            {"on_false_value", isa::isFloat(type) ? -2.75 : 1.0},
            {"cmp_op", op}},
           targetFor(type)});
  for (const std::string &op0 : operators("range_select", "comp_op0"))
    for (const std::string &op1 : operators("range_select", "comp_op1"))
      for (const DType type : types("range_select", "dst"))
        if (isTurn(2))
          runInstruction(
              {"range_select",
               {output("dst", type, shape), input("on_true_tile", type, shape),
                numbers("bound0", DType::f32, column, {3, 20.5, 9, -1}),
                numbers("bound1", DType::f32, column, {9, 40, 9, 70}),
                output("reduce_res", DType::f32, column)},
               {{"comp_op0", op0}, {"comp_op1", op1}},
               targetFor(type)});
  for (const DType type : types("select_reduce", "on_true"))
    for (const DType to : types("select_reduce", "dst"))
      for (const DType choice : types("select_reduce", "predicate"))
        if ((type == DType::f32 && choice == DType::u8) || isTurn(7))
          runInstruction(
              {"select_reduce",
               {output("dst", to, shape), input("predicate", choice, shape),
                input("on_true", type, shape),
                input("on_false", DType::f32, column),
                output("reduce_res", DType::f32, column)},
               {{"reduce_cmd", std::string("reset_reduce")}},
               "trn3"});
}

KILN_MEANING(reductions) {
  for (const std::string &op : operators("tensor_reduce", "op"))
    for (const DType type : types("tensor_reduce", "dst")) {
      runInstruction({"tensor_reduce",
                      {output("dst", type, column), input("data", type, shape)},
                      {{"op", op}},
                      targetFor(type)});
      runInstruction(
          {"tensor_reduce",
           {output("dst", DType::f32, {rows, 3}),
            input("data", type, {rows, 3, 4, 5})},
           {{"op", op}, {"axes", std::int64_t{2}}, {"negate", std::int64_t{1}}},
           targetFor(type)});
    }
  for (const std::string &op : operators("tensor_partition_reduce", "op"))
    for (const DType type : types("tensor_partition_reduce", "dst"))
      runInstruction(
          {"tensor_partition_reduce",
           {output("dst", type, {1, cols}), input("data", type, shape)},
           {{"op", op}},
           targetFor(type)});
  const char *const mnemonic = "tensor_scalar_cumulative";
  for (const std::string &op0 : operators(mnemonic, "op0"))
    for (const std::string &op1 : operators(mnemonic, "op1"))
      for (const DType type : {DType::f32, DType::i8})
        runInstruction(
            {mnemonic,
             {output("dst", DType::f32, shape), input("src", type, shape),
              input("imm0", DType::f32, column)},
             {{"op0", op0}, {"op1", op1}},
             "trn3"});
  for (const DType type : types(mnemonic, "dst"))
    runInstruction({mnemonic,
                    {output("dst", type, shape), input("src", type, shape)},
                    {{"op0", std::string("multiply")},
                     {"op1", std::string("add")},
                     {"imm0", 1.0},
                     {"imm1", 3.0},
                     {"reduce_cmd", std::string("load_reduce")}},
                    targetFor(type)});
  for (const std::string &op0 : operators("tensor_scalar_reduce", "op0"))
    for (const std::string &fold :
         operators("tensor_scalar_reduce", "reduce_op"))
      for (const DType type : types("tensor_scalar_reduce", "dst")) {
        if (!isTurn(5))
          continue;
        HandmadeCall instruction{"tensor_scalar_reduce",
                                 {output("dst", type, shape),
                                  input("data", type, shape),
                                  output("reduce_res", DType::f32, column)},
                                 {{"op0", op0}, {"reduce_op", fold}},
                                 "trn3"};
        if (!takesNone(op0))
          instruction.tiles.push_back(input("operand0", DType::f32, column));
        runInstruction(instruction);
      }
  for (const std::string &op0 : operators("tensor_tensor_scan", "op0"))
    for (const std::string &op1 : operators("tensor_tensor_scan", "op1"))
      for (const std::int64_t reverse : {0, 1})
        if (isTurn(5))
          runInstruction({"tensor_tensor_scan",
                          {output("dst", DType::f32, shape),
                           input("data0", DType::f32, shape),
                           input("data1", DType::bf16, shape),
                           input("initial", DType::f32, column)},
                          {{"op0", op0},
                           {"op1", op1},
                           {"reverse0", reverse},
                           {"reverse1", 1 - reverse}},
                          "trn3"});
  for (const DType type : types("tensor_tensor_scan", "dst"))
    runInstruction({"tensor_tensor_scan",
                    {output("dst", type, shape), input("data0", type, shape),
                     input("data1", type, shape)},
                    {{"op0", std::string("multiply")},
                     {"op1", std::string("add")},
                     {"initial", 0.5}},
                    targetFor(type)});
}

} // namespace kiln::test::meaning_test

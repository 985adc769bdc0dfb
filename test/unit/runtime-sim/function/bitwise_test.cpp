//===- bitwise_test.cpp - Integers as patterns ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lab.h"

using namespace lab;
using isa::AluOp;

namespace {

/// On `width` bits, as the manual words it.
std::uint32_t model(AluOp op, std::uint32_t a, std::uint32_t b,
                    unsigned width) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::uint64_t result = 0;
  switch (op) {
  case AluOp::bitwise_and:
    result = a & b;
    break;
  case AluOp::bitwise_or:
    result = a | b;
    break;
  case AluOp::bitwise_xor:
    result = a ^ b;
    break;
  case AluOp::invert:
    result = ~std::uint64_t{a};
    break;
  case AluOp::left_shift:
    result = b < width ? std::uint64_t{a} << b : 0;
    break;
  case AluOp::right_shift:
    result = b < width ? a >> b : 0;
    break;
  default:
    FAIL("not bitwise");
  }
  return static_cast<std::uint32_t>(result & mask);
}

constexpr AluOp binary[] = {AluOp::bitwise_and, AluOp::bitwise_or,
                            AluOp::bitwise_xor, AluOp::left_shift,
                            AluOp::right_shift};
constexpr DType integers[] = {DType::u8,  DType::i8,  DType::u16,
                              DType::i16, DType::u32, DType::i32};

} // namespace

TEST_CASE("bitwise operators on two tiles of every integer type") {
  unsigned seed = 1;
  for (const DType type : integers)
    for (const AluOp op : binary) {
      CAPTURE(std::string(isa::name(type)), std::string(isa::name(op)));
      const unsigned width = 8 * isa::sizeInBytes(type);
      Image before = randomImage(seed++);
      const Access a = place(Space::sbuf, type, 64, 40, 8, {{70, 2}, {9, 7}}),
                   b = place(Space::psum, type, 64, 40, 4, {{0, 2}, {2, 7}}),
                   dst = sbuf(type, 40, 14, 2048);
      // Shifts within the width, just past it, and far.
      if (op == AluOp::left_shift || op == AluOp::right_shift)
        each(b, [&](unsigned p, std::uint64_t i) {
          const std::uint32_t far = before.bits(b, p, i);
          before.setBits(
              b, p, i,
              i % 5 == 4 ? far : (p + static_cast<unsigned>(i)) % (width + 2));
        });
      Image want = before;
      each(dst, [&](unsigned p, std::uint64_t i) {
        want.setBits(dst, p, i,
                     model(op, want.bits(a, p, i), want.bits(b, p, i), width));
      });
      checkSame(after(before, Engine::vector, isa::TensorTensor{dst, a, b, op}),
                want);
    }
}

TEST_CASE("bitwise operators with one integer per lane or an immediate") {
  unsigned seed = 50;
  for (const DType type : integers) {
    CAPTURE(std::string(isa::name(type)));
    const unsigned width = 8 * isa::sizeInBytes(type);
    const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
    const Image before = randomImage(seed++);
    const Access data = place(Space::sbuf, type, 0, 64, 0, {{3, 20}}),
                 column = place(Space::psum, type, 64, 64, 12, {}),
                 dst = place(Space::psum, type, 64, 64, 256, {{1, 20}});
    isa::TensorScalar op;
    op.dst = dst;
    op.data = data;
    op.op0 = AluOp::bitwise_xor;
    op.operand0 = column;
    op.op1 = AluOp::right_shift;
    op.operand1 = std::int32_t{3};
    Image want = before;
    each(dst, [&](unsigned p, std::uint64_t i) {
      const std::uint32_t x = want.bits(data, p, i) ^ want.bits(column, p, 0);
      want.setBits(dst, p, i, x >> 3);
    });
    checkSame(after(before, Engine::vector, op), want);

    op.op0 = AluOp::invert;
    op.operand0 = std::nullopt;
    op.op1 = AluOp::left_shift;
    op.operand1 = std::int32_t{1};
    op.reverse1 = true;
    Image shifted = before;
    each(dst, [&](unsigned p, std::uint64_t i) {
      const std::uint32_t amount = ~shifted.bits(data, p, i) & mask;
      shifted.setBits(dst, p, i, model(AluOp::left_shift, 1, amount, width));
    });
    checkSame(after(before, Engine::vector, op), shifted);
  }
}

TEST_CASE("bitwise reductions of rows and of partitions") {
  unsigned seed = 70;
  for (const DType type : integers)
    for (const AluOp op :
         {AluOp::bitwise_and, AluOp::bitwise_or, AluOp::bitwise_xor}) {
      CAPTURE(std::string(isa::name(type)), std::string(isa::name(op)));
      Image before = randomImage(seed++);
      const Access data =
          place(Space::sbuf, type, 0, 128, 0, {{60, 5}, {12, 2}, {1, 3}});
      // Reductions of random bits end soon: make most bits agree.
      each(data, [&](unsigned p, std::uint64_t i) {
        const std::uint32_t bits = before.bits(data, p, i);
        before.setBits(data, p, i,
                       op == AluOp::bitwise_and ? bits | 0x5a5a5a5au << p % 2
                                                : bits & 0x11111111u);
      });
      const auto start = [&] { return op == AluOp::bitwise_and ? ~0u : 0u; };
      const auto fold = [&](std::uint32_t a, std::uint32_t b) {
        return op == AluOp::bitwise_and  ? a & b
               : op == AluOp::bitwise_or ? a | b
                                         : a ^ b;
      };
      const Access rows = sbuf(type, 128, 5, 2048);
      Image want = before;
      each(rows, [&](unsigned p, std::uint64_t i) {
        std::uint32_t result = start();
        for (unsigned k = 0; k < 6; ++k)
          result = fold(result, before.bits(data, p, 6 * i + k));
        want.setBits(rows, p, i, result);
      });
      isa::TensorReduce reduce;
      reduce.dst = rows;
      reduce.op = op;
      reduce.data = data;
      reduce.axes = 2;
      checkSame(after(before, Engine::vector, reduce), want);

      if (op == AluOp::bitwise_xor)
        continue;
      const Access total = place(Space::sbuf, type, 0, 1, 2048, {{1, 30}});
      Image all = before;
      each(total, [&](unsigned, std::uint64_t i) {
        std::uint32_t result = start();
        for (unsigned p = 0; p < 128; ++p)
          result = fold(result, before.bits(data, p, i));
        all.setBits(total, 0, i, result);
      });
      checkSame(after(before, Engine::gpsimd,
                      isa::TensorPartitionReduce{total, op, data}),
                all);
    }
}

TEST_CASE("partition reductions in fp32, partitions in order") {
  const Image before = randomImage(90);
  for (const AluOp op : {AluOp::add, AluOp::maximum, AluOp::average}) {
    CAPTURE(std::string(isa::name(op)));
    const Access data =
        place(Space::sbuf, DType::bf16, 32, 96 - 64, 0, {{3, 40}});
    const Access dst = place(Space::sbuf, DType::f32, 64, 1, 1024, {{1, 40}});
    Image want = before;
    each(dst, [&](unsigned, std::uint64_t i) {
      float result = op == AluOp::maximum ? -INFINITY : 0.0f;
      for (unsigned p = 0; p < data.partitions; ++p)
        result = apply(op == AluOp::maximum ? op : AluOp::add, result,
                       want.get(data, p, i));
      want.put(dst, 0, i, op == AluOp::average ? result / 32.0f : result);
    });
    checkSame(after(before, Engine::gpsimd,
                    isa::TensorPartitionReduce{dst, op, data}),
              want);
  }
}

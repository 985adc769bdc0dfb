//===- Randoms.cpp - Random numbers -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manual defines the generators and their states, but not the states that a
// seed gives: until rand_set_state their numbers are any integers.
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

#include <cmath>

namespace kiln::interpret {

using isa::AluOp;
using isa::Engine;

namespace {

constexpr std::int64_t wordsOfState = 6;

/// (number >> 8) * 2^-24, in [0, 1).
Number uniform(const Number &bits) {
  const Number high = bitwise(AluOp::right_shift, bits, DType::u32, exactly(8),
                              DType::u32, DType::u32);
  return {high.value * 0x1p-24, high.bound * 0x1p-24};
}

/// As many low bits as `dtype` has.
Number lowBits(const Number &bits, DType dtype) {
  if (dtype == DType::u32)
    return bits;
  if (!isExact(bits))
    return anyInteger(dtype);
  const double count =
      std::ldexp(1.0, static_cast<int>(8 * isa::sizeInBytes(dtype)));
  const double number = std::fmod(bits.value, count);
  const bool isNegative = isa::info(dtype).isSigned && number >= count / 2;
  return exactly(isNegative ? number - count : number);
}

} // namespace

void interpretRng(Call &call) {
  Generators &random = generators(call, Engine::vector);
  const DType dtype = typeOf(call, "dst");
  const Array shape = call.resultOf("dst");
  call.write("dst", mapped(shape, dtype, [&](std::size_t row, std::size_t) {
               return lowBits(random.next(static_cast<std::int64_t>(row)),
                              dtype);
             }));
}

void interpretRand2(Call &call) {
  Generators &random = generators(call, Engine::vector);
  const Array shape = call.resultOf("dst");
  const auto least = columnOf(call, "min", shape.rows());
  const auto most = columnOf(call, "max", shape.rows());
  if (call.failed())
    return;
  call.write(
      "dst", mapped(shape, DType::f32, [&](std::size_t row, std::size_t) {
        const Number width = stage(AluOp::subtract, most[row], least[row]);
        return fusedStage(uniform(random.next(static_cast<std::int64_t>(row))),
                          width, least[row]);
      }));
}

void interpretDropout(Call &call) {
  Generators &random = generators(call, Engine::vector);
  const Array data = call.read("data");
  const auto probability = columnOf(call, "prob", data.rows());
  if (call.failed())
    return;
  call.write(
      "dst", mapped(data, data.dtype, [&](std::size_t row, std::size_t i) {
        const Number u = uniform(random.next(static_cast<std::int64_t>(row)));
        const Number &p = probability[row];
        const Truth isDropped = compare(AluOp::less, u, p);
        return selected(isDropped, p.value > 0.5, exactly(0), data.numbers[i]);
      }));
}

void interpretSetRngSeed(Call &call) {
  generators(call, Engine::vector).forget();
}

void interpretRandSetState(Call &call) {
  Generators &random = generators(call, Engine::gpsimd);
  const Array state = call.read("src_seeds");
  const auto each = static_cast<std::int64_t>(random.each);
  if (state.cols() != wordsOfState * each)
    return call.fail("'rand_set_state' has " + std::to_string(state.cols()) +
                     " words for a lane");
  for (std::int64_t lane = 0; lane < state.rows(); ++lane) {
    Generators::Lane &own = random.lanes[static_cast<std::size_t>(lane)];
    own.turn = 0;
    for (std::int64_t g = 0; g < each; ++g) {
      Generator &generator = own.generators[static_cast<std::size_t>(g)];
      generator.isKnown = true;
      for (std::int64_t i = 0; i < wordsOfState; ++i) {
        const Number &word = state.at(lane, wordsOfState * g + i);
        generator.isKnown &= isExact(word);
        generator.words[static_cast<std::size_t>(i)] =
            isExact(word) ? static_cast<std::uint32_t>(word.value) : 0;
      }
    }
  }
}

void interpretRandGetState(Call &call) {
  Generators &random = generators(call, Engine::gpsimd);
  Array state = makeArray(DType::u32, call.operand("dst").window.sizes);
  const auto each = static_cast<std::int64_t>(random.each);
  if (state.cols() != wordsOfState * each)
    return call.fail("'rand_get_state' has " + std::to_string(state.cols()) +
                     " words for a lane");
  for (std::int64_t lane = 0; lane < state.rows(); ++lane)
    for (std::int64_t i = 0; i < state.cols(); ++i) {
      const Generator &generator =
          random.lanes[static_cast<std::size_t>(lane)]
              .generators[static_cast<std::size_t>(i / wordsOfState)];
      state.at(lane, i) =
          generator.isKnown
              ? exactly(
                    generator.words[static_cast<std::size_t>(i % wordsOfState)])
              : anyInteger(DType::u32);
    }
  call.write("dst", state);
}

} // namespace kiln::interpret

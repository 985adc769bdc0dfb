//===- Random.cpp - Random numbers ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "kiln/isa/split_mix.h"

namespace kiln::sim {

void RandomState::seed(std::uint32_t number) {
  std::uint64_t state = std::uint64_t{number} << 32;
  for (Xorwow &generator : generators)
    for (std::uint32_t &word : generator.state)
      word = static_cast<std::uint32_t>(isa::splitMix(state) >> 32);
}

/// Each element takes one draw, whether it is dropped or not.
void Machine::run(const isa::Dropout &op) {
  const View dst = view(op.dst);
  const View data = view(op.data);
  const LaneScalar probability(*this, op.prob);
  const std::uint64_t n = dst.elements();
  std::uint32_t *row = buffers[0].get<std::uint32_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float limit = probability.at(p);
    gatherBits(data, p, buffers[1], row);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint32_t bits = state.vectorRandom.generator(p, i).next();
      const float u = static_cast<float>(bits >> 8) * 0x1p-24f;
      row[i] = u < limit ? 0 : row[i];
    }
    scatterBits(row, dst, p, buffers[1]);
  }
}

void Machine::run(const isa::Rng &op) {
  const View dst = view(op.dst);
  const std::uint64_t n = dst.elements();
  std::uint32_t *row = buffers[0].get<std::uint32_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    for (std::uint64_t i = 0; i < n; ++i)
      row[i] = randomState().generator(p, i).next();
    scatterBits(row, dst, p, buffers[1]);
  }
}

void Machine::run(const isa::Rand2 &op) {
  const View dst = view(op.dst);
  const LaneScalar low(*this, op.min);
  const LaneScalar high(*this, op.max);
  produceRows(
      dst, false, std::nullopt, isa::AluOp::add, [&](unsigned p, float *row) {
        for (std::uint64_t i = 0; i < dst.elements(); ++i) {
          const std::uint32_t bits = state.vectorRandom.generator(p, i).next();
          row[i] = static_cast<float>(bits >> 8) * 0x1p-24f;
        }
        kernels.affine(row, high.at(p) - low.at(p), low.at(p), row,
                       dst.elements());
      });
}

void Machine::run(const isa::SetRngSeed &op) {
  std::uint32_t seed = 0;
  gather(view(op.src_seeds), 0, &seed);
  state.vectorRandom.seed(seed);
}

void Machine::run(const isa::RandSetState &op) {
  const View src = view(op.src_seeds);
  std::uint32_t *words = buffers[0].get<std::uint32_t>(src.elements());
  for (unsigned p = 0; p < src.lanes; ++p) {
    gather(src, p, words);
    for (std::uint64_t i = 0; i < src.elements(); ++i)
      randomState().generator(p, i / Xorwow::words).state[i % Xorwow::words] =
          words[i];
  }
}

void Machine::run(const isa::RandGetState &op) {
  const View dst = view(op.dst);
  std::uint32_t *words = buffers[0].get<std::uint32_t>(dst.elements());
  for (unsigned p = 0; p < dst.lanes; ++p) {
    for (std::uint64_t i = 0; i < dst.elements(); ++i)
      words[i] = randomState()
                     .generator(p, i / Xorwow::words)
                     .state[i % Xorwow::words];
    scatter(words, dst, p);
  }
}

} // namespace kiln::sim

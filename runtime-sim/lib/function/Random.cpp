//===- Random.cpp - Random numbers ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Results.h"
#include "Rows.h"
#include "kiln/isa/split_mix.h"

namespace kiln::sim {

void RandomState::seed(std::uint32_t number) {
  std::uint64_t state = std::uint64_t{number} << 32;
  for (Xorwow &generator : generators)
    for (std::uint32_t &word : generator.state)
      word = static_cast<std::uint32_t>(isa::splitMix(state) >> 32);
}

/// Each element takes one draw, whether it is dropped or not.
Outcome run(Lanes &lanes, const isa::Dropout &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const LaneScalar probability(lanes, op.prob);
  const std::uint64_t n = dst.elements();
  std::uint32_t *row = lanes.scratch.get<std::uint32_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float limit = probability.at(p);
    gatherBits(data, p, lanes.scratch, row);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint32_t bits =
          lanes.state.vectorRandom.generator(p, i).next();
      const float u = static_cast<float>(bits >> 8) * 0x1p-24f;
      row[i] = u < limit ? 0 : row[i];
    }
    scatterBits(row, dst, p, lanes.scratch);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::Rng &op) {
  const View dst = lanes.view(op.dst);
  const std::uint64_t n = dst.elements();
  std::uint32_t *row = lanes.scratch.get<std::uint32_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    for (std::uint64_t i = 0; i < n; ++i)
      row[i] = lanes.randomState().generator(p, i).next();
    scatterBits(row, dst, p, lanes.scratch);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::Rand2 &op) {
  const View dst = lanes.view(op.dst);
  const LaneScalar low(lanes, op.min);
  const LaneScalar high(lanes, op.max);
  produceRows(lanes, dst, false, std::nullopt, isa::AluOp::add,
              [&](unsigned p, float *row) {
                for (std::uint64_t i = 0; i < dst.elements(); ++i) {
                  const std::uint32_t bits =
                      lanes.state.vectorRandom.generator(p, i).next();
                  row[i] = static_cast<float>(bits >> 8) * 0x1p-24f;
                }
                lanes.kernels.affine(row, high.at(p) - low.at(p), low.at(p),
                                     row, dst.elements());
              });
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::SetRngSeed &op) {
  std::uint32_t seed = 0;
  gather(lanes.view(op.src_seeds), 0, &seed);
  lanes.state.vectorRandom.seed(seed);
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::RandSetState &op) {
  const View src = lanes.view(op.src_seeds);
  std::uint32_t *words = lanes.scratch.get<std::uint32_t>(src.elements());
  for (unsigned p = 0; p < src.lanes; ++p) {
    gather(src, p, words);
    for (std::uint64_t i = 0; i < src.elements(); ++i)
      lanes.randomState()
          .generator(p, i / Xorwow::words)
          .state[i % Xorwow::words] = words[i];
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::RandGetState &op) {
  const View dst = lanes.view(op.dst);
  std::uint32_t *words = lanes.scratch.get<std::uint32_t>(dst.elements());
  for (unsigned p = 0; p < dst.lanes; ++p) {
    for (std::uint64_t i = 0; i < dst.elements(); ++i)
      words[i] = lanes.randomState()
                     .generator(p, i / Xorwow::words)
                     .state[i % Xorwow::words];
    scatter(words, dst, p);
  }
  return Outcome::done;
}

} // namespace kiln::sim

//===- Statistics.cpp - Mean and variance ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes in order, each operation rounded to fp32.
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Results.h"
#include "Rows.h"

namespace kiln::sim {

namespace {

struct Moments {
  float count = 0, mean = 0, squares = 0;
};

/// Of every second element from `first`.
Moments momentsOf(const float *row, std::uint64_t first, std::uint64_t n) {
  Moments result;
  float sum = 0;
  for (std::uint64_t i = first; i < n; i += 2) {
    result.count += 1.0f;
    sum += row[i];
  }
  if (result.count == 0)
    return result;
  result.mean = sum / result.count;
  for (std::uint64_t i = first; i < n; i += 2) {
    const float distance = row[i] - result.mean;
    result.squares += distance * distance;
  }
  return result;
}

} // namespace

Outcome run(Lanes &lanes, const isa::BnStats &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  RowSource source(lanes, data);
  produceRows(lanes, dst, false, std::nullopt, isa::AluOp::add,
              [&](unsigned p, float *row) {
                const float *in = source.row(p);
                for (unsigned half = 0; half < 2; ++half) {
                  const Moments m = momentsOf(in, half, data.elements());
                  row[3 * half] = m.count;
                  row[3 * half + 1] = m.mean;
                  row[3 * half + 2] = m.squares;
                }
              });
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::BnAggr &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const std::uint64_t n = data.elements();
  RowSource source(lanes, data);
  produceRows(lanes, dst, false, std::nullopt, isa::AluOp::add,
              [&](unsigned p, float *row) {
                const float *in = source.row(p);
                float count = 0, sum = 0, squares = 0, between = 0;
                for (std::uint64_t i = 0; i < n; i += 3) {
                  count += in[i];
                  sum += in[i] * in[i + 1];
                  squares += in[i + 2];
                }
                const float mean = count == 0 ? 0.0f : sum / count;
                for (std::uint64_t i = 0; i < n; i += 3) {
                  const float distance = in[i + 1] - mean;
                  between += in[i] * (distance * distance);
                }
                row[0] = mean;
                row[1] = count == 0 ? 0.0f : (squares + between) / count;
              });
  return Outcome::done;
}

} // namespace kiln::sim

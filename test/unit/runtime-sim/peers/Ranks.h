//===- Ranks.h - Launches for tests, and what they should give - -*- C++
//-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_RANKS_H
#define KILN_TEST_RUNTIME_SIM_RANKS_H

#include "../function/Bench.h"

#include "kiln/sim/launch.h"

#include "catch.h"

#include <algorithm>
#include <numeric>

namespace ranks {

using namespace bench;

/// One group of all ranks.
inline isa::RankLists everybody(unsigned ranks) {
  isa::RankLists all(1);
  for (unsigned r = 0; r < ranks; ++r)
    all[0].push_back(static_cast<std::int32_t>(r));
  return all;
}

/// Says what went wrong, if something did.
inline sim::LaunchExecution go(const sim::Launch &launch,
                               const sim::Options &options = {}) {
  return sim::executeLaunch(
      launch, isa::target(launch.modules.front().generation), options);
}
inline sim::LaunchExecution pass(const sim::Launch &launch,
                                 const sim::Options &options = {}) {
  sim::LaunchExecution result = go(launch, options);
  if (result.fault)
    FAIL(result.fault->code + " " + result.fault->text);
  return result;
}

/// The modules of two cores: `second` may be empty.
inline std::vector<isa::Module> pairOf(const Program &first,
                                       const Program &second) {
  std::vector<isa::Module> modules{first.module, second.module};
  for (unsigned c = 0; c < 2; ++c) {
    modules[c].facts["core"] = std::to_string(c);
    modules[c].facts["cores"] = "2";
    modules[c].generation = modules[0].generation;
    modules[c].kernel = modules[0].kernel;
  }
  return modules;
}

/// Plain numbers of a type, both ways.
inline float numberAt(const std::vector<std::uint8_t> &bytes, DType dtype,
                      std::size_t i) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  };
  switch (dtype) {
  case DType::f32:
    return read(0.0f);
  case DType::bf16:
    return widenBf16(read(std::uint16_t{}));
  case DType::i32:
    return static_cast<float>(read(std::int32_t{}));
  default:
    return static_cast<float>(bytes[i]);
  }
}
inline void putNumber(std::vector<std::uint8_t> &bytes, DType dtype,
                      std::size_t i, float x) {
  const auto write = [&](auto value) {
    std::memcpy(bytes.data() + i * sizeof(value), &value, sizeof(value));
  };
  switch (dtype) {
  case DType::f32:
    return write(x);
  case DType::bf16:
    return write(slowBf16(x));
  case DType::i32: {
    const double rounded = std::nearbyint(static_cast<double>(x));
    return write(static_cast<std::int32_t>(
        std::clamp(rounded, -2147483648.0, 2147483647.0)));
  }
  default:
    bytes[i] =
        static_cast<std::uint8_t>(std::clamp(std::nearbyint(x), 0.0f, 255.0f));
  }
}
inline std::vector<std::uint8_t> randomNumbers(DType dtype, std::size_t n,
                                               std::mt19937 &random) {
  std::vector<std::uint8_t> bytes(n * isa::sizeInBytes(dtype));
  for (std::size_t i = 0; i < n; ++i) {
    const auto small =
        static_cast<float>(static_cast<int>(random() % 2001) - 1000);
    // Some integers beyond 2^24 show that sums pass through fp32.
    const float x = dtype == DType::u8    ? static_cast<float>(random() % 256)
                    : dtype == DType::i32 ? small * 60001.0f
                                          : small / 7.0f;
    putNumber(bytes, dtype, i, x);
  }
  return bytes;
}

/// All ranks in an order of chance, cut into lists of `size`.
inline isa::RankLists randomLists(unsigned count, unsigned size,
                                  std::mt19937 &random) {
  std::vector<std::int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  isa::RankLists lists;
  for (unsigned i = 0; i < count; i += size)
    lists.emplace_back(all.begin() + i, all.begin() + i + size);
  return lists;
}
/// The list of a rank and its place in it.
inline std::pair<const std::vector<std::int32_t> *, std::size_t>
listOf(const isa::RankLists &lists, unsigned rank) {
  for (const auto &list : lists)
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] == static_cast<std::int32_t>(rank))
        return {&list, i};
  FAIL("rank in no list");
  return {nullptr, 0};
}

inline float combine(isa::AluOp op, float a, float b) {
  return op == isa::AluOp::add       ? a + b
         : op == isa::AluOp::maximum ? std::max(a, b)
                                     : std::min(a, b);
}

} // namespace ranks

#endif // KILN_TEST_RUNTIME_SIM_RANKS_H

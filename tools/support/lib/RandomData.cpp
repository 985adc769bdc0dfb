//===- RandomData.cpp - Inputs that are the same everywhere -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/split_mix.h"
#include "kiln/tool/random_data.h"

#include "kiln/tool/float_format.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace kiln::tool {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): a counter, well mixed.
class Generator {
public:
  explicit Generator(std::uint64_t seed) : state(seed) {}
  std::uint64_t next() { return isa::splitMix(state); }
  void skip(std::uint64_t count) { isa::skipSplitMix(state, count); }
  double normal() { return isa::splitMixNormal(state); }

private:
  std::uint64_t state;
};

/// Numbers that the generator gives for one value.
std::uint64_t drawsOf(isa::DType dtype) {
  return isa::isFloat(dtype) && dtype != isa::DType::f8e8m0 ? 3 : 1;
}

std::uint32_t randomBits(Generator &generator, isa::DType dtype,
                         double deviation) {
  if (dtype == isa::DType::f8e8m0)
    return static_cast<std::uint32_t>(123 + generator.next() % 9);
  if (isa::isFloat(dtype))
    return encodeFloat(deviation * generator.normal(), dtype);
  if (dtype == isa::DType::boolean)
    return static_cast<std::uint32_t>(generator.next() >> 63);
  if (!isa::info(dtype).isSigned)
    return static_cast<std::uint32_t>(generator.next() >> 56);
  return static_cast<std::uint32_t>(
      static_cast<std::int32_t>(generator.next() % 201) - 100);
}

/// Calls use(first, end) for parts of `count` values, on several threads if
/// they are many. Parts begin at even places: two values may share a byte.
template <class Use> void forParts(std::uint64_t count, const Use &use) {
  constexpr std::uint64_t worthwhile = std::uint64_t{1} << 20;
  const std::uint64_t parts = std::clamp<std::uint64_t>(
      count / worthwhile, 1,
      std::max(1u, std::min(8u, std::thread::hardware_concurrency())));
  const auto begin = [&](std::uint64_t part) {
    return part == parts ? count : count / parts * part / 2 * 2;
  };
  std::vector<std::jthread> helpers;
  std::uint64_t part = 1;
  try {
    for (; part < parts; ++part)
      helpers.emplace_back(
          [&use, from = begin(part), to = begin(part + 1)] { use(from, to); });
  } catch (const std::system_error &) {
    // The host has no more threads: this one does what is left.
  }
  use(0, begin(1));
  use(begin(part), count);
}

std::uint64_t hashName(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a.
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

} // namespace

std::vector<std::uint8_t> randomTensor(std::uint64_t seed,
                                       std::string_view tensor,
                                       isa::DType dtype, std::uint64_t elements,
                                       double deviation) {
  Generator mix(seed);
  const std::uint64_t start = mix.next() ^ hashName(tensor);
  const std::uint64_t count = elements * isa::info(dtype).values;
  std::vector<std::uint8_t> bytes(elements * isa::sizeInBytes(dtype));
  // A generator begins anywhere: it only counts.
  forParts(count, [&](std::uint64_t first, std::uint64_t end) {
    Generator generator(start);
    generator.skip(first * drawsOf(dtype));
    for (std::uint64_t i = first; i < end; ++i)
      storeBits(bytes.data(), i, dtype,
                randomBits(generator, dtype, deviation));
  });
  return bytes;
}

} // namespace kiln::tool

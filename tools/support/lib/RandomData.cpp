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

namespace kiln::tool {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): a counter, well mixed.
class Generator {
public:
  explicit Generator(std::uint64_t seed) : state(seed) {}
  std::uint64_t next() { return isa::splitMix(state); }
  /// Close to standard normal: twelve 16-bit uniforms have a variance of one
  /// in units of 2^16. Exact in double, and no logarithm is needed.
  double normal() {
    std::int64_t sum = 0;
    for (int word = 0; word < 3; ++word) {
      std::uint64_t bits = next();
      for (int part = 0; part < 4; ++part)
        sum += static_cast<std::int64_t>((bits >> (16 * part)) & 0xffff);
    }
    constexpr std::int64_t mean = 12 * 0xffff / 2;
    return static_cast<double>(sum - mean) / 65536.0;
  }

private:
  std::uint64_t state;
};

std::uint64_t hashName(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a.
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

} // namespace

std::vector<std::uint8_t> randomTensor(std::uint64_t seed,
                                       std::string_view tensor,
                                       isa::DType dtype,
                                       std::uint64_t elements) {
  Generator mix(seed);
  Generator generator(mix.next() ^ hashName(tensor));
  const std::uint64_t count = elements * isa::info(dtype).values;
  std::vector<std::uint8_t> bytes(elements * isa::sizeInBytes(dtype));
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t raw;
    if (dtype == isa::DType::f8e8m0)
      raw = static_cast<std::uint32_t>(123 + generator.next() % 9);
    else if (isa::isFloat(dtype))
      raw = encodeFloat(generator.normal(), dtype);
    else if (dtype == isa::DType::boolean)
      raw = static_cast<std::uint32_t>(generator.next() >> 63);
    else if (!isa::info(dtype).isSigned)
      raw = static_cast<std::uint32_t>(generator.next() >> 56);
    else
      raw = static_cast<std::uint32_t>(
          static_cast<std::int32_t>(generator.next() % 201) - 100);
    storeBits(bytes.data(), i, dtype, raw);
  }
  return bytes;
}

} // namespace kiln::tool

//===- Sha256.cpp - Names for contents ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kiln::tool {
namespace {

// Fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> roundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

} // namespace

void Sha256::block(const unsigned char *data) {
  std::array<std::uint32_t, 64> w;
  for (int i = 0; i < 16; ++i)
    w[i] = static_cast<std::uint32_t>(data[4 * i]) << 24 |
           static_cast<std::uint32_t>(data[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(data[4 * i + 2]) << 8 | data[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] +
           (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    std::uint32_t t1 = h +
                       (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                       ((e & f) ^ (~e & g)) + roundConstants[i] + w[i];
    std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                       ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::uint32_t result[] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state[i] += result[i];
}

void Sha256::update(std::string_view data) {
  length += data.size();
  while (!data.empty()) {
    std::size_t take = std::min(data.size(), pending.size() - used);
    std::memcpy(pending.data() + used, data.data(), take);
    used += take;
    data.remove_prefix(take);
    if (used == pending.size()) {
      block(pending.data());
      used = 0;
    }
  }
}

void Sha256::field(std::string_view data) {
  update(std::to_string(data.size()) + ":");
  update(data);
}

std::string Sha256::finish() {
  std::uint64_t bits = length * 8;
  update(std::string_view("\x80", 1));
  while (used != 56)
    update(std::string_view("\0", 1));
  std::string tail(8, '\0');
  for (int i = 0; i < 8; ++i)
    tail[i] = static_cast<char>(bits >> (56 - 8 * i));
  update(tail);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      text += digits[(word >> shift) & 15];
  return text;
}

std::string sha256(std::string_view data) {
  Sha256 hash;
  hash.update(data);
  return hash.finish();
}

} // namespace kiln::tool

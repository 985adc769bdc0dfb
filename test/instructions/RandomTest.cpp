//===- RandomTest.cpp - Calls of instructions with random numbers ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

namespace kiln::test::random_test {

namespace {

constexpr std::size_t rows = 128;

/// The generator of one lane (Marsaglia 2003): words x, y, z, w, v, d.
struct Xorwow {
  std::uint32_t words[6];
  std::uint32_t next() {
    const std::uint32_t t = words[0] ^ (words[0] >> 2);
    for (int i = 0; i < 4; ++i)
      words[i] = words[i + 1];
    words[4] = (words[4] ^ (words[4] << 4)) ^ (t ^ (t << 1));
    words[5] += 362437;
    return words[4] + words[5];
  }
};

/// The generators of a lane, taken in turn.
struct Lane {
  std::vector<Xorwow> generators;
  std::size_t turn = 0;
  std::uint32_t next() { return generators[turn++ % generators.size()].next(); }
};

/// States that fill `words` numbers a lane.
Values states(std::size_t words) {
  Values values(rows * words);
  Random random(9);
  for (double &value : values)
    value = std::floor(random.uniform() * 4294967296.0);
  return values;
}
std::vector<Lane> lanesOf(const Values &state, std::size_t words) {
  std::vector<Lane> lanes(rows);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t g = 0; g < words / 6; ++g) {
      Xorwow one{};
      for (std::size_t i = 0; i < 6; ++i)
        one.words[i] = static_cast<std::uint32_t>(state[p * words + g * 6 + i]);
      lanes[p].generators.push_back(one);
    }
  return lanes;
}
/// (next number >> 8) * 2^-24
double uniform(Lane &lane) { return (lane.next() >> 8) * 0x1p-24; }

} // namespace

KILN_INSTRUCTION(rng) {
  const Values state = states(6);
  std::vector<Lane> lanes = lanesOf(state, 6);
  Values want(rows * 20), bytes(rows * 5);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = lanes[i / 20].next();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = lanes[i / 5].next() & 255;
  const auto out = run<In<u32, 2>, Out<u32, 2>, Out<u8, 2>>(
      "trn2", {{rows, 6}, {rows, 20}, {rows, 5}}, {state},
      [](auto x, auto y, auto z) {
        nc::rand_set_state(load(x));
        auto t = sbuf<u32>(128_c, 20_c);
        auto b = sbuf<u8>(128_c, 5_c);
        nc::rng(t, {.engine = nc::Engine::gpsimd});
        nc::rng(b, {.engine = nc::Engine::gpsimd});
        store(y, t);
        store(z, b);
      });
  checkSame(out[0], want);
  checkSame(out[1], bytes);
}

KILN_INSTRUCTION(rand_set_state) {
  // On trn3 the vector engine has four generators a lane.
  const Values state = states(24);
  std::vector<Lane> lanes = lanesOf(state, 24);
  Values want(rows * 10);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = lanes[i / 10].next();
  checkSame(run<In<u32, 2>, Out<u32, 2>>(
                "trn3", {{rows, 24}, {rows, 10}}, {state},
                [](auto x, auto y) {
                  nc::rand_set_state(load(x), {.engine = nc::Engine::vector});
                  auto t = sbuf<u32>(128_c, 10_c);
                  nc::rng(t);
                  store(y, t);
                })[0],
            want);
}

KILN_INSTRUCTION(rand_get_state) {
  const Values state = states(6);
  std::vector<Lane> lanes = lanesOf(state, 6);
  Values want(rows * 6);
  for (std::size_t p = 0; p < rows; ++p) {
    for (int i = 0; i < 3; ++i)
      lanes[p].next();
    for (std::size_t i = 0; i < 6; ++i)
      want[p * 6 + i] = lanes[p].generators[0].words[i];
  }
  checkSame(
      run<In<u32, 2>, Out<u32, 2>>("trn2", {{rows, 6}, {rows, 6}}, {state},
                                   [](auto x, auto y) {
                                     nc::rand_set_state(load(x));
                                     auto t = sbuf<u32>(128_c, 3_c);
                                     auto s = sbuf<u32>(128_c, 6_c);
                                     nc::rng(t, {.engine = nc::Engine::gpsimd});
                                     nc::rand_get_state(s);
                                     store(y, s);
                                   })[0],
      want);
}

KILN_INSTRUCTION(set_rng_seed) {
  const auto numbers = [](double first, double second) {
    return run<In<u32, 2>, Out<u32, 2>, Out<u32, 2>>(
        "trn1", {{1, 2}, {rows, 8}, {rows, 8}}, {{first, second}},
        [](auto x, auto y, auto z) {
          auto seeds = load(x);
          auto t = sbuf<u32>(128_c, 8_c);
          auto u = sbuf<u32>(128_c, 8_c);
          nc::set_rng_seed(seeds.cols(0, 1_c));
          nc::rng(t);
          nc::set_rng_seed(seeds.cols(1, 1_c));
          nc::rng(u);
          store(y, t);
          store(z, u);
        });
  };
  const auto same = numbers(7, 7), other = numbers(7, 8);
  checkSame(same[0], same[1]);
  checkSame(same[0], other[0]);
  CHECK(other[0] != other[1]);
  // Every lane has numbers of its own.
  std::set<double> all(same[0].begin(), same[0].end());
  CHECK(all.size() > rows * 8 - 4);
}

KILN_INSTRUCTION(rand2) {
  const Values state = states(24);
  std::vector<Lane> lanes = lanesOf(state, 24);
  Values want(rows * 10);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = f(std::fma(uniform(lanes[i / 10]), 4.0, -1.0));
  checkSame(run<In<u32, 2>, Out<f32, 2>>(
                "trn3", {{rows, 24}, {rows, 10}}, {state},
                [](auto x, auto y) {
                  nc::rand_set_state(load(x), {.engine = nc::Engine::vector});
                  auto t = sbuf<f32>(128_c, 10_c);
                  nc::rand2(t, -1.0, 3.0);
                  store(y, t);
                })[0],
            want);
}

KILN_INSTRUCTION(dropout) {
  const Values state = states(24);
  std::vector<Lane> lanes = lanesOf(state, 24);
  const Values a = someValues(rows * 40, isa::DType::bf16);
  Values want = a;
  for (std::size_t i = 0; i < want.size(); ++i)
    if (uniform(lanes[i / 40]) < 0.25)
      want[i] = 0;
  checkSame(run<In<u32, 2>, In<bf16, 2>, Out<bf16, 2>>(
                "trn3", {{rows, 24}, {rows, 40}, {rows, 40}}, {state, a},
                [](auto s, auto x, auto y) {
                  nc::rand_set_state(load(s), {.engine = nc::Engine::vector});
                  auto t = sbuf<bf16>(128_c, 40_c);
                  nc::dropout(t, load(x), 0.25);
                  store(y, t);
                })[0],
            want);
}

} // namespace kiln::test::random_test

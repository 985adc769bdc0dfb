//===- Bench.h - Small modules for executor tests ---------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds modules by hand, and runs single instructions between loads and
// stores. The values that tests compare against are computed here in plain
// loops, without the executor's code.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_BENCH_H
#define KILN_TEST_RUNTIME_SIM_BENCH_H

#include "kiln/sim/executor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace bench {

using namespace kiln;
using isa::Access;
using isa::DType;
using isa::Engine;
using isa::Space;

inline Access place(Space space, DType dtype, unsigned p0, unsigned partitions,
                    std::int64_t offset, std::vector<isa::Dim> dims) {
  Access access;
  access.space = space;
  access.dtype = dtype;
  access.partition = static_cast<std::uint8_t>(p0);
  access.partitions = static_cast<std::uint8_t>(partitions);
  access.offset = offset;
  access.rank = static_cast<std::uint8_t>(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    access.dims[i] = dims[i];
  return access;
}
inline Access sbuf(DType dtype, unsigned partitions, unsigned n,
                   std::int64_t offset) {
  return place(Space::sbuf, dtype, 0, partitions, offset, {{1, n}});
}
inline Access psum(DType dtype, unsigned partitions, unsigned n,
                   std::int64_t offset = 0) {
  return place(Space::psum, dtype, 0, partitions, offset, {{1, n}});
}
inline Access hbm(unsigned tensor, DType dtype, std::vector<isa::Dim> dims,
                  std::int64_t offset = 0) {
  Access access = place(Space::hbm, dtype, 0, 0, offset, std::move(dims));
  access.tensor = static_cast<std::uint16_t>(tensor);
  return access;
}

/// A module whose instructions run one after the other, whatever their stream.
class Program {
public:
  isa::Module module;

  unsigned tensor(std::string name, DType dtype, isa::TensorKind kind,
                  std::vector<std::int64_t> shape) {
    module.tensors.push_back(
        {std::move(name), dtype, kind, std::move(shape), {}});
    return static_cast<unsigned>(module.tensors.size() - 1);
  }

  /// Appends without any order.
  isa::Instruction &add(Engine engine, isa::Body body) {
    auto &stream = module.streams[static_cast<std::size_t>(engine)];
    isa::Instruction instruction;
    instruction.body = std::move(body);
    module.locations.push_back(
        {"kernel.cpp", static_cast<std::uint32_t>(module.locations.size()), 1,
         "", ""});
    instruction.location =
        static_cast<std::uint32_t>(module.locations.size() - 1);
    instruction.position = count++;
    stream.push_back(std::move(instruction));
    return stream.back();
  }

  /// Appends after everything that `then` appended before.
  void then(Engine engine, isa::Body body) {
    const auto semaphore = static_cast<std::uint16_t>(chain % 256);
    if (chain > 0)
      signalling().push_back({semaphore, 1});
    isa::Instruction &instruction = add(engine, std::move(body));
    if (chain > 0)
      instruction.waits.push_back({semaphore, 1});
    ++chain;
    last = {engine,
            module.streams[static_cast<std::size_t>(engine)].size() - 1};
  }

  /// A dense load or store of a whole two-dimensional tensor.
  void load(const Access &to, unsigned tensor) {
    then(Engine::sync, isa::DmaCopy{to, whole(tensor), 0, {}});
  }
  void store(unsigned tensor, const Access &from) {
    then(Engine::sync, isa::DmaCopy{whole(tensor), from, 0, {}});
  }
  Access whole(unsigned index) const {
    const isa::Tensor &tensor = module.tensors[index];
    return hbm(index, tensor.dtype,
               {{1, static_cast<std::uint32_t>(tensor.elements())}});
  }

private:
  std::vector<isa::Signal> &signalling() {
    return module.streams[static_cast<std::size_t>(last.engine)][last.index]
        .signals;
  }
  struct {
    Engine engine = Engine::sync;
    std::size_t index = 0;
  } last;
  unsigned chain = 0;
  std::uint32_t count = 0;
};

template <class T>
sim::TensorData data(std::string name, const std::vector<T> &values) {
  sim::TensorData result{std::move(name), {}};
  result.bytes.resize(values.size() * sizeof(T));
  std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}

template <class T> std::vector<T> values(const sim::TensorData &tensor) {
  std::vector<T> result(tensor.bytes.size() / sizeof(T));
  std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

inline sim::Result run(const Program &program,
                       const std::vector<sim::TensorData> &inputs,
                       std::uint64_t seed = 0) {
  sim::Options options;
  options.interleaveSeed = seed;
  return sim::run(program.module, isa::target(program.module.generation),
                  inputs, options);
}

/// Floats with all sorts of magnitudes, signs, zeros and a few infinities.
inline std::vector<float> someFloats(std::size_t n, unsigned seed,
                                     bool special = true) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 3.0f);
  std::vector<float> result(n);
  for (float &x : result) {
    x = normal(random);
    if (!special)
      continue;
    switch (random() % 40) {
    case 0:
      x = -0.0f;
      break;
    case 1:
      x = 0.0f;
      break;
    case 2:
      x = std::bit_cast<float>(
          0x7f800000u | (static_cast<std::uint32_t>(random()) & 0x80000000u));
      break;
    case 3:
      x = std::bit_cast<float>(0x7fc00123u);
      break;
    case 4:
      x = std::bit_cast<float>(static_cast<std::uint32_t>(random()) &
                               0x807fffffu);
      break;
    case 5:
      x *= 1e30f;
      break;
    default:
      break;
    }
  }
  return result;
}

/// Same bits, except that any NaN matches any.
inline bool sameFloat(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
inline std::size_t firstDifference(const std::vector<float> &a,
                                   const std::vector<float> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i >= b.size() || !sameFloat(a[i], b[i]))
      return i;
  return a.size() == b.size() ? ~std::size_t{0} : a.size();
}
inline constexpr std::size_t none = ~std::size_t{0};

/// bf16 the slow way: by comparing with the two neighbours.
inline std::uint16_t slowBf16(float x) {
  const auto u = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x))
    return static_cast<std::uint16_t>((u >> 16 & 0x8000u) | 0x7fc0u);
  const auto down = static_cast<std::uint16_t>(u >> 16);
  const std::uint32_t rest = u & 0xffffu;
  if (rest > 0x8000u || (rest == 0x8000u && (down & 1)))
    return static_cast<std::uint16_t>(down + 1);
  return down;
}
inline float widenBf16(std::uint16_t h) {
  return std::bit_cast<float>(std::uint32_t{h} << 16);
}

} // namespace bench

#endif // KILN_TEST_RUNTIME_SIM_BENCH_H

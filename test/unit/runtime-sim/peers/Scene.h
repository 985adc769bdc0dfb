//===- Scene.h - Collectives on memories full of bits ----------- -*- C++
//-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every rank has a memory of bytes of any value, where operands of any type lie
// in patterns of chance. A test says with plain loops what a collective leaves
// there; all bytes are compared.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_SCENE_H
#define KILN_TEST_RUNTIME_SIM_SCENE_H

#include "../function/Lab.h"
#include "Ranks.h"

#include "kiln/isa/checks.h"

namespace ranks {

using Bytes = std::vector<std::uint8_t>;
/// The elements of an operand in their order, as patterns of bits.
using Row = std::vector<std::uint32_t>;

class Scene {
public:
  std::mt19937 random;
  bool onChip;
  isa::Generation generation = isa::Generation::v4;
  std::vector<Bytes> memories; ///< By rank.

  Scene(unsigned seed, unsigned ranks, bool onChip)
      : random(seed), onChip(onChip), memories(ranks) {
    std::mt19937_64 words(seed);
    for (Bytes &memory : memories) {
      memory.resize(std::size_t{128} * laneBytes);
      for (std::size_t i = 0; i < memory.size(); i += 8) {
        const std::uint64_t word = words();
        std::memcpy(memory.data() + i, &word, 8);
      }
    }
  }

  unsigned upTo(std::uint64_t most) {
    return 1 +
           static_cast<unsigned>(random() % std::max<std::uint64_t>(most, 1));
  }
  unsigned numRanks() const { return static_cast<unsigned>(memories.size()); }

  /// A place for lanes x columns elements from byte `begin` on, of a lane if
  /// it is on chip; there is room for twice as much and more.
  Access place(DType dtype, unsigned lanes, unsigned columns,
               std::int64_t begin) {
    std::vector<isa::Dim> dims;
    const unsigned n = onChip ? columns : lanes * columns;
    unsigned rest = n;
    // Outer dimensions of chance; on chip there is one.
    for (const unsigned factor : {2u, 3u, 5u})
      if (!onChip && rest % factor == 0 && random() % 2) {
        dims.push_back({0, factor});
        rest /= factor;
      }
    dims.push_back({0, rest});
    std::shuffle(dims.begin(), dims.end(), random);
    // The strides of some order of the dimensions, with a gap at most.
    std::vector<std::size_t> order(dims.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t stride = random() % 3 ? 1 : 2, first = 0;
    for (const std::size_t d : order) {
      const auto size = static_cast<std::int64_t>(dims[d].size);
      const bool backwards = random() % 4 == 0;
      dims[d].stride = static_cast<std::int32_t>(backwards ? -stride : stride);
      first += backwards ? stride * (size - 1) : 0;
      stride *= size;
    }
    Access access = onChip ? bench::place(Space::sbuf, dtype, 0, lanes, 0, dims)
                           : hbm(0, dtype, dims);
    access.offset =
        begin + first * static_cast<std::int64_t>(isa::sizeInBytes(dtype));
    if (onChip && lanes <= 32)
      access.partition = static_cast<std::uint8_t>(random() % 4 * 32);
    return access;
  }
  /// The same without gaps, in order.
  Access dense(DType dtype, unsigned n, std::int64_t begin) const {
    return hbm(0, dtype, {{1, n}}, begin);
  }

  Row read(unsigned rank, const Access &access) const {
    Row row;
    forEach(access, [&](std::size_t byte) {
      std::uint32_t value = 0;
      std::memcpy(&value, memories[rank].data() + byte,
                  isa::sizeInBytes(access.dtype));
      row.push_back(value);
    });
    return row;
  }
  static void write(Bytes &memory, const Access &access, const Row &row) {
    std::size_t i = 0;
    forEach(access, [&](std::size_t byte) {
      std::memcpy(memory.data() + byte, &row[i++],
                  isa::sizeInBytes(access.dtype));
    });
  }

  bool allows(const isa::Body &body) const {
    isa::Instruction instruction;
    instruction.body = body;
    return !isa::check(instruction, Engine::gpsimd, programs({})[0],
                       isa::target(generation));
  }

  /// The memories after it, in some order of the events.
  std::vector<Bytes> run(const isa::Body &body) {
    return run(std::vector<isa::Body>{body});
  }
  /// After some that follow each other.
  std::vector<Bytes> run(const std::vector<isa::Body> &bodies) {
    const std::vector<isa::Module> modules = programs(bodies);
    std::vector<sim::TensorData> given;
    for (const Bytes &memory : memories)
      given.push_back({"m", memory});
    sim::Launch launch{modules, numRanks(), {}, {}};
    for (const sim::TensorData &one : given)
      launch.inputsOfRank.push_back({&one, 1});
    sim::Options options;
    options.interleaveSeed = random() % 5;
    sim::LaunchExecution result = pass(launch, options);
    std::vector<Bytes> after;
    for (auto &rank : result.outputs)
      after.push_back(std::move(rank.at(0).bytes));
    return after;
  }

  static constexpr std::int64_t laneBytes = 2048;

private:
  /// Collectives with counts want two cores, the second one has nothing to do.
  std::vector<isa::Module>
  programs(const std::vector<isa::Body> &bodies) const {
    Program program;
    program.module.generation = generation;
    program.tensor("m", DType::u8, isa::TensorKind::inout, {128, laneBytes});
    const Access all = bench::sbuf(DType::u8, 128, laneBytes, 0);
    if (!bodies.empty() && onChip)
      program.load(all, 0);
    for (const isa::Body &body : bodies)
      program.then(Engine::gpsimd, body);
    if (!bodies.empty() && onChip)
      program.store(0, all);
    return pairOf(program, {});
  }

  template <class Visit>
  static void forEach(const Access &access, Visit &&visit) {
    const bool inHbm = access.space == Space::hbm;
    for (unsigned p = 0; p < (inHbm ? 1u : access.partitions); ++p)
      for (std::uint64_t i = 0; i < access.elements(); ++i) {
        std::int64_t byte = access.offset;
        std::uint64_t rest = i;
        for (unsigned d = access.rank; d-- > 0;) {
          byte += static_cast<std::int64_t>(rest % access.dims[d].size) *
                  access.dims[d].stride * isa::sizeInBytes(access.dtype);
          rest /= access.dims[d].size;
        }
        visit(static_cast<std::size_t>(
            byte + (inHbm ? 0 : (access.partition + p) * laneBytes)));
      }
  }
};

/// Names the first byte that differs.
inline void checkMemories(const std::vector<Bytes> &got,
                          const std::vector<Bytes> &want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t rank = 0; rank < got.size(); ++rank) {
    if (got[rank] == want[rank])
      continue;
    const auto [a, b] =
        std::mismatch(got[rank].begin(), got[rank].end(), want[rank].begin());
    const auto byte = a - got[rank].begin();
    CAPTURE(rank, byte / Scene::laneBytes, byte % Scene::laneBytes, int(*a),
            int(*b));
    FAIL("memories differ");
  }
}

} // namespace ranks

#endif // KILN_TEST_RUNTIME_SIM_SCENE_H

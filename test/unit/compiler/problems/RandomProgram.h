//===- RandomProgram.h - Random programs for the synchronisation tests ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop nests over a handful of small buffers that share addresses on purpose:
// rings, strided tiles, walks over HBM, DMA on several queues, loops that may
// not run.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_PROBLEMS_RANDOMPROGRAM_H
#define KILN_TEST_PROBLEMS_RANDOMPROGRAM_H

#include "kiln/compiler/problem/SyncProblem.h"
#include "kiln/isa/split_mix.h"

#include <cstdint>

namespace kiln::problems::test {

/// splitmix64: the same numbers on every host.
class Random {
public:
  explicit Random(std::uint64_t seed) : state(seed) {}
  std::uint64_t next() { return isa::splitMix(state); }
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(next() % n);
  }
  bool oneIn(std::uint32_t n) { return below(n) == 0; }

private:
  std::uint64_t state;
};

struct ProgramShape {
  unsigned instructions = 12;
  unsigned depth = 3;
  unsigned engines = 5;
  unsigned queues = 4;
  bool openLoops = true; ///< Trip counts unknown, zero allowed.
  bool rings = true;
};

class ProgramGenerator {
public:
  ProgramGenerator(std::uint64_t seed, ProgramShape shape)
      : random(seed), shape(shape) {}

  SyncProblem run() {
    left = shape.instructions;
    block(0);
    return std::move(problem);
  }

private:
  void block(unsigned depth) {
    unsigned nodes = 1 + random.below(4);
    if (depth == 0)
      nodes = shape.instructions;
    for (unsigned i = 0; i < nodes && left > 0; ++i) {
      if (depth < shape.depth && random.oneIn(3)) {
        std::optional<std::uint64_t> trips;
        std::uint64_t least = 0;
        if (shape.openLoops && random.oneIn(2))
          least = random.below(2);
        else
          trips =
              random.below(shape.openLoops ? 7 : 6) + (shape.openLoops ? 0 : 1);
        around.push_back(problem.openLoop(trips, least));
        block(depth + 1);
        around.pop_back();
        problem.closeLoop();
      } else {
        instruction();
      }
    }
    if (depth > 0 && problem.items.back().kind == SyncItem::Kind::loopBegin)
      instruction();
  }

  void instruction() {
    if (left > 0)
      --left;
    SyncInstruction op;
    if (shape.queues && random.oneIn(3)) {
      op.queue = static_cast<std::int32_t>(random.below(shape.queues));
      // A queue has one feeder.
      op.engine = op.queue == 3 ? isa::Engine::scalar : isa::Engine::sync;
    } else {
      op.engine = static_cast<isa::Engine>(random.below(shape.engines));
    }
    // What one instruction can hold: a DMA copies, others write up to two.
    unsigned accesses = 1 + random.below(op.queue >= 0 ? 2 : 3);
    for (unsigned i = 0; i < accesses; ++i) {
      bool second = i == 1 && op.queue < 0 && random.oneIn(4);
      op.accesses.push_back({i == 0 || second, footprint()});
    }
    problem.add(std::move(op));
  }

  Footprint footprint() {
    Footprint bytes;
    if (random.oneIn(5)) {
      bytes.space = isa::Space::hbm;
      bytes.tensor = random.below(2);
      bytes.run = 16;
      bytes.offset = 16 * random.below(4);
      if (random.oneIn(2))
        bytes.dims.push_back({64, 1 + random.below(3)});
      for (LoopId loop : around)
        if (random.oneIn(2))
          bytes.terms.push_back({loop, 16 * (1 + random.below(5))});
      return bytes;
    }
    // Four buffers of 64 bytes; the last is cut into halves by partitions.
    bytes.space = random.oneIn(4) ? isa::Space::psum : isa::Space::sbuf;
    unsigned buffer = random.below(4);
    bytes.partitions = 128;
    if (buffer == 3) {
      bytes.partitions = 64;
      bytes.partition = 64 * random.below(2);
    }
    bytes.offset = 64 * buffer;
    switch (random.below(shape.rings && !around.empty() ? 5 : 3)) {
    case 0: // All of it.
      bytes.run = 64;
      break;
    case 1: // A piece.
      bytes.run = 16;
      bytes.offset += 16 * random.below(4);
      break;
    case 2: // Every other 8 bytes.
      bytes.run = 8;
      bytes.offset += 8 * random.below(2);
      bytes.dims.push_back({16, 4});
      break;
    default: { // A slot of a ring.
      RingTerm ring;
      std::size_t at = random.below(static_cast<std::uint32_t>(around.size()));
      ring.loop = around[at];
      // Mostly the innermost, as compilers place them.
      if (random.oneIn(2))
        ring.loop = around[at = around.size() - 1];
      ring.slots = buffer == 0 ? 2 : buffer == 1 ? 4 : 3;
      ring.slotBytes = buffer == 0 ? 32 : buffer == 1 ? 16 : 20;
      if (at > 0 && random.oneIn(3))
        ring.scope = around[random.below(static_cast<std::uint32_t>(at))];
      bytes.ring = ring;
      bytes.run =
          random.oneIn(2) ? static_cast<std::uint64_t>(ring.slotBytes) : 8;
      break;
    }
    }
    if (!around.empty() && random.oneIn(6))
      bytes.terms.push_back(
          {around[random.below(static_cast<std::uint32_t>(around.size()))],
           8 * (1 + random.below(2))});
    return bytes;
  }

  Random random;
  ProgramShape shape;
  SyncProblem problem;
  std::vector<LoopId> around;
  unsigned left = 0;
};

inline SyncProblem randomProgram(std::uint64_t seed, ProgramShape shape = {}) {
  return ProgramGenerator(seed, shape).run();
}

} // namespace kiln::problems::test

#endif // KILN_TEST_PROBLEMS_RANDOMPROGRAM_H

//===- SyncShapes.cpp - The bytes of each access in a normal form ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncShapes.h"

#include "checker/Decisions.h"

#include <algorithm>
#include <array>

namespace kiln::problems::verification {

namespace {

/// Remembers what it has made a shape of: the same come again and again.
class KnownShapes {
public:
  explicit KnownShapes(checker::Shapes &shapes) : shapes(shapes) {}

  struct Result {
    std::int64_t base; ///< From the address to the first byte.
    std::uint32_t shape;
  };
  Result of(const Footprint &bytes) {
    std::uint64_t key = bytes.run;
    for (const ByteDim &dim : bytes.dims)
      key = checker::mix(
          key, checker::mix(static_cast<std::uint64_t>(dim.stride), dim.count));
    Known &known = table[checker::mix(key, 0) % table.size()];
    if (known.run != bytes.run || !std::ranges::equal(known.dims, bytes.dims)) {
      std::vector<checker::Shape::Stride> strides;
      for (const ByteDim &dim : bytes.dims)
        strides.push_back({dim.stride, static_cast<std::int64_t>(dim.count)});
      checker::Normal normal = checker::normalise(
          static_cast<std::int64_t>(bytes.run), std::move(strides));
      known = {bytes.run,
               {bytes.dims.begin(), bytes.dims.end()},
               {normal.base, shapes.numberOf(std::move(normal.shape))}};
    }
    return known.result;
  }

private:
  struct Known {
    std::uint64_t run = 0; ///< None has so few.
    std::vector<ByteDim> dims;
    Result result{};
  };
  checker::Shapes &shapes;
  std::array<Known, 64> table;
};

} // namespace

Shapes::Shapes(const SyncProblem &problem) {
  instructions.reserve(problem.instructions.size() + 1);
  std::map<std::pair<isa::Space, std::uint32_t>, std::uint32_t> memories;
  KnownShapes known(shapes);
  for (const SyncInstruction &instruction : problem.instructions) {
    Instruction &entry = instructions.emplace_back();
    entry.first = static_cast<std::uint32_t>(accesses.size());
    for (const SyncAccess &access : instruction.accesses) {
      const Footprint &bytes = access.bytes;
      const auto memory =
          memories
              .try_emplace({bytes.space,
                            bytes.space == isa::Space::hbm ? bytes.tensor : 0},
                           static_cast<std::uint32_t>(memories.size()))
              .first->second;
      if (memory == spaces.size())
        spaces.push_back(bytes.space);
      if (bytes.ring) {
        std::uint32_t &most = slots[{bytes.ring->loop, bytes.ring->scope}];
        most = std::max(most, bytes.ring->slots);
      }
      entry.moves |= !bytes.terms.empty() || bytes.ring.has_value();
      const auto [base, shape] = known.of(bytes);
      Access out;
      out.low = bytes.offset + base;
      out.shape = shape;
      out.memory = memory;
      out.write = access.write;
      if (bytes.space != isa::Space::hbm) {
        out.partition = static_cast<std::uint16_t>(bytes.partition);
        out.partitionEnd =
            static_cast<std::uint16_t>(bytes.partition + bytes.partitions);
      }
      accesses.push_back(out);
    }
  }
  instructions.push_back({static_cast<std::uint32_t>(accesses.size()), false});
}

} // namespace kiln::problems::verification

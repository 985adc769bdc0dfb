//===- SyncShapes.cpp - The bytes of each access in a normal form ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncShapes.h"

#include <algorithm>

namespace kiln::problems::verification {

Shapes::Shapes(const SyncProblem &problem) {
  instructions.reserve(problem.instructions.size() + 1);
  std::map<std::pair<isa::Space, std::uint32_t>, std::uint32_t> memories;
  checker::NormalForms forms(shapes);
  std::vector<checker::Shape::Stride> strides;
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
      strides.clear();
      for (const ByteDim &dim : bytes.dims)
        strides.push_back({dim.stride, static_cast<std::int64_t>(dim.count)});
      const auto [base, shape] =
          forms.of(static_cast<std::int64_t>(bytes.run), strides);
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

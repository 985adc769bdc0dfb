//===- SyncShapes.cpp - The bytes of each access in a normal form ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncShapes.h"

#include <map>

namespace kiln::problems::verification {

Shapes::Shapes(const SyncProblem &problem) {
  std::map<std::pair<isa::Space, std::uint32_t>, std::uint32_t> memories;
  for (const SyncInstruction &instruction : problem.instructions) {
    first.push_back(accesses.size());
    for (const SyncAccess &access : instruction.accesses) {
      const Footprint &bytes = access.bytes;
      std::vector<checker::Shape::Stride> strides;
      for (const ByteDim &dim : bytes.dims)
        strides.push_back({dim.stride, static_cast<std::int64_t>(dim.count)});
      checker::Normal normal = checker::normalise(
          static_cast<std::int64_t>(bytes.run), std::move(strides));
      const auto memory =
          memories
              .try_emplace({bytes.space,
                            bytes.space == isa::Space::hbm ? bytes.tensor : 0},
                           static_cast<std::uint32_t>(memories.size()))
              .first->second;
      if (memory == spaces.size())
        spaces.push_back(bytes.space);
      accesses.push_back(
          {normal.base, shapes.numberOf(std::move(normal.shape)), memory});
    }
  }
}

} // namespace kiln::problems::verification

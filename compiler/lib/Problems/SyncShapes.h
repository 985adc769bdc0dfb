//===- SyncShapes.h - The bytes of each access in a normal form -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the verifier, once for all its plays.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROBLEMS_SYNCSHAPES_H
#define KILN_COMPILER_LIB_PROBLEMS_SYNCSHAPES_H

#include "checker/Shape.h"

#include "kiln/compiler/Problems/SyncProblem.h"

#include <vector>

namespace kiln::problems::verification {

class Shapes {
public:
  explicit Shapes(const SyncProblem &problem);

  struct Access {
    std::int64_t base = 0; ///< From the address to the first byte.
    std::uint32_t shape = 0;
    std::uint32_t memory = 0; ///< A number of (space, tensor).
  };
  const Access &access(std::uint32_t instruction, std::size_t number) const {
    return accesses[first[instruction] + number];
  }
  const checker::Shapes &table() const { return shapes; }
  isa::Space spaceOf(std::uint32_t memory) const { return spaces[memory]; }

private:
  checker::Shapes shapes;
  std::vector<Access> accesses;
  std::vector<std::size_t> first; ///< By instruction.
  std::vector<isa::Space> spaces; ///< By memory.
};

} // namespace kiln::problems::verification

#endif // KILN_COMPILER_LIB_PROBLEMS_SYNCSHAPES_H

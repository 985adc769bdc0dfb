//===- SyncShapes.h - The bytes of each access in a normal form -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the verifier, once for all its plays, which do not go back to the problem
// for what is here: it is several times as large.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_SYNC_SYNCSHAPES_H
#define KILN_COMPILER_LIB_PROVE_SYNC_SYNCSHAPES_H

#include "support/Pieces.h"

#include "prove/streams/Shape.h"

#include "kiln/compiler/problem/SyncProblem.h"

#include <map>
#include <vector>

namespace kiln::problems::verification {

class Shapes {
public:
  explicit Shapes(const SyncProblem &problem);

  struct Access {
    std::int64_t low = 0; ///< First byte, without loops and rings.
    std::uint32_t shape = 0;
    std::uint32_t memory = 0; ///< A number of (space, tensor).
    std::uint16_t partition = 0, partitionEnd = 1;
    bool write = false;
  };
  std::size_t numAccesses(std::uint32_t instruction) const {
    return instructions[instruction + 1].first -
           instructions[instruction].first;
  }
  const Access &access(std::uint32_t instruction, std::size_t number) const {
    return accesses[instructions[instruction].first + number];
  }
  /// Loops or rings decide where it reads and writes.
  bool moves(std::uint32_t instruction) const {
    return instructions[instruction].moves;
  }
  /// The slots of each ring, of most if they differ, by loop and scope.
  using Rings = std::map<std::pair<LoopId, LoopId>, std::uint32_t>;
  const Rings &rings() const { return slots; }
  const checker::Shapes &table() const { return shapes; }
  isa::Space spaceOf(std::uint32_t memory) const { return spaces[memory]; }

private:
  struct Instruction {
    std::uint32_t first = 0; ///< Of its accesses.
    bool moves = false;
  };

  checker::Shapes shapes;
  Pieces<Access> accesses;
  std::vector<Instruction> instructions; ///< And one more.
  Rings slots;
  std::vector<isa::Space> spaces; ///< By memory.
};

} // namespace kiln::problems::verification

#endif // KILN_COMPILER_LIB_PROVE_SYNC_SYNCSHAPES_H

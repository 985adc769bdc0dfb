//===- SyncShapes.h - The bytes of each access, listed --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the verifier, once for all its plays. Accesses of one shape share their
// list, so unrolled code needs few.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROBLEMS_SYNCSHAPES_H
#define KILN_COMPILER_LIB_PROBLEMS_SYNCSHAPES_H

#include "kiln/compiler/Problems/SyncProblem.h"

#include <utility>
#include <vector>

namespace kiln::problems::verification {

/// Runs of bytes from address 0, [begin, end), sorted and joined.
using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

class Shapes {
public:
  explicit Shapes(const SyncProblem &problem);

  struct Access {
    std::uint32_t runs = 0;
    std::uint32_t memory = 0; ///< A number of (space, tensor).
  };
  const Access &access(std::uint32_t instruction, std::size_t number) const {
    return accesses[first[instruction] + number];
  }
  const Runs &runs(std::uint32_t number) const { return lists[number]; }
  /// Bytes of a page in the index of a memory: what an access spans on average.
  std::int64_t page(std::uint32_t memory) const { return pages[memory]; }

private:
  std::vector<std::size_t> first; ///< Access of each instruction.
  std::vector<Access> accesses;
  std::vector<Runs> lists;
  std::vector<std::int64_t> pages;
};

} // namespace kiln::problems::verification

#endif // KILN_COMPILER_LIB_PROBLEMS_SYNCSHAPES_H

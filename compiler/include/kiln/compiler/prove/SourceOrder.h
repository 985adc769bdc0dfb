//===- SourceOrder.h - When the source does what streams do ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROVE_SOURCEORDER_H
#define KILN_COMPILER_PROVE_SOURCEORDER_H

#include <cstdint>
#include <map>
#include <vector>

namespace kiln::problems {

/// Operations and loops of the source are numbered in text order. An operation
/// precedes another if its number is smaller, or if both are in a common loop
/// and it is in an earlier iteration.
struct SourceOrder {
  static constexpr std::int32_t none = -1;

  /// Assigns an instruction to another iteration of a source loop than that of
  /// the loop around it with that number.
  struct Turn {
    std::int32_t loop = 0;
    bool absolute = false;  ///< Otherwise added to the counter around it.
    std::int64_t value = 0; ///< The counter's, or to add to it.
  };
  struct Loop {
    std::int64_t begin = 0; ///< First value of its counter.
    bool isOpen = false; ///< One iteration at most: may have become its body.
  };

  /// For each isa::Instruction::position, its operation or loop.
  /// Several instructions may belong to one operation.
  std::vector<std::int32_t> numbers;
  /// For each position: the streams hold the instruction exactly once.
  std::vector<bool> isWork;
  std::map<std::uint32_t, std::vector<Turn>> turns; ///< Per position.
  std::vector<std::int32_t> parents;  ///< Per number: the loop around it.
  std::map<std::int32_t, Loop> loops; ///< Per number.
};

} // namespace kiln::problems

#endif // KILN_COMPILER_PROVE_SOURCEORDER_H

//===- Plan.h - Which iterations are played ---------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A play runs a few neighbouring iterations of every loop: enough for rings to
// wrap and tokens to come back. Where loops nest so deeply that their product
// is too much, there are several plays instead. Each opens a window of
// neighbouring levels and runs every loop outside of it once an entry: the
// first iteration, or in another play the last one before and the first one
// behind a turn of the loop around, for that is how iterations of outer loops
// meet. Tokens of a loop flow within its own body, so what orders two of its
// iterations shows in a play that opens it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_PLAN_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_PLAN_H

#include "Code.h"

namespace kiln::problems::checker {

struct Plan {
  std::vector<std::uint64_t> turns; ///< By loop.
  std::vector<bool> open;           ///< By loop: is it in the window?
  /// Of a loop that is cut, the last iterations; of a loop outside of the
  /// window the last and the first in turn.
  bool last = false;
  /// The same with `last` set says nothing new unless bounds are in registers.
  bool needsLast = false;
};

std::vector<Plan> makePlans(const Code &code, const CheckOptions &options);

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_PLAN_H

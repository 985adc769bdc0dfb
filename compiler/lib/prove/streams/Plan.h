//===- Plan.h - Which iterations are played ---------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A simulation runs a few neighbouring iterations of every loop: enough for
// rings to wrap and tokens to return. If loops nest so deeply that this is too
// much, there are several simulations instead. Each opens a window of
// neighbouring levels and runs one iteration per entry of every loop outside of
// it: the first one or, in another simulation, the last one before and the
// first one after the loop around it advances, because that is how iterations
// of outer loops meet. Tokens of a loop flow within its own body, so what
// orders two of its iterations shows in a simulation that opens it.
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

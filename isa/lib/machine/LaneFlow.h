//===- LaneFlow.h - How many elements pass a lane, and how fast ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_MACHINE_LANEFLOW_H
#define KILN_LIB_MACHINE_LANEFLOW_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

namespace kiln::machine {

struct LaneFlow {
  double cycles = 0;     ///< For which the data path streams.
  double secondTile = 0; ///< Of those, for a tile that shares a port.
  double strided = 0;    ///< Of those, for elements that lie far apart.
  unsigned mode = 1;     ///< Elements a lane moves in a cycle.
  unsigned starts = 1;   ///< Hardware instructions it becomes.
  bool readsOut = false; ///< Reads an accumulator out at the end.
};

/// The flow of `body` on the Vector, Scalar or GpSimd engine: its cost class
/// (kiln/isa/cost.h) at the speed of `target`.
LaneFlow laneFlow(const isa::Body &body, isa::Engine engine,
                  const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_LIB_MACHINE_LANEFLOW_H

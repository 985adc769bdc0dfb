//===- TensorPipe.h - The PE array and its stationary operands ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_TENSORPIPE_H
#define KILN_SIM_LIB_TIMING_TENSORPIPE_H

#include "Accounts.h"
#include "DataPath.h"

#include "kiln/machine/warm_up.h"

#include <array>

namespace kiln::sim::timing {

/// Settles the times of TensorE's instructions as soon as they are handed on:
/// no other engine delays them.
class TensorPipe {
public:
  TensorPipe(const CoreSettings &settings, DataPath &path, Accounts &accounts);

  /// Runs instruction `who`, which its sequencer hands on at `time`.
  void run(const Producer &who, const PlannedOp &op, Picoseconds time);

private:
  /// A part of the PE array that a tile may occupy alone; a stream without
  /// tiles has but one part.
  struct Cell {
    Picoseconds free = 0;
    Picoseconds loadFree = 0;
    Picoseconds shadowFree = 0; ///< For the next stationary operand.
  };

  DataPath &path;
  Accounts &accounts;
  EngineAccount &account;
  bool hasTiles;
  bool runsBehind; ///< A transpose may run in the background.
  machine::WarmUp warmUp;
  std::array<Cell, 16> cells;
  Picoseconds lastStart = 0;  ///< Products start in order.
  Picoseconds hiddenFree = 0; ///< Transposes in the background.
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_TENSORPIPE_H

//===- TensorPipe.cpp - The PE array and its stationary operands ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorPipe.h"

#include <algorithm>
#include <bit>

namespace kiln::sim::timing {

TensorPipe::TensorPipe(const CoreSettings &settings, DataPath &path,
                       Accounts &accounts)
    : path(path), accounts(accounts), account(accounts[isa::Engine::tensor]),
      hasTiles(settings.plan.hasTiles[numberOf(isa::Engine::tensor)]),
      runsBehind(settings.target.pe_background_transpose),
      warmUp(machine::warmUpRule(settings.target)) {}

void TensorPipe::run(const Producer &who, const PlannedOp &op,
                     Picoseconds time) {
  const machine::InstructionCost &cost = op.cost;
  path.enter();
  // A load needs the shadow buffer, a product the cells.
  const std::uint16_t used = hasTiles ? cost.cells : 1;
  Picoseconds load = time;
  Picoseconds free = lastStart;
  for (unsigned set = used; set != 0; set &= set - 1) {
    const Cell &cell = cells[static_cast<unsigned>(std::countr_zero(set))];
    load = std::max({load, cell.loadFree, cell.shadowFree});
    free = std::max(free, cell.free);
  }
  const Picoseconds loaded = load + cost.weights;
  // trn3 runs a transpose behind another instruction when it finds one.
  const bool hides =
      runsBehind && cost.transposes && std::max(loaded, hiddenFree) < free;
  const Picoseconds start = std::max(loaded, hides ? hiddenFree : free);
  account.stall(who.index, StallReason::weights, start);
  const Picoseconds extra = hides ? 0 : warmUp.delay(start, cost.interval);
  const Picoseconds end = start + cost.interval + extra;
  for (unsigned set = used; set != 0; set &= set - 1) {
    Cell &cell = cells[static_cast<unsigned>(std::countr_zero(set))];
    cell.loadFree = loaded;
    cell.shadowFree = start + cost.shadowFree;
    if (!hides)
      cell.free = end;
  }
  (hides ? hiddenFree : lastStart) = hides ? end : start;
  accounts.draw(weightsTrack, who, load, loaded, load + cost.weightsLatency);
  accounts.countProduct(cost);
  path.start(start);
  // What runs behind another instruction is busy time only where it is alone.
  const Picoseconds alone =
      std::max<Picoseconds>(0, end - std::max(start, account.until()));
  const Picoseconds throttled = std::min(extra, alone);
  account.work(alone - throttled);
  account.lose(who.index, StallReason::throttle, end - throttled, throttled);
  path.occupy(who, op.signals, start, end, extra + cost.latency);
}

} // namespace kiln::sim::timing

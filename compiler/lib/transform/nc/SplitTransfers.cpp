//===- SplitTransfers.cpp - Which stream issues a transfer ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitTransfers.h"

#include "kiln/compiler/dialect/nc/Remark.h"

#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

static constexpr Remarks splitTransfersRemarks("nc-choose-engines");

/// Of what binds the loop: less is not worth a change.
static constexpr double leastShare = 0.9;
/// The same that scalar may be busy for: a load that waits for a free buffer
/// blocks what scalar computes.
static constexpr double mostWork = 0.25;

static double busiestBut(isa::Engine one, const EngineLoads &busy) {
  double most = busy.port;
  for (size_t i = 0; i < isa::numEngines; ++i)
    if (const auto engine = static_cast<isa::Engine>(i); engine != one)
      most = std::max(most, busy.of(engine));
  return most;
}

void kiln::compiler::nc::splitLoads(scf::ForOp loop,
                                    ArrayRef<SharedTransfer> loads,
                                    EngineLoads &busy) {
  constexpr isa::Engine from = isa::Engine::sync, to = isa::Engine::scalar;
  const double before = busy.of(from);
  double others = busiestBut(from, busy), sum = 0, moves = 0;
  for (const SharedTransfer &load : loads) {
    moves += load.moves;
    sum += load.onSync;
  }
  others = std::max(others, moves);
  if (loads.size() < 2 || others > leastShare * before ||
      busy.of(to) > mostWork * before)
    return;
  // Half of the difference, or what is above everything else.
  const double wanted = before - std::max(others, (before + busy.of(to)) / 2);
  EngineLoads shared = busy;
  SmallVector<NcInstruction> moved;
  double seen = 0, taken = 0;
  for (const SharedTransfer &load : loads) {
    // Evenly among the others, and never more than wanted.
    seen += load.onSync;
    if (taken + load.onSync > wanted * seen / sum)
      continue;
    taken += load.onSync;
    shared.add(from, -load.onSync, 0);
    shared.add(to, load.onScalar, 0);
    moved.push_back(load.op);
  }
  const double after = std::max(shared.busiest(), moves);
  // If all loads are to go, sync is kept by something else.
  if (moved.empty() || moved.size() == loads.size() ||
      after > leastShare * before)
    return;
  for (NcInstruction op : moved)
    op.setAssignedEngine(to);
  splitTransfersRemarks.passed(loop, "SplitLoads")
      << "scalar issues " << measure("moved", moved.size()) << " of "
      << measure("loads", loads.size())
      << " loads: descriptors keep sync busy for "
      << nanoseconds("busy_ns", shared.of(from))
      << " ns per iteration instead of " << nanoseconds("before_ns", before);
  busy = shared;
}

void kiln::compiler::nc::splitStores(scf::ForOp loop,
                                     ArrayRef<SharedTransfer> stores,
                                     EngineLoads &busy) {
  constexpr isa::Engine from = isa::Engine::gpsimd;
  const double before = busy.of(from);
  double moves = 0;
  for (const SharedTransfer &store : stores)
    moves += store.moves;
  if (stores.empty() ||
      std::max(busiestBut(from, busy), moves) > leastShare * before)
    return;
  EngineLoads shared = busy;
  SmallVector<std::pair<NcInstruction, isa::Engine>> moved;
  for (const SharedTransfer &store : stores) {
    const double onSync = shared.of(isa::Engine::sync) + store.onSync,
                 onScalar = shared.of(isa::Engine::scalar) + store.onScalar;
    const bool isSync = onSync <= onScalar;
    if (std::min(onSync, onScalar) > shared.of(from) - store.onGpsimd)
      continue;
    const isa::Engine to = isSync ? isa::Engine::sync : isa::Engine::scalar;
    shared.add(from, -store.onGpsimd, 0);
    shared.add(to, isSync ? store.onSync : store.onScalar, 0);
    moved.emplace_back(store.op, to);
  }
  const double after = std::max(shared.busiest(), moves);
  if (moved.empty() || after > leastShare * before)
    return;
  for (auto [op, to] : moved)
    op.setAssignedEngine(to);
  splitTransfersRemarks.passed(loop, "SplitStores")
      << "sync and scalar issue " << measure("moved", moved.size()) << " of "
      << measure("stores", stores.size())
      << " stores: the busiest engine is busy for "
      << nanoseconds("busy_ns", after) << " ns per iteration instead of "
      << nanoseconds("before_ns", before);
  busy = shared;
}

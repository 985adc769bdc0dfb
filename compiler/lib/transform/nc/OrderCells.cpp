//===- OrderCells.cpp - Order that no data asks for, as data -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/transform/nc/OrderCells.h"

#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

/// Beyond this many cells, iterations of outer loops share them.
static constexpr int64_t mostCells = int64_t(1) << 40;

OrderCells::OrderCells(func::FuncOp func, std::uint32_t firstTensor)
    : next(firstTensor) {
  SmallVector<OrderEdge> edges = orderEdges(func);
  if (!edges.empty()) {
    DenseMap<int64_t, Group> labelled;
    func.walk([&](NcInstruction op) {
      if (std::optional<int64_t> label = labelOf(op))
        labelled[*label].push_back(op);
    });
    for (const OrderEdge &edge : edges)
      if (!isMutated(Mutation::promiseCell))
        addEdge(labelled[edge.earlier], labelled[edge.later]);
  }
  addPacing(func);
  addMeetings(func);
}

/// What meets other cores and ranks does so in the order of the program: in one
/// stream it stands so, in several each waits for the one before.
void OrderCells::addMeetings(func::FuncOp func) {
  SmallVector<NcInstruction> meetings;
  std::uint32_t engines = 0;
  func.walk([&](NcInstruction op) {
    if (!meetsPeers(op))
      return;
    meetings.push_back(op);
    if (std::optional<isa::Engine> engine = op.getAssignedEngine())
      engines |= isa::maskOf(*engine);
  });
  if (llvm::popcount(engines) < 2)
    return;
  for (NcInstruction op : meetings)
    uses[op].push_back({next, true, 0, 1, {}});
  ++next;
}

void OrderCells::addEdge(ArrayRef<NcInstruction> sources,
                         ArrayRef<NcInstruction> targets) {
  if (sources.empty() || targets.empty())
    return; // Emission rejects edges whose label is lost.
  SmallVector<Term, 2> terms;
  auto cells = static_cast<int64_t>(sources.size());
  auto around = [](scf::ForOp loop) {
    return [loop](NcInstruction op) {
      return scf::ForOp(loop)->isAncestor(op.getOperation());
    };
  };
  int64_t stride = cells;
  for (auto loop = sources.front()->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    if (!llvm::all_of(sources, around(loop)) ||
        !llvm::all_of(targets, around(loop)))
      continue;
    terms.push_back({loop, stride});
    std::optional<uint64_t> trips = constantTrips(loop);
    if (!trips || *trips > static_cast<uint64_t>(mostCells / stride))
      break;
    stride *= std::max<int64_t>(static_cast<int64_t>(*trips), 1);
  }
  for (auto [number, source] : llvm::enumerate(sources))
    uses[source].push_back(
        {next, true, static_cast<int64_t>(number), 1, terms});
  for (NcInstruction target : targets)
    uses[target].push_back(
        {next, false, 0, static_cast<uint64_t>(cells), terms});
  ++next;
}

/// The stream that signals tokens does not run ahead of the stream that takes
/// them.
void OrderCells::addPacing(func::FuncOp func) {
  auto paced = func->getAttrOfType<DenseI64ArrayAttr>(pacedSemaphoresAttrName);
  if (!paced)
    return;
  DenseMap<int64_t, std::uint32_t> cells;
  for (int64_t semaphore : paced.asArrayRef())
    cells[semaphore] = next++;
  func.walk([&](NcInstruction op) {
    for (bool gives : {false, true}) {
      Attribute tokens = op->getDiscardableAttr(gives ? userSignalsAttrName
                                                      : userWaitsAttrName);
      for (TokenAttr token : tokensOf(tokens))
        if (auto cell = cells.find(token.getSemaphore()); cell != cells.end())
          uses[op].push_back({cell->second, gives, 0, 1, {}});
    }
  });
}

void OrderCells::addAccesses(
    NcInstruction op, const LoopIds &loops,
    std::vector<problems::SyncAccess> &accesses) const {
  auto found = uses.find(op);
  if (found == uses.end())
    return;
  for (const Use &use : found->second) {
    problems::Footprint bytes;
    bytes.space = isa::Space::hbm;
    bytes.tensor = use.tensor;
    bytes.offset = use.offset;
    bytes.run = use.run;
    for (const Term &term : use.terms)
      bytes.terms.push_back({loops.lookup(scf::ForOp(term.loop)), term.bytes});
    accesses.push_back({use.write, std::move(bytes)});
  }
}

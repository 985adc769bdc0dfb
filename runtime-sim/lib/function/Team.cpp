//===- Team.cpp - The machine's state, and threads that work on it --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Team.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <array>

namespace kiln::sim {

namespace {

/// Lane p of every result depends on lane p of the operands only. iota and
/// affine_select read a register and stay whole.
bool treatsLanesAlike(const isa::Body &body) {
  return isa::isOneOf<
      isa::Activation, isa::TensorTensor, isa::TensorScalar,
      isa::ScalarTensorTensor, isa::TensorReduce, isa::TensorCopy, isa::Memset,
      isa::Reciprocal, isa::SelectReduce, isa::ActivationReduce, isa::Activate2,
      isa::Exponential, isa::TensorCopyPredicated, isa::RangeSelect,
      isa::TensorScalarReduce, isa::TensorScalarCumulative,
      isa::TensorTensorScan, isa::BnStats, isa::BnAggr, isa::Max8,
      isa::NcFindIndex8, isa::NcMatchReplace8>(body);
}

/// Below this many elements, a thread finishes before another has started.
constexpr std::uint64_t elementsWorthATeam = 8192;

bool overlaps(const isa::Access &a, const isa::Access &b) {
  return a.space == b.space && a.partition < b.partition + b.partitions &&
         b.partition < a.partition + a.partitions;
}

} // namespace

Team::Team(const isa::Module &module, const isa::Target &target,
           const Numerics &numerics, Pool &pool, bool lazyMemory)
    : memory(module, target, lazyMemory), state(target),
      rowsInOrder(numerics.stochasticRounding), pool(pool),
      products(kernels(), &pool) {
  threads.emplace_back(memory, state, target, numerics, products, &pool);
  while (threads.size() < pool.size())
    threads.emplace_back(memory, state, target, numerics, products, nullptr);
}

unsigned Team::sharedLanes(const isa::Body &body) {
  if (pool.size() == 1 || rowsInOrder || !treatsLanesAlike(body))
    return 0;
  operands.clear();
  isa::collectAccesses(body, operands);
  unsigned lanes = 0;
  std::uint64_t elements = 0;
  for (const isa::OperandAccess &operand : operands) {
    const isa::Access &access = *operand.access;
    if (lanes == 0)
      lanes = access.partitions;
    if (access.partitions != lanes || operand.isIndexed)
      return 0;
    elements = std::max(elements, lanes * layoutOf(access).elements);
    // Lanes that shift between operands could cross from thread to thread.
    for (const isa::OperandAccess &other : operands)
      if (operand.effect != isa::Effect::read &&
          access.partition != other.access->partition &&
          overlaps(access, *other.access))
        return 0;
  }
  return elements < elementsWorthATeam ? 0 : lanes;
}

Outcome Team::execute(const isa::Body &body, isa::Engine engine,
                      const StreamCursor &cursor) {
  const std::uint64_t serial = nextSerial(engine);
  const unsigned lanes = sharedLanes(body);
  if (lanes == 0)
    return sim::execute(lead(), body, engine, cursor, serial);
  // Reductions take eight rows at a time.
  const unsigned tasks = std::min(2 * pool.size(), (lanes + 7) / 8);
  const unsigned step = (lanes / tasks + 7) / 8 * 8;
  const unsigned count = isa::ceilDiv(lanes, step);
  std::array<Outcome, 2 * Pool::maxThreads> outcomes{};
  pool.run(count, [&](unsigned i, unsigned worker) {
    const unsigned first = i * step;
    outcomes[i] = sim::execute(threads[worker], body, engine, cursor, serial,
                               {first, std::min(step, lanes - first)});
  });
  for (const Outcome outcome : outcomes)
    if (outcome != Outcome::done)
      return outcome;
  return Outcome::done;
}

} // namespace kiln::sim

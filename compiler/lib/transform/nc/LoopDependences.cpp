//===- LoopDependences.cpp - What a loop body's instructions share --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopProblemBuilder.h"

#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/machine/ports.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

/// From the start of one to the start of the other.
int64_t LoopProblemBuilder::delay(uint32_t from, uint32_t to,
                                  bool flows) const {
  const Times &first = times[from], &second = times[to];
  if (first.isTransfer)
    return first.times.latency;
  return machine::handOver(first.times, first.engine, second.engine, flows,
                           target);
}

void LoopProblemBuilder::addEdge(uint32_t from, uint32_t to, int64_t latency,
                                 uint32_t distance) {
  if (isMutated(Mutation::pipelineEdge))
    return;
  const bool spreads =
      times[from].isTransfer || times[from].engine != times[to].engine;
  result.problem.edges.push_back({from, to, latency, distance, spreads});
}

/// Each two accesses of which one writes, in the fewest iterations after
/// which they may touch a common byte; later ones follow from that.
void LoopProblemBuilder::connect(Place &place) {
  for (size_t i = 0; i < place.accesses.size(); ++i)
    for (size_t j = 0; j < place.accesses.size(); ++j) {
      const Access &first = place.accesses[i], &second = place.accesses[j];
      if (!first.bytes.writes && !second.bytes.writes)
        continue;
      const uint32_t from = first.bytes.operation, to = second.bytes.operation;
      const uint32_t least = from < to ? 0 : 1;
      // Each iteration has its own: see addBuffers().
      if (least == 1 && isLocal(first.base) && isLocal(second.base))
        continue;
      std::optional<uint32_t> distance =
          isLocal(first.base) && isLocal(second.base)
              ? within(first.bytes, second.bytes)
              : meeting(place.families, first.bytes, second.bytes, least);
      if (distance && *distance < trips)
        addEdge(from, to,
                delay(from, to, first.bytes.writes && second.bytes.reads),
                *distance);
    }
}

/// VectorE and ScalarE that read one PSUM bank at once do so at half the rate
/// each. If they split a tile, both would start when it is ready, and the one
/// with the smaller part would hold up the other one: they read it one after
/// the other.
void LoopProblemBuilder::separateReaders(const Place &place) {
  for (size_t i = 0; i < place.accesses.size(); ++i)
    for (size_t j = i + 1; j < place.accesses.size(); ++j) {
      const Access &first = place.accesses[i], &second = place.accesses[j];
      if (first.base != second.base || !isLocal(first.base) ||
          first.bytes.writes || second.bytes.writes ||
          !shareBank(first, second))
        continue;
      const uint32_t from = first.bytes.operation, to = second.bytes.operation;
      if ((machine::conflictingPorts(times[from].engine, times[to].engine) &
           machine::psumBankPorts))
        addEdge(from, to, times[from].times.occupancy, 0);
    }
}

bool LoopProblemBuilder::shareBank(const Access &first, const Access &second) {
  problems::ByteAccess written = first.bytes;
  written.writes = true;
  auto alloc = first.base.getDefiningOp<AllocOp>();
  const auto bank = static_cast<int64_t>(isa::psumBankBytes);
  return alloc && alloc.getSpace() == Space::psum &&
         !problems::conflict(written, second.bytes) &&
         first.bytes.begin() / bank <= (second.bytes.end() - 1) / bank &&
         second.bytes.begin() / bank <= (first.bytes.end() - 1) / bank;
}

std::optional<uint32_t>
LoopProblemBuilder::within(const problems::ByteAccess &first,
                           const problems::ByteAccess &second) {
  return problems::conflict(first, second) ? std::optional(0u) : std::nullopt;
}

std::optional<uint32_t> LoopProblemBuilder::meeting(
    const AddressFamilies &families, const problems::ByteAccess &first,
    const problems::ByteAccess &second, uint32_t least) const {
  for (uint32_t distance = least; distance < iterationsCompared; ++distance) {
    problems::ByteAccess here = second, next = second;
    families.advance(here, loop, distance);
    families.advance(next, loop, distance + 1);
    if (problems::conflict(first, here))
      return distance;
    if (here.family == 0)
      return std::nullopt; // Disjoint partitions.
    const int64_t step = next.offset - here.offset;
    if (step == 0 || (step > 0 && here.begin() >= first.end()) ||
        (step < 0 && here.end() <= first.begin()))
      return std::nullopt;
  }
  return iterationsCompared;
}

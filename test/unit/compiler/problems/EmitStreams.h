//===- EmitStreams.h - A synchronisation instance as instruction streams --===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enough of an emitter to let the checker see what the solver made: loops with
// registers, rings as wrapping pointers, fences as `semaphore` instructions.
// Engines hold any instruction here; only accesses and tokens matter.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_PROBLEMS_EMITSTREAMS_H
#define KILN_TEST_PROBLEMS_EMITSTREAMS_H

#include "kiln/compiler/problem/SyncProblem.h"
#include "kiln/isa/module.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln::problems::test {

class StreamEmitter {
public:
  StreamEmitter(const SyncProblem &problem, const SyncSolution &solution,
                std::uint32_t openTrips)
      : problem(problem), solution(solution), openTrips(openTrips) {}

  isa::Module run() {
    module.kernel = "test";
    for (unsigned t = 0; t < 2; ++t) {
      isa::Tensor tensor;
      tensor.name = t == 0 ? "a" : "b";
      tensor.dtype = isa::DType::u8;
      tensor.shape = {1 << 20};
      tensor.kind = isa::TensorKind::inout;
      module.tensors.push_back(tensor);
    }
    module.locations.push_back({"kernel.cpp", 7, 1, "", "x"});
    for (unsigned e = 0; e < isa::numEngines; ++e)
      emit(e);
    return std::move(module);
  }

private:
  using RingKey =
      std::tuple<LoopId, std::uint32_t, std::int64_t, LoopId>; ///< RingTerm

  static RingKey key(const RingTerm &ring) {
    return {ring.loop, ring.slots, ring.slotBytes, ring.scope};
  }

  void push(isa::Body body, const SyncTokens *tokens = nullptr) {
    isa::Instruction instruction;
    instruction.body = std::move(body);
    instruction.position = position;
    instruction.location = 1;
    if (tokens) {
      for (const Token &token : tokens->waits)
        instruction.waits.push_back({token.semaphore, token.value});
      for (const Token &token : tokens->signals)
        instruction.signals.push_back({token.semaphore, token.value});
    }
    module.streams[engine].push_back(std::move(instruction));
  }

  static isa::Register loopRegister(LoopId loop) {
    return {static_cast<std::uint8_t>(loop % 30)};
  }
  static isa::Register scratch(unsigned n) {
    return {static_cast<std::uint8_t>(58 + n)};
  }

  isa::Access access(const Footprint &bytes, unsigned slot) {
    isa::Access out;
    out.space = bytes.space;
    out.dtype = isa::DType::u8;
    out.tensor = static_cast<std::uint16_t>(bytes.tensor);
    out.partition = static_cast<std::uint8_t>(bytes.partition);
    out.partitions = static_cast<std::uint8_t>(bytes.partitions);
    out.offset = bytes.offset;
    for (const ByteDim &dim : bytes.dims)
      out.dims[out.rank++] = {static_cast<std::int32_t>(dim.stride),
                              static_cast<std::uint32_t>(dim.count)};
    out.dims[out.rank++] = {1, static_cast<std::uint32_t>(bytes.run)};
    if (bytes.terms.empty() && !bytes.ring)
      return out;
    isa::Register sum = scratch(slot), product = scratch(5);
    push(isa::RegisterMove{sum, {0}});
    for (const LoopTerm &term : bytes.terms) {
      push(isa::RegisterAlu{product,
                            isa::RegisterOp::multiply,
                            {loopRegister(term.loop)},
                            {static_cast<std::int32_t>(term.bytes)}});
      push(isa::RegisterAlu{sum, isa::RegisterOp::add, {sum}, {product}});
    }
    out.terms[out.numTerms++] = {sum, 1};
    if (bytes.ring)
      out.terms[out.numTerms++] = {rings.at(key(*bytes.ring)), 1};
    return out;
  }

  void emitInstruction(std::uint32_t index) {
    const SyncInstruction &op = problem.instructions[index];
    const SyncTokens *tokens = &solution.instructions[index];
    if (op.queue >= 0) {
      isa::DmaCopy copy;
      copy.queue = op.queue;
      unsigned slot = 0;
      for (const SyncAccess &at : op.accesses)
        (at.write ? copy.dst : copy.src) = access(at.bytes, slot++);
      push(copy, tokens);
      return;
    }
    isa::SelectReduce body;
    unsigned slot = 0, writes = 0, reads = 0;
    for (const SyncAccess &at : op.accesses) {
      isa::Access emitted = access(at.bytes, slot++);
      if (at.write && writes++ == 0)
        body.dst = emitted;
      else if (at.write)
        body.reduce_res = emitted;
      else if (reads++ == 0)
        body.predicate = emitted;
      else
        body.on_true = emitted;
    }
    push(body, tokens);
  }

  void emitFences(LoopId loop, bool after) {
    for (const SyncFence &fence : solution.fences)
      if (fence.loop == loop && fence.after == after &&
          static_cast<unsigned>(fence.engine) == engine)
        push(isa::Semaphore{}, &fence.tokens);
  }

  /// Does the stream at hand take part in each loop?
  void findParts() {
    takesPart.assign(problem.loops.size(), false);
    std::vector<LoopId> around;
    for (const SyncItem &item : problem.items) {
      if (item.kind == SyncItem::Kind::loopBegin)
        around.push_back(item.index);
      else if (item.kind == SyncItem::Kind::loopEnd)
        around.pop_back();
      else if (static_cast<unsigned>(problem.instructions[item.index].engine) ==
               engine)
        for (LoopId loop : around)
          takesPart[loop] = true;
    }
  }

  void resetRings(LoopId scope) {
    for (const auto &[ring, reg] : rings)
      if (std::get<3>(ring) == scope)
        push(isa::RegisterMove{reg, {0}});
  }

  void emit(unsigned stream) {
    engine = stream;
    findParts();
    rings.clear();
    std::uint8_t next = 30;
    for (const SyncInstruction &op : problem.instructions)
      if (static_cast<unsigned>(op.engine) == engine)
        for (const SyncAccess &at : op.accesses)
          if (at.bytes.ring &&
              rings.try_emplace(key(*at.bytes.ring), isa::Register{next})
                  .second)
            ++next;
    position = 0;
    resetRings(noLoop);
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
      const SyncItem &item = problem.items[i];
      position = static_cast<std::uint32_t>(i + 1);
      if (item.kind == SyncItem::Kind::instruction) {
        if (static_cast<unsigned>(problem.instructions[item.index].engine) ==
            engine)
          emitInstruction(item.index);
        continue;
      }
      LoopId loop = item.index;
      if (!takesPart[loop])
        continue;
      if (item.kind == SyncItem::Kind::loopBegin) {
        emitFences(loop, false);
        std::uint64_t trips = problem.loops[loop].trips.value_or(
            std::max<std::uint64_t>(openTrips, problem.loops[loop].minTrips));
        push(isa::LoopBegin{
            loopRegister(loop), {0}, {static_cast<std::int32_t>(trips)}, 1});
        resetRings(loop);
      } else {
        for (const auto &[ring, reg] : rings)
          if (std::get<0>(ring) == loop) {
            std::int32_t bytes = static_cast<std::int32_t>(std::get<2>(ring));
            push(isa::RegisterWrap{
                reg, bytes,
                bytes * static_cast<std::int32_t>(std::get<1>(ring)), 0});
          }
        push(isa::LoopEnd{});
        emitFences(loop, true);
      }
    }
  }

  const SyncProblem &problem;
  const SyncSolution &solution;
  std::uint32_t openTrips;
  isa::Module module;
  unsigned engine = 0;
  std::uint32_t position = 0;
  std::map<RingKey, isa::Register> rings;
  std::vector<bool> takesPart;
};

/// Loops of unknown trip count run `openTrips` times.
inline isa::Module emitStreams(const SyncProblem &problem,
                               const SyncSolution &solution,
                               std::uint32_t openTrips) {
  return StreamEmitter(problem, solution, openTrips).run();
}

} // namespace kiln::problems::test

#endif // KILN_TEST_PROBLEMS_EMITSTREAMS_H

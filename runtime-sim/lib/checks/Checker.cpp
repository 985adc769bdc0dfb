//===- Checker.cpp - Watches a run for what must not happen ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace kiln::sim {

namespace {

unsigned number(isa::Engine engine) { return static_cast<unsigned>(engine); }

bool isWritten(isa::TensorKind kind) {
  return kind != isa::TensorKind::input && kind != isa::TensorKind::constant;
}

/// Scales of packed floats: four partitions of 32. Those between belong to
/// others, or to none.
bool isScale(std::string_view operand) {
  return operand == "stationary_scale" || operand == "moving_scale" ||
         operand == "dst_scale";
}

/// The partitions whose bytes the instruction accesses; tensors have one.
LaneMask lanesOf(const isa::OperandAccess &operand) {
  const isa::Access &access = *operand.access;
  if (access.space == isa::Space::hbm)
    return LaneMask::range(0, 1);
  if (!isScale(operand.name))
    return LaneMask::range(access.partition, access.partitions);
  LaneMask lanes;
  for (unsigned p = 0; p < access.partitions; p += 32)
    lanes = lanes | LaneMask::range(access.partition + p, 4);
  return lanes;
}

} // namespace

Checker::Checker(const RankModules &rank, const CoreId &id,
                 const isa::Target &target, const Options &options,
                 Checker *first)
    : rank(rank), id(id), module(rank.module(id.core)),
      ownRemarks(
          first || !options.remarks
              ? nullptr
              : std::make_unique<Remarks>(rank, id, options.permissions)),
      remarks(first ? first->remarks : ownRemarks.get()),
      sbuf(target.bytes(isa::Space::sbuf)),
      psum(target.bytes(isa::Space::psum)), tensors(module.tensors.size()),
      tokens(isa::numSemaphores) {
  sbuf.tell(remarks, &remarkPlace);
  psum.tell(remarks, &remarkPlace);
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    const isa::Tensor &tensor = module.tensors[i];
    if (!isWritten(tensor.kind))
      continue;
    if (!rank.isHome(id.core, i)) {
      tensors[i] = first->tensors[rank.homes[id.core][i].tensor];
      continue;
    }
    const auto bytes = static_cast<std::int64_t>(tensor.sizeInBytes());
    tensors[i] = &owned.emplace_back(bytes);
    if (tensor.kind == isa::TensorKind::inout)
      tensors[i]->initialise(0, bytes, LaneMask::range(0, 1));
  }
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

void Checker::give(unsigned semaphore, std::uint32_t count,
                   const Knowledge &giver) {
  tokens[semaphore].push_back({count, giver});
}

void Checker::take(isa::Engine engine, unsigned semaphore,
                   std::uint32_t count) {
  std::deque<Tokens> &queue = tokens[semaphore];
  while (count > 0 && !queue.empty()) {
    Tokens &oldest = queue.front();
    known[number(engine)].join(oldest.giver);
    const std::uint32_t part = std::min(count, oldest.count);
    count -= part;
    oldest.count -= part;
    if (oldest.count == 0)
      queue.pop_front();
  }
}

void Checker::beginInstruction(isa::Engine engine, std::uint32_t index) {
  Event &event = current[number(engine)];
  event.agent = agentOf(engine);
  event.engine = static_cast<std::uint8_t>(engine);
  event.index = index;
  ++event.clock;
}

VectorClock Checker::clockOf(isa::Engine engine) const {
  VectorClock clock = known[number(engine)].own;
  clock.time[agentOf(engine)] = current[number(engine)].clock;
  return clock;
}

Knowledge Checker::knowledge(isa::Engine engine) const {
  return {clockOf(engine), known[number(engine)].ranks};
}

void Checker::signalInstruction(isa::Engine engine, unsigned semaphore,
                                std::uint32_t count) {
  give(semaphore, count, knowledge(engine));
}

Checker::Transfer Checker::issueTransfer(isa::Engine engine,
                                         std::uint32_t index, unsigned queue) {
  Transfer transfer;
  transfer.queue = queue;
  transfer.knows = known[number(engine)];
  transfer.event.agent = static_cast<std::uint8_t>(id.core * agentsOfCore +
                                                   isa::numEngines + queue);
  transfer.event.engine = static_cast<std::uint8_t>(engine);
  transfer.event.index = index;
  transfer.event.clock = ++issued[queue];
  return transfer;
}

void Checker::completeTransfer(const Transfer &transfer) {
  Knowledge &all = completed[transfer.queue];
  all.join(transfer.knows);
  all.join(transfer.met);
  all.own.time[transfer.event.agent] = transfer.event.clock;
}

void Checker::signalTransfer(const Transfer &transfer, unsigned semaphore,
                             std::uint32_t count) {
  give(semaphore, count, completed[transfer.queue]);
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

std::optional<Fault> Checker::meet(const PeerKey &key,
                                   const Transfer &transfer) {
  return meet(key, transfer.event, transfer.knows.own);
}

std::optional<Fault> Checker::meet(const PeerKey &key, isa::Engine engine) {
  return meet(key, current[number(engine)], clockOf(engine));
}

std::optional<Fault> Checker::meet(const PeerKey &key, const Event &event,
                                   const VectorClock &clock) {
  const std::uint64_t begun = current[event.engine].clock;
  const auto [at, isFirst] =
      attended.try_emplace(key, Attendance{event, begun});
  const Attendance last = std::exchange(at->second, {event, begun});
  const auto stream = static_cast<isa::Engine>(last.event.engine);
  // A stream arrives in its own order. If another stream acted after it, or the
  // meeting has ended, it has arrived.
  if (isFirst || last.event.engine == event.engine || clock.knows(last.event) ||
      clock.time[agentOf(stream)] > last.begun)
    return std::nullopt;
  const FaultParty self =
      partyOf(module, static_cast<isa::Engine>(event.engine), event.index, id);
  const FaultParty other = partyOf(module, stream, last.event.index, id);
  Fault fault = makeFault(
      FaultKind::race, code::race,
      fmt::format("{} and {} synchronise with the same peers, and no semaphore "
                  "orders the two, so which one meets which peer operation is "
                  "undefined; let one wait for a signal of the other",
                  nameOf(self), nameOf(other)));
  for (const FaultParty &party : {self, other})
    involve(fault, party);
  return fault;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Shadow *Checker::shadowOf(const isa::Access &access) {
  switch (access.space) {
  case isa::Space::sbuf:
    return &sbuf;
  case isa::Space::psum:
    return &psum;
  case isa::Space::hbm:
    break;
  }
  return tensors[access.tensor];
}

std::optional<Fault>
Checker::access(isa::Engine engine, const std::vector<PlacedAccess> &accesses) {
  const Event &event = current[number(engine)];
  const VectorClock clock = clockOf(engine);
  if (auto fault = visit(event, clock, accesses, false))
    return fault;
  if (auto fault = checkAccumulation(event, accesses))
    return fault;
  return visit(event, clock, accesses, true);
}

std::optional<Fault>
Checker::access(const Transfer &transfer,
                const std::vector<PlacedAccess> &accesses) {
  if (auto fault = visit(transfer.event, transfer.knows.own, accesses, false))
    return fault;
  return visit(transfer.event, transfer.knows.own, accesses, true);
}

template <class Visit>
void Checker::forEachWriter(const PlacedAccess &placed, Visit &&visit) {
  const isa::Access &access = *placed.operand.access;
  Shadow *shadow = shadowOf(access);
  if (!shadow)
    return;
  const LaneMask lanes = lanesOf(placed.operand);
  runsOf(layoutOf(access))
      .forEach(placed.offset, [&](std::int64_t begin, std::int64_t end) {
        shadow->forEachWriter(begin, end, lanes, visit);
        return true;
      });
}

std::vector<Event>
Checker::writersOfReads(const std::vector<PlacedAccess> &accesses) {
  std::vector<Event> writers;
  for (const PlacedAccess &placed : accesses)
    if (placed.operand.effect == isa::Effect::read)
      forEachWriter(placed, [&](const Event &writer) {
        const auto same = [&](const Event &other) {
          return other.engine == writer.engine && other.index == writer.index;
        };
        // The start-up event is not an instruction.
        if (writer.clock != 0 &&
            std::none_of(writers.begin(), writers.end(), same))
          writers.push_back(writer);
      });
  return writers;
}

std::optional<Fault>
Checker::checkAccumulation(const Event &event,
                           const std::vector<PlacedAccess> &accesses) {
  const auto bodyOf = [&](const Event &who) -> const isa::Body & {
    return module.streams[who.engine][who.index].body;
  };
  if (module.generation >= isa::Generation::v4 ||
      !std::holds_alternative<isa::NcMatmul>(bodyOf(event)))
    return std::nullopt;
  for (const PlacedAccess &placed : accesses) {
    if (placed.operand.effect != isa::Effect::readWrite)
      continue;
    std::optional<Event> stranger;
    forEachWriter(placed, [&](const Event &writer) {
      const auto *product = std::get_if<isa::NcMatmul>(&bodyOf(writer));
      if (!product || product->is_transpose ||
          product->dst.dtype != placed.operand.access->dtype)
        stranger = writer;
    });
    if (!stranger)
      continue;
    const FaultParty self = partyOf(
        module, static_cast<isa::Engine>(event.engine), event.index, id);
    const FaultParty other =
        partyOf(module, static_cast<isa::Engine>(stranger->engine),
                stranger->index, id);
    Fault fault = makeFault(
        FaultKind::accumulation, code::accumulation,
        fmt::format("{} adds to PSUM that {} wrote, which is not a product of "
                    "type [|{}|]; start the group with a product that does not "
                    "accumulate",
                    nameOf(self), nameOf(other),
                    isa::name(placed.operand.access->dtype)));
    for (const FaultParty &party : {self, other})
      involve(fault, party);
    return fault;
  }
  return std::nullopt;
}

std::optional<Fault> Checker::visit(const Event &event,
                                    const VectorClock &clock,
                                    const std::vector<PlacedAccess> &accesses,
                                    bool writes) {
  for (const PlacedAccess &placed : accesses) {
    const isa::Effect effect = placed.operand.effect;
    if (effect != isa::Effect::readWrite &&
        effect != (writes ? isa::Effect::write : isa::Effect::read))
      continue;
    const isa::Access &access = *placed.operand.access;
    if (access.space == isa::Space::hbm && remarks)
      checkDeclared(event, placed, writes);
    Shadow *shadow = shadowOf(access);
    if (!shadow)
      continue;
    const LaneMask lanes = lanesOf(placed.operand);
    const bool inHbm = access.space == isa::Space::hbm;
    Event own = event;
    own.buffer = inHbm ? std::uint16_t{0} : access.tensor;
    own.type = placed.type & 31u;
    remarkPlace = {access.space, access.tensor, placed.operand.name};
    if (inHbm)
      shadow->tell(remarks, &remarkPlace);
    std::optional<Conflict> conflict;
    runsOf(layoutOf(access))
        .forEach(placed.offset, [&](std::int64_t begin, std::int64_t end) {
          conflict = writes ? shadow->write(begin, end, lanes, own, clock)
                            : shadow->read(begin, end, lanes, own, clock);
          return !conflict;
        });
    if (conflict)
      return report(*conflict, event, placed, writes);
  }
  return std::nullopt;
}

void Checker::checkDeclared(const Event &event, const PlacedAccess &placed,
                            bool writes) {
  const isa::Access &access = *placed.operand.access;
  const isa::DType declared = module.tensors[access.tensor].dtype;
  if (Remarks::agree(placed.type, static_cast<unsigned>(declared)))
    return;
  remarkPlace = {access.space, access.tensor, placed.operand.name};
  remarks->noteDeclared(event, writes, remarkPlace, access.dtype, declared);
}

Fault Checker::report(const Conflict &conflict, const Event &event,
                      const PlacedAccess &placed, bool writes) {
  const isa::Access &access = *placed.operand.access;
  const std::string place =
      access.space == isa::Space::hbm
          ? fmt::format("byte {} of tensor {}", conflict.byte,
                        module.tensors[access.tensor].name)
          : fmt::format("{} partition {} byte {}", isa::name(access.space),
                        conflict.partition, conflict.byte);
  const auto party = [&](const Event &who) {
    CoreId where = id;
    where.core = who.core();
    return partyOf(rank.module(where.core),
                   static_cast<isa::Engine>(who.engine), who.index, where);
  };
  const FaultParty self = party(event);
  if (conflict.kind == Conflict::Kind::uninitialised) {
    unwritten = MemoryRange{access.space,  conflict.partition, 1, access.tensor,
                            conflict.byte, conflict.byte + 1};
    Fault fault = makeFault(
        FaultKind::uninitialised, code::uninitialised,
        fmt::format("{} reads {} ({}), which nothing has written; write the "
                    "whole operand first, or read less",
                    nameOf(self), place, placed.operand.name));
    involve(fault, self);
    return fault;
  }
  const FaultParty other = party(conflict.other);
  if (conflict.kind == Conflict::Kind::reused) {
    Fault fault = makeFault(
        FaultKind::reused, code::reused,
        fmt::format("{} reads {} ({}) as {}, but {} wrote it last, as {}; keep "
                    "the first buffer's memory until its last reader, or "
                    "correct the address",
                    nameOf(self), place, placed.operand.name,
                    nameOfBuffer(module, access.tensor), nameOf(other),
                    nameOfBuffer(module, conflict.other.buffer)));
    for (const FaultParty &party : {self, other})
      involve(fault, party);
    return fault;
  }
  const bool acrossCores = conflict.other.core() != event.core();
  Fault fault = makeFault(
      FaultKind::race, code::race,
      fmt::format("{} {} {} ({}) and {} {} it, and {}", nameOf(self),
                  writes ? "writes" : "reads", place, placed.operand.name,
                  nameOf(other), conflict.otherWrites ? "writes" : "reads",
                  acrossCores
                      ? "nothing in which the cores meet orders them; put a "
                        "core_barrier on the tensor between them"
                      : "no semaphore orders the two; let one wait for a "
                        "signal of the other"));
  for (const FaultParty &party : {self, other})
    involve(fault, party);
  return fault;
}

std::optional<Fault> Checker::finish() {
  VectorClock all;
  all.time.fill(std::numeric_limits<std::uint64_t>::max());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (module.tensors[i].kind != isa::TensorKind::output ||
        !rank.isHome(id.core, i))
      continue;
    const auto bytes =
        static_cast<std::int64_t>(module.tensors[i].sizeInBytes());
    if (const auto conflict =
            tensors[i]->read(0, bytes, LaneMask::range(0, 1), Event{}, all))
      return makeFault(
          FaultKind::uninitialised, code::incompleteOutput,
          fmt::format("byte {} of {} of output {} was never written; store "
                      "every element of it",
                      conflict->byte, bytes, module.tensors[i].name));
  }
  // Unread contents of other tensors may be read by other ranks.
  for (std::size_t i = 0; remarks && i < tensors.size(); ++i)
    if (tensors[i] && module.tensors[i].kind != isa::TensorKind::internal)
      tensors[i]->forEachWriter(
          0, static_cast<std::int64_t>(module.tensors[i].sizeInBytes()),
          LaneMask::range(0, 1),
          [&](const Event &writer) { remarks->noteRead(writer); });
  return std::nullopt;
}

std::vector<Fault> Checker::takeRemarks() {
  return ownRemarks ? ownRemarks->take() : std::vector<Fault>{};
}

} // namespace kiln::sim

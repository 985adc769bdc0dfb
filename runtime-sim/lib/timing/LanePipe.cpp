//===- LanePipe.cpp - A data path that meets others at the ports ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LanePipe.h"

#include "DmaSide.h"

#include <algorithm>

namespace kiln::sim::timing {

LanePipe::LanePipe(isa::Engine engine, const CoreSettings &settings,
                   DataPath &path, EngineAccount &account, Ports &ports,
                   DmaSide &dma)
    : engine(engine), planned(settings.plan.planned[numberOf(engine)]),
      path(path), account(account), ports(ports), dma(dma),
      tableTime(machine::nanoseconds(settings.target.activation_table_load_ns)),
      results(machine::cyclesToTime(settings.target.dependent_issue_cycles,
                                    settings.target.ghz(engine))) {}

Shifts LanePipe::collectShifts(const PlannedOp &op, std::size_t first) {
  ofOne.clear();
  for (std::size_t i = 0; i < op.operands; ++i)
    ofOne.push_back(shifts.at(first + i));
  return ofOne;
}

bool LanePipe::holdsBack(std::span<const PlannedOperand> operands,
                         Shifts ownShifts) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < handed.count; ++i) {
    const Handed &before = handed.at(i);
    if (before.kind != Handed::Kind::instruction)
      continue;
    const PlannedOp &producer = planned.op(before.index);
    const Shifts itsShifts = shiftsOfHanded(producer, first);
    first += itsShifts.size();
    const auto written = planned.operands(producer);
    for (std::size_t r = 0; r < written.size(); ++r)
      for (std::size_t o = 0; written[r].writes && o < operands.size(); ++o)
        if (operands[o].reads &&
            machine::overlap(operands[o].box, shiftOf(ownShifts, o),
                             written[r].box, shiftOf(itsShifts, r)))
          return true;
  }
  return false;
}

void LanePipe::run(const Producer &who, const PlannedOp &op,
                   Shifts operandShifts, Picoseconds time) {
  path.enter();
  Handed next;
  next.ports = op.ports;
  if (op.movesBanks) {
    const auto operands = planned.operands(op);
    for (std::size_t i = 0; i < operands.size(); ++i)
      next.ports |=
          machine::psumBanks(operands[i].box, shiftOf(operandShifts, i));
  }
  if (next.ports == 0 && handed.count == 0) {
    const Picoseconds start = begin(who, op, time, operandShifts);
    end(who, op, start, 0, operandShifts);
    return;
  }
  for (const std::int64_t shift : operandShifts)
    shifts.push(shift);
  next.index = who.index;
  next.producer = who;
  next.time = time;
  handOn(next);
}

void LanePipe::signal(const Producer &who, Picoseconds time) {
  Handed next;
  next.kind = Handed::Kind::signals;
  next.index = who.index;
  next.producer = who;
  next.time = time;
  handOn(next);
}

void LanePipe::idleLater(std::uint32_t index, StallReason reason,
                         Picoseconds end, const Producer &producer) {
  // What is at the ports keeps the engine busy at least so long.
  if (end <= ports.earliestEnd(engine))
    return;
  Handed next;
  next.kind = Handed::Kind::idle;
  next.reason = reason;
  next.index = index;
  next.time = end;
  next.producer = producer;
  handed.push(next);
}

Picoseconds LanePipe::describe(std::uint32_t index, const Producer &wanted,
                               Picoseconds time, Picoseconds generation) {
  const Picoseconds begin = std::max(time, account.until());
  const Picoseconds end = begin + generation;
  account.stall(index, StallReason::descriptor, begin);
  account.draw(wanted, begin, end, end);
  path.occupyUntil(end);
  account.work(generation);
  return begin;
}

void LanePipe::describeLater(std::uint32_t index, const Producer &wanted,
                             Picoseconds time, const machine::DmaPlan &plan,
                             std::uint32_t held) {
  Handed next;
  next.kind = Handed::Kind::descriptors;
  next.index = index;
  next.time = time;
  next.producer = wanted;
  next.plan = &plan;
  next.held = held;
  handOn(next);
}

/// Settles when the instruction starts, if its ports let it. Its place in the
/// queue of the data path is free from then on.
Picoseconds LanePipe::begin(const Producer &who, const PlannedOp &op,
                            Picoseconds time, Shifts operandShifts) {
  const machine::InstructionCost &cost = op.cost;
  const Picoseconds from = std::max(time, path.freeSince());
  const InFlight::Ready ready =
      results.readyFor(planned.operands(op), operandShifts, from);
  account.stall(who.index, StallReason::dependence, ready.time, ready.producer);
  if (account.isTraced())
    results.forEachRead(
        planned.operands(op), operandShifts, [&](const InFlight::Ready &read) {
          account.noteEdge(who.run, read.producer, StallReason::dependence,
                           true, read.time);
        });
  Picoseconds start = std::max(from, ready.time);
  if (cost.table != 0 && cost.table != table) {
    table = cost.table;
    start += tableTime;
    account.stall(who.index, StallReason::table, start);
    account.noteLead(who.run, tableTime);
  }
  path.start(start);
  return start;
}

/// The instruction has begun at `start` and took `lost` more than its time.
void LanePipe::end(const Producer &who, const PlannedOp &op, Picoseconds start,
                   Picoseconds lost, Shifts operandShifts) {
  const machine::InstructionCost &cost = op.cost;
  const Picoseconds latency = cost.latency + lost;
  results.add(who, planned.operands(op), operandShifts,
              path.completionOf(start, latency));
  account.work(cost.interval);
  path.occupy(who, op.signals, start, start + cost.interval + lost, latency);
}

/// Queues `next` after everything that was handed on before.
void LanePipe::handOn(const Handed &next) {
  handed.push(next);
  if (handed.count == 1)
    workOff(next.time);
}

/// Runs what was handed on, up to the next instruction at the ports.
void LanePipe::workOff(Picoseconds now) {
  for (; handed.count != 0; handed.pop()) {
    const Handed next = handed.front();
    switch (next.kind) {
    case Handed::Kind::instruction: {
      const PlannedOp &op = planned.op(next.index);
      const Shifts itsShifts = shiftsOfHanded(op, 0);
      const Picoseconds start = begin(next.producer, op, next.time, itsShifts);
      if (next.ports != 0) {
        ports.ask(next.producer, next.ports, start + op.cost.lead, op.cost.lead,
                  op.cost.stream);
        return;
      }
      end(next.producer, op, start, 0, itsShifts);
      shifts.drop(itsShifts.size());
      break;
    }
    case Handed::Kind::signals:
      path.signal(next.producer, next.time);
      break;
    case Handed::Kind::idle:
      account.stall(next.index, next.reason, next.time, next.producer);
      break;
    case Handed::Kind::descriptors:
      dma.startHeld(
          next.held, now,
          describe(next.index, next.producer, next.time, next.plan->generation),
          *next.plan);
      break;
    }
  }
}

void LanePipe::passedPort(Picoseconds start, Picoseconds lost,
                          Picoseconds now) {
  const Producer who = handed.front().producer;
  const PlannedOp &op = planned.op(who.index);
  const Shifts itsShifts = shiftsOfHanded(op, 0);
  end(who, op, start, lost, itsShifts);
  shifts.drop(itsShifts.size());
  handed.pop();
  workOff(now);
}

} // namespace kiln::sim::timing

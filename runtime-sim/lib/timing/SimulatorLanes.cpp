//===- SimulatorLanes.cpp - Vector, Scalar and GpSimd at the ports --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <algorithm>

namespace kiln::sim::timing {

/// How far registers move each operand of the head; empty if they move none.
Simulator::Shifts Simulator::shiftsOfHead(const Stream &stream,
                                          const PlannedOp &op) {
  if (!op.movesOperands)
    return {};
  headShifts.clear();
  for (const PlannedOperand &operand : stream.planned->operands(op))
    headShifts.push_back(operand.dynamic
                             ? stream.cursor->byteOffset(*operand.dynamic) -
                                   operand.dynamic->offset
                             : 0);
  return headShifts;
}

/// The same of an instruction handed on, as it was then; its shifts begin at
/// `first`.
Simulator::Shifts Simulator::shiftsOfHanded(const Stream &stream,
                                            const PlannedOp &op,
                                            std::size_t first) {
  if (!op.movesOperands)
    return {};
  handedShifts.clear();
  for (std::size_t i = 0; i < op.operands; ++i)
    handedShifts.push_back(stream.shifts.at(first + i));
  return handedShifts;
}

/// Latest completion that an operand of `op`, which acts from `from` on, must
/// wait for.
Simulator::Ready Simulator::resultsReady(const Stream &stream,
                                         const PlannedOp &op, Shifts shifts,
                                         Picoseconds from) {
  Ready ready;
  const std::size_t live = std::min(stream.flights, flightDepth);
  for (std::size_t i = 0; i < live; ++i) {
    const InFlight &result = stream.flight[i];
    if (result.complete + stream.turnaround <= std::max(ready.time, from))
      continue;
    const auto operands = stream.planned->operands(op);
    for (std::size_t j = 0; j < operands.size(); ++j)
      if (operands[j].reads &&
          machine::overlap(operands[j].box, shifts.empty() ? 0 : shifts[j],
                           result.box, result.shift))
        ready = {result.complete + stream.turnaround,
                 {static_cast<std::uint8_t>(number(stream)), result.index}};
  }
  return ready;
}

/// Does the head read what one of those handed on writes?
bool Simulator::needsUnsettled(const Stream &stream, const PlannedOp &op) {
  const Shifts own = shiftsOfHead(stream, op);
  const auto operands = stream.planned->operands(op);
  std::size_t first = 0;
  for (std::size_t i = 0; i < stream.handed.count; ++i) {
    const Handed &before = stream.handed.at(i);
    if (before.kind != Handed::Kind::instruction)
      continue;
    const PlannedOp &producer = stream.planned->op(before.index);
    const Shifts shifts = shiftsOfHanded(stream, producer, first);
    first += shifts.size();
    const auto results = stream.planned->operands(producer);
    for (std::size_t r = 0; r < results.size(); ++r)
      for (std::size_t o = 0; results[r].writes && o < operands.size(); ++o)
        if (operands[o].reads &&
            machine::overlap(operands[o].box, own.empty() ? 0 : own[o],
                             results[r].box, shifts.empty() ? 0 : shifts[r]))
          return true;
  }
  return false;
}

void Simulator::runLane(Stream &stream, const PlannedOp &op, Picoseconds time) {
  const std::uint32_t index = stream.cursor->index();
  stream.sequencer = time + controlTime;
  idle(stream, StallReason::control, time);
  ++stream.issued;
  const Shifts shifts = shiftsOfHead(stream, op);
  Handed next;
  next.ports = op.ports;
  if (op.movesBanks) {
    const auto operands = stream.planned->operands(op);
    for (std::size_t i = 0; i < operands.size(); ++i)
      next.ports |=
          machine::psumBanks(operands[i].box, shifts.empty() ? 0 : shifts[i]);
  }
  if (next.ports == 0 && stream.handed.count == 0) {
    const Picoseconds start = beginLane(stream, index, op, time, shifts);
    endLane(stream, index, op, start, 0, shifts);
  } else {
    for (const std::int64_t shift : shifts)
      stream.shifts.push(shift);
    next.index = index;
    next.time = time;
    handOn(stream, next);
  }
  moveOn(stream);
}

/// Settles when the instruction starts, if its ports let it. Its place in the
/// queue of the data path is free from then on.
Picoseconds Simulator::beginLane(Stream &stream, std::uint32_t index,
                                 const PlannedOp &op, Picoseconds time,
                                 Shifts shifts) {
  const machine::InstructionCost &cost = op.cost;
  const Picoseconds from = std::max(time, stream.free);
  const Ready ready = resultsReady(stream, op, shifts, from);
  account(stream, index, StallReason::dependence, ready.time, ready.producer);
  Picoseconds start = std::max(from, ready.time);
  if (cost.table != 0 && cost.table != stream.table) {
    stream.table = cost.table;
    start += machine::nanoseconds(target.activation_table_load_ns);
    account(stream, index, StallReason::table, start);
  }
  stream.starts[stream.begun++ % maxQueueDepth] = start;
  return start;
}

/// The instruction has begun at `start` and took `lost` more than its time.
void Simulator::endLane(Stream &stream, std::uint32_t index,
                        const PlannedOp &op, Picoseconds start,
                        Picoseconds lost, Shifts shifts) {
  const machine::InstructionCost &cost = op.cost;
  const Picoseconds complete =
      std::max(stream.complete, start + cost.latency + lost);
  const auto operands = stream.planned->operands(op);
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].writes)
      stream.flight[stream.flights++ % flightDepth] = {
          complete, index, operands[i].box, shifts.empty() ? 0 : shifts[i]};
  times(stream).busy += cost.interval;
  occupy(stream, index, start, start + cost.interval + lost, complete);
}

/// Has `next` done after all that was handed on before.
void Simulator::handOn(Stream &stream, const Handed &next) {
  stream.handed.push(next);
  if (stream.handed.count == 1)
    workOff(stream, next.time);
}

/// Does what was handed on, up to the next instruction at the ports.
void Simulator::workOff(Stream &stream, Picoseconds now) {
  for (; stream.handed.count != 0; stream.handed.pop()) {
    const Handed next = stream.handed.front();
    switch (next.kind) {
    case Handed::Kind::instruction: {
      const PlannedOp &op = stream.planned->op(next.index);
      const Shifts shifts = shiftsOfHanded(stream, op, 0);
      const Picoseconds start =
          beginLane(stream, next.index, op, next.time, shifts);
      if (next.ports != 0) {
        ports.ask(stream.engine, next.index, next.ports, start + op.cost.lead,
                  op.cost.lead, op.cost.stream);
        if (stream.state == State::blocked)
          estimate(stream);
        return;
      }
      endLane(stream, next.index, op, start, 0, shifts);
      stream.shifts.drop(shifts.size());
      break;
    }
    case Handed::Kind::signals:
      give(module.streams[number(stream)][next.index].signals,
           std::max(next.time, stream.complete) + semaphoreTime,
           tokenOf(stream, next.index));
      break;
    case Handed::Kind::idle:
      account(stream, next.index, next.reason, next.time, next.producer);
      break;
    case Handed::Kind::descriptors:
      dma.submitHeld(next.held, now, describe(stream, next), *next.plan);
      break;
    }
  }
  if (stream.state == State::blocked)
    estimate(stream);
}

void Simulator::stepPorts() {
  struct Book {
    Simulator &core;
    Picoseconds now;
    void waited(isa::Engine engine, StallReason reason, Picoseconds until,
                Producer producer) {
      Stream &stream = core.streams[static_cast<std::size_t>(engine)];
      core.account(stream, stream.handed.front().index, reason, until,
                   producer);
    }
    void slowed(isa::Engine engine, StallReason reason, Picoseconds until,
                Picoseconds time, Producer producer) {
      Stream &stream = core.streams[static_cast<std::size_t>(engine)];
      core.book(stream, stream.handed.front().index, reason, until - time, time,
                producer);
    }
    void ended(isa::Engine engine, Picoseconds start, Picoseconds lost) {
      Stream &stream = core.streams[static_cast<std::size_t>(engine)];
      const std::uint32_t index = stream.handed.front().index;
      const PlannedOp &op = stream.planned->op(index);
      const Shifts shifts = core.shiftsOfHanded(stream, op, 0);
      core.endLane(stream, index, op, start, lost, shifts);
      stream.shifts.drop(shifts.size());
      stream.handed.pop();
      core.workOff(stream, now);
    }
  };
  ports.step(Book{*this, ports.next()});
}

} // namespace kiln::sim::timing

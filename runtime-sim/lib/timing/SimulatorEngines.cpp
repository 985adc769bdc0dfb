//===- SimulatorEngines.cpp - Instructions of the data paths -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <algorithm>
#include <bit>

namespace kiln::sim::timing {

/// Latest completion that an operand of the head must wait for.
Simulator::Ready Simulator::resultsReady(const Stream &stream,
                                         const PlannedOp &op) const {
  Ready ready;
  const std::size_t live = std::min(stream.flights, flightDepth);
  for (std::size_t i = 0; i < live; ++i) {
    const InFlight &result = stream.flight[i];
    if (result.complete + stream.turnaround <=
        std::max(ready.time, stream.free))
      continue;
    for (const PlannedOperand &operand : stream.planned->operands(op))
      if (operand.reads && overlap(operand.box,
                                   operand.dynamic ? stream.cursor->byteOffset(
                                                         *operand.dynamic) -
                                                         operand.dynamic->offset
                                                   : 0,
                                   result.box, result.shift))
        ready = {result.complete + stream.turnaround,
                 {static_cast<std::uint8_t>(number(stream)), result.index}};
  }
  return ready;
}

/// Books an instruction of the data path and moves the stream on.
void Simulator::occupy(Stream &stream, Picoseconds start, Picoseconds busy,
                       Picoseconds extra, Picoseconds complete) {
  const isa::Instruction &instruction = stream.cursor->head();
  stream.complete = std::max(stream.complete, complete);
  // What runs behind another instruction is busy time only where it is alone.
  const Picoseconds end = start + busy + extra;
  const Picoseconds alone =
      std::max<Picoseconds>(0, end - std::max(start, stream.accounted));
  const Picoseconds throttled = std::min(extra, alone);
  times(stream).busy += alone - throttled;
  book(stream, StallReason::throttle, end - throttled, throttled);
  stream.free = std::max(stream.free, end);
  stream.accounted = std::max(stream.accounted, end);
  stream.starts[stream.issued++ % maxQueueDepth] = start;
  draw(stream, stream, start, end, stream.complete);
  give(instruction.signals, stream.complete + semaphoreTime, tokenOf(stream));
  moveOn(stream);
}

void Simulator::runTensor(Stream &stream, const PlannedOp &op,
                          Picoseconds time) {
  const InstructionCost &cost = op.cost;
  stream.sequencer = time + controlTime;
  idle(stream, StallReason::control, time);
  // A load needs the shadow buffer, a product the cells, and products start
  // in order.
  const std::uint16_t cells = stream.hasTiles ? cost.cells : 1;
  Picoseconds load = time;
  Picoseconds free = stream.lastStart;
  for (unsigned set = cells; set != 0; set &= set - 1) {
    const Stream::Cell &cell =
        stream.cells[static_cast<unsigned>(std::countr_zero(set))];
    load = std::max({load, cell.loadFree, cell.shadowFree});
    free = std::max(free, cell.free);
  }
  const Picoseconds loaded = load + cost.weights;
  // trn3 runs a transpose behind another instruction when it finds one.
  const bool hides = target.pe_background_transpose && cost.transposes &&
                     std::max(loaded, stream.hiddenFree) < free;
  const Picoseconds start = std::max(loaded, hides ? stream.hiddenFree : free);
  idle(stream, StallReason::weights, start);
  const Picoseconds extra = hides ? 0 : warmUp.delay(start, cost.interval);
  const Picoseconds end = start + cost.interval + extra;
  for (unsigned set = cells; set != 0; set &= set - 1) {
    Stream::Cell &cell =
        stream.cells[static_cast<unsigned>(std::countr_zero(set))];
    cell.loadFree = loaded;
    cell.shadowFree = start + cost.shadowFree;
    if (!hides)
      cell.free = end;
  }
  if (hides)
    stream.hiddenFree = end;
  else
    stream.lastStart = start;
  if (options.trace)
    result.events.push_back(
        {weightsTrack, static_cast<std::uint8_t>(number(stream)),
         stream.cursor->index(), load, loaded, load + cost.weightsLatency});
  result.matmulFlops[static_cast<std::size_t>(cost.rate)] += cost.flops;
  result.peTransposes += cost.transposes;
  occupy(stream, start, cost.interval, extra, start + extra + cost.latency);
}

void Simulator::runLane(Stream &stream, const PlannedOp &op, Picoseconds time) {
  const InstructionCost &cost = op.cost;
  stream.sequencer = time + controlTime;
  idle(stream, StallReason::control, time);
  Picoseconds start = std::max(time, stream.free);

  const Ready ready = resultsReady(stream, op);
  idle(stream, StallReason::dependence, ready.time, ready.producer);
  start = std::max(start, ready.time);

  if (cost.table != 0 && cost.table != stream.table) {
    stream.table = cost.table;
    start += nanoseconds(target.activation_table_load_ns);
    idle(stream, StallReason::table, start);
  }
  std::uint16_t wanted = op.ports;
  const auto operands = stream.planned->operands(op);
  const auto shiftOf = [&stream](const PlannedOperand &operand) {
    return operand.dynamic ? stream.cursor->byteOffset(*operand.dynamic) -
                                 operand.dynamic->offset
                           : 0;
  };
  if (op.movesBanks)
    for (const PlannedOperand &operand : operands)
      wanted |= psumBanks(operand.box, shiftOf(operand));
  if (wanted != 0) {
    std::uint16_t blocked = 0;
    start = ports.earliest(stream.engine, wanted, start, cost.lead, cost.stream,
                           blocked);
    const bool oneBank = !target.vector_scalar_psum_exclusive &&
                         (blocked & Ports::allBanks) != 0;
    idle(stream, oneBank ? StallReason::bank : StallReason::port, start);
    ports.hold(stream.engine, wanted, start + cost.lead,
               start + cost.lead + cost.stream);
  }
  const Picoseconds complete = std::max(stream.complete, start + cost.latency);
  for (const PlannedOperand &operand : operands)
    if (operand.writes)
      stream.flight[stream.flights++ % flightDepth] = {
          complete, stream.cursor->index(), operand.box, shiftOf(operand)};
  occupy(stream, start, cost.interval, 0, complete);
}

} // namespace kiln::sim::timing

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

/// An instruction has its place on the data path.
void Simulator::occupy(Stream &stream, std::uint32_t index, Picoseconds start,
                       Picoseconds end, Picoseconds complete) {
  stream.complete = complete;
  stream.free = std::max(stream.free, end);
  stream.accounted = std::max(stream.accounted, end);
  const Token token = tokenOf(stream, index);
  draw(stream, token.producer, start, end, complete);
  give(module.streams[number(stream)][index].signals, complete + semaphoreTime,
       token);
}

void Simulator::runTensor(Stream &stream, const PlannedOp &op,
                          Picoseconds time) {
  const machine::InstructionCost &cost = op.cost;
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
  ++stream.issued;
  stream.starts[stream.begun++ % maxQueueDepth] = start;
  // What runs behind another instruction is busy time only where it is alone.
  const Picoseconds alone =
      std::max<Picoseconds>(0, end - std::max(start, stream.accounted));
  const Picoseconds throttled = std::min(extra, alone);
  const std::uint32_t index = stream.cursor->index();
  times(stream).busy += alone - throttled;
  book(stream, index, StallReason::throttle, end - throttled, throttled);
  occupy(stream, index, start, end,
         std::max(stream.complete, start + extra + cost.latency));
  moveOn(stream);
}

} // namespace kiln::sim::timing

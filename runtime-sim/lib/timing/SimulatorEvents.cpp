//===- SimulatorEvents.cpp - Transfers, tokens, and the end of a run -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include "kiln/isa/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace kiln::sim::timing {

/// Starts a transfer once its descriptors are made.
void Simulator::submit(Stream &stream, const machine::DmaPlan &plan,
                       Picoseconds time, std::uint32_t tag) {
  Picoseconds ready = time + machine::nanoseconds(target.dma_start_ns);
  if (plan.mode == isa::DgeMode::hwdge) {
    stream.generator = time + plan.generation;
  } else if (plan.mode == isa::DgeMode::swdge) {
    // GpSimd software, whoever asks for it.
    Stream &gpsimd = streams[static_cast<std::size_t>(isa::Engine::gpsimd)];
    Handed wanted;
    wanted.kind = Handed::Kind::descriptors;
    wanted.index = gpsimd.cursor->index();
    wanted.time = time;
    wanted.producer = {static_cast<std::uint8_t>(number(stream)),
                       stream.cursor->index()};
    wanted.plan = &plan;
    if (gpsimd.handed.count != 0) {
      wanted.held = dma.hold(time, plan.queue, tag);
      handOn(gpsimd, wanted);
      return;
    }
    ready = describe(gpsimd, wanted);
  }
  dma.submit(time, ready, plan, tag);
}

/// GpSimd makes descriptors; returns when the transfer may start.
Picoseconds Simulator::describe(Stream &gpsimd, const Handed &wanted) {
  const Picoseconds begin = std::max(wanted.time, gpsimd.accounted);
  const Picoseconds end = begin + wanted.plan->generation;
  account(gpsimd, wanted.index, StallReason::descriptor, begin);
  draw(gpsimd, wanted.producer, begin, end, end);
  gpsimd.free = gpsimd.accounted = end;
  times(gpsimd).busy += wanted.plan->generation;
  return begin + machine::nanoseconds(target.dma_start_ns);
}

/// A tag for a transfer of `stream`.
std::uint32_t Simulator::pend(const Stream &stream, std::uint32_t index) {
  if (freePending.empty()) {
    freePending.push_back(static_cast<std::uint32_t>(pending.size()));
    pending.emplace_back();
  }
  const std::uint32_t tag = freePending.back();
  freePending.pop_back();
  pending[tag] = {static_cast<std::uint8_t>(number(stream)), index, 0,
                  std::nullopt};
  return tag;
}

/// Asks for the instructions that the sequencer will need next: a packet on
/// the stream's own ring of one DMA engine after the other.
void Simulator::fetchAhead(Stream &stream) {
  if (!stream.fetch->isActive() || stream.cursor->atEnd())
    return;
  const auto ring = static_cast<unsigned>(isa::dmaQueues + number(stream));
  stream.fetch->enter(
      stream.fetch->blockOf(stream.cursor->index()), [&](std::uint32_t block) {
        machine::DmaPlan plan;
        plan.queue = ring;
        plan.bytes = static_cast<std::uint64_t>(target.dma_packet_bytes);
        plan.hbmRead = plan.bytes;
        Picoseconds &work = plan.work[block % machine::dmaEngines(target)];
        work = machine::nanoseconds(target.dma_packet_bytes /
                                    target.dma_engine_bytes_per_ns);
        plan.hbmBytesPerWork =
            static_cast<double>(plan.bytes) / static_cast<double>(work);
        result.fetchedBytes += plan.bytes;
        dma.submit(stream.sequencer,
                   stream.sequencer + machine::nanoseconds(target.dma_start_ns),
                   plan, pend(stream, block));
      });
}

void Simulator::runDma(Stream &stream, const PlannedOp &op, Picoseconds time) {
  const machine::DmaPlan &plan = stream.planned->dma(op);
  if (plan.mode == isa::DgeMode::hwdge)
    idle(stream, StallReason::descriptor, time);
  idle(stream, StallReason::queue, std::min(time, dma.roomSince(plan.queue)));
  const Ready ready = resultsReady(stream, op, shiftsOfHead(stream, op), time);
  idle(stream, StallReason::dependence, std::max(time, ready.time),
       ready.producer);
  time = std::max(time, ready.time);
  stream.sequencer = time + controlTime;
  if (stream.engine == isa::Engine::sync) {
    draw(stream, tokenOf(stream, stream.cursor->index()).producer, time,
         stream.sequencer, stream.sequencer);
    times(stream).busy += controlTime;
    stream.accounted = stream.sequencer;
  }
  const std::uint32_t tag = pend(stream, stream.cursor->index());
  if (op.kind == OpKind::peers) {
    meet(stream, plan, time, tag);
  } else {
    submit(stream, plan, time, tag);
    countTransfer(plan);
  }
  moveOn(stream);
}

void Simulator::countTransfer(const machine::DmaPlan &plan) {
  ++result.dma.instructions;
  result.dmaBytes += plan.bytes;
  result.hbmReadBytes += plan.hbmRead;
  result.hbmWriteBytes += plan.hbmWritten;
}

void Simulator::stepDma() {
  finished.clear();
  concernsOthers |= dma.step(finished);
  const Picoseconds done = machine::nanoseconds(target.dma_done_ns);
  for (const DmaModel::Done &transfer : finished) {
    const Pending &from = pending[transfer.tag];
    const Picoseconds visible = transfer.end + done;
    freePending.push_back(transfer.tag);
    if (transfer.queue >= isa::dmaQueues) {
      streams[from.stream].fetch->arrived(from.index, visible);
      continue;
    }
    result.makespan = std::max(result.makespan, visible);
    if (options.trace)
      result.events.push_back(
          {static_cast<std::uint8_t>(isa::numEngines + transfer.queue),
           from.stream, from.index,
           from.start ? from.start->time : transfer.start, transfer.end,
           visible});
    Token token;
    token.reason = StallReason::waitDma;
    token.producer = {from.stream, from.index};
    token.way = done;
    if (from.start && from.start->last.core != options.number)
      token.meeting =
          peerWaits.add(from.issued, from.start->time, from.start->last);
    give(module.streams[from.stream][from.index].signals, visible, token);
  }
  // A full queue has room again.
  if (!finished.empty())
    for (Stream &stream : streams)
      if (stream.state == State::blocked)
        estimate(stream);
}

/// Gives tokens that can be acted on at `time`.
void Simulator::give(std::span<const isa::Signal> signals, Picoseconds time,
                     const Token &token) {
  if (signals.empty())
    return;
  for (const isa::Signal &signal : signals) {
    TokenQueue &queue = semaphores[signal.semaphore];
    if (signal.value > 0) {
      Token given = token;
      given.arrival = time;
      given.count = signal.value;
      queue.give(given);
    }
    // Also bounds the memory that tokens nobody takes can need.
    if (queue.count() > 65535 && !error)
      error = isa::Diagnostic{
          "KILN-X204",
          fmt::format("semaphore S{} passes 65535; something signals it that "
                      "nothing waits for",
                      signal.semaphore),
          {},
          0,
          0,
          {}};
  }
  for (Stream &stream : streams)
    if (stream.state == State::blocked)
      estimate(stream);
}

isa::Diagnostic Simulator::fault(const Stream &stream, std::string code,
                                 std::string text) const {
  isa::Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  const auto &instructions = module.streams[number(stream)];
  const std::uint32_t index = stream.cursor->index();
  const std::string core = nameOf(options.id);
  diagnostic.text = fmt::format("{}{}{} stream, instruction {}: {}", core,
                                core.empty() ? "" : " ",
                                isa::name(stream.engine), index, text);
  if (index < instructions.size() &&
      instructions[index].location < module.locations.size()) {
    const isa::SourceLocation &place =
        module.locations[instructions[index].location];
    diagnostic.file = place.file;
    diagnostic.line = place.line;
    diagnostic.column = place.column;
  }
  return diagnostic;
}

isa::Diagnostic Simulator::deadlock() const {
  std::string waits;
  const Stream *first = nullptr;
  for (const Stream &stream : streams) {
    if (stream.state != State::blocked)
      continue;
    if (!first)
      first = &stream;
    if (stream.barrier)
      waits += fmt::format("{}{} at {} waits for the other core",
                           waits.empty() ? "" : "; ", isa::name(stream.engine),
                           stream.cursor->index());
    for (const isa::Wait &wait : stream.cursor->head().waits) {
      const std::uint64_t has = semaphores[wait.semaphore].count();
      if (has >= wait.value)
        continue;
      waits +=
          fmt::format("{}{} at {} ('{}') waits for S{} >= {} and it has {}",
                      waits.empty() ? "" : "; ", isa::name(stream.engine),
                      stream.cursor->index(),
                      isa::printInstruction(stream.cursor->head(), module),
                      wait.semaphore, wait.value, has);
    }
  }
  if (!first)
    first = &streams.front();
  return fault(
      *first, "KILN-X201",
      fmt::format("every stream waits, and nothing is in flight: {}", waits));
}

Picoseconds Simulator::lastTime() const {
  Picoseconds last = result.makespan;
  for (const Stream &stream : streams)
    last = std::max({last, stream.sequencer, stream.free, stream.complete});
  return last;
}

Timing Simulator::finish(Picoseconds makespan) {
  result.makespan = makespan;
  for (Stream &stream : streams) {
    idle(stream, StallReason::control, stream.sequencer);
    idle(stream, StallReason::end, result.makespan);
    EngineTime &time = times(stream);
    for (std::size_t i = 0; i < numStallReasons; ++i)
      if (isSemaphoreWait(static_cast<StallReason>(i)))
        time.stall += time.stalls[i];
    if (time.busy > result.lowerBound) {
      result.lowerBound = time.busy;
      result.boundBy = isa::name(stream.engine);
    }
  }
  result.dma.busy = dma.busiest();
  result.dma.stall = dma.exposed();
  result.hbmBusy = static_cast<Picoseconds>(
      static_cast<double>(result.hbmReadBytes + result.hbmWriteBytes) * 1000 /
      target.hbm_bytes_per_ns);
  if (result.dma.busy > result.lowerBound) {
    result.lowerBound = result.dma.busy;
    result.boundBy = "dma";
  }
  if (result.hbmBusy > result.lowerBound) {
    result.lowerBound = result.hbmBusy;
    result.boundBy = "hbm";
  }
  if (result.boundBy.empty())
    result.boundBy = "none";
  collectStallSites();
  // A total order: equal times come in the same order on every host.
  std::sort(result.events.begin(), result.events.end(),
            [](const TraceEvent &a, const TraceEvent &b) {
              return std::tie(a.start, a.track, a.end, a.engine, a.index) <
                     std::tie(b.start, b.track, b.end, b.engine, b.index);
            });
  std::sort(result.waits.begin(), result.waits.end(),
            [](const TraceWait &a, const TraceWait &b) {
              return std::tie(a.start, a.engine) < std::tie(b.start, b.engine);
            });
  return std::move(result);
}

} // namespace kiln::sim::timing

//===- trace.h - Where the time went --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_TRACE_H
#define KILN_SIM_TRACE_H

#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::sim {

/// The time from the start of the kernel.
using Picoseconds = machine::Picoseconds;
using machine::numProductRates;
using machine::ProductRate;

inline constexpr std::uint8_t weightsTrack = 5 + 16;

/// One instruction or one DMA transfer on its track. The tracks of engines also
/// hold the slots of SyncE's sequencer, and GpSimd's work on descriptors for
/// others.
struct TraceEvent {
  std::uint8_t track = 0;                ///< 0..4: engine; 5 + q: DMA queue q.
  std::uint8_t engine = 0;               ///< Stream that issued it.
  std::uint32_t index = 0;               ///< Instruction index in that stream.
  Picoseconds start = 0;                 ///< Begins to occupy the track.
  Picoseconds end = 0;                   ///< Occupies it no longer.
  Picoseconds visible = 0;               ///< Results visible, signals given.
  std::uint32_t run = ~std::uint32_t{0}; ///< In Timing::runs.
  friend bool operator==(const TraceEvent &, const TraceEvent &) = default;
};

/// Why an engine was not doing useful work. The first six are semaphore waits,
/// by the kind of the producer that gave the last missing token. The part of a
/// wait in which another core had not yet come to a meeting is `waitPeer`.
enum class StallReason : std::uint8_t {
  waitTensor = 0, ///< The five engines keep the order of isa::Engine.
  waitVector,
  waitScalar,
  waitGpsimd,
  waitSync,
  waitDma,
  waitPeer,   ///< Another core or rank that this one meets.
  semaphore,  ///< The latency of the token, and the slots of further waits.
  queue,      ///< The DMA queue was full.
  control,    ///< The sequencer was executing register and loop instructions.
  fetch,      ///< The instruction had not arrived from HBM.
  dependence, ///< The result of an earlier instruction of this engine.
  port,       ///< Another engine used a memory port, or its cycles.
  bank,       ///< Another engine used its cycles of a PSUM bank.
  weights,    ///< A stationary load that no multiplication hides.
  throttle,   ///< TensorE issue rate limited while cold.
  table,      ///< ScalarE loaded another function table.
  descriptor, ///< Descriptor generation for a DMA.
  end,        ///< The stream had finished.
};
inline constexpr std::size_t numStallReasons = 19;
inline constexpr std::array<std::string_view, numStallReasons> stallReasonNames{
    "wait_tensor", "wait_vector", "wait_scalar", "wait_gpsimd", "wait_sync",
    "wait_dma",    "wait_peer",   "semaphore",   "queue",       "control",
    "fetch",       "dependence",  "port",        "bank",        "weights",
    "throttle",    "table",       "descriptor",  "end"};
constexpr bool isSemaphoreWait(StallReason reason) {
  return reason <= StallReason::semaphore;
}

/// The instruction that a wait was for: the one that gave the token, or the one
/// that used the memory port.
struct Producer {
  static constexpr std::uint8_t nobody = 255;
  static constexpr std::uint16_t sameCore = 65535;
  static constexpr std::uint32_t noRun = ~std::uint32_t{0};
  constexpr Producer() = default;
  constexpr Producer(std::uint8_t engine, std::uint32_t index,
                     std::uint16_t core = sameCore, std::uint32_t run = noRun)
      : engine(engine), core(core), index(index), run(run) {}

  std::uint8_t engine = nobody;  ///< Stream that issued it.
  std::uint16_t core = sameCore; ///< Its number in the launch, if another.
  std::uint32_t index = 0;
  /// In a trace, which of its executions: an index of its core's Timing::runs.
  /// Two executions are the same producer.
  std::uint32_t run = noRun;
  friend constexpr bool operator==(const Producer &a, const Producer &b) {
    return a.engine == b.engine && a.core == b.core && a.index == b.index;
  }
};

/// The reason for the order between a waiting instruction and its producer.
enum class WaitKind : std::uint8_t {
  none,   ///< Not for another instruction, or only for a port it uses.
  data,   ///< It reads what the producer wrote.
  buffer, ///< It overwrites what the producer used.
  order,  ///< Neither is seen in their operands.
};
inline constexpr std::array<std::string_view, 4> waitKindNames{
    "none", "data", "buffer", "order"};

/// The total time for which one instruction of a stream kept its engine from
/// working, for one reason and one producer. The sites of an engine and a
/// reason add up to the engine's `stalls`.
struct StallSite {
  std::uint8_t engine = 0;
  StallReason reason = StallReason::end;
  WaitKind kind = WaitKind::none;
  std::uint32_t index = 0; ///< In its stream; its length: after the end.
  Producer producer;
  Picoseconds time = 0;
  std::uint64_t count = 0;
  friend bool operator==(const StallSite &, const StallSite &) = default;
};

/// One stretch of such time. The stretches of an engine do not overlap;
/// together with the events on its track they cover the makespan.
struct TraceWait {
  std::uint8_t engine = 0;
  StallReason reason = StallReason::end;
  WaitKind kind = WaitKind::none;
  std::uint32_t index = 0; ///< As in StallSite.
  Producer producer;
  Picoseconds start = 0;
  Picoseconds end = 0;
  friend bool operator==(const TraceWait &, const TraceWait &) = default;
};

/// One executed instruction. Runs are numbered in the order in which streams
/// acted; those of one stream are in its order.
struct TraceRun {
  std::uint8_t engine = 0; ///< Stream that issued it.
  std::uint32_t index = 0; ///< Instruction index in that stream.
  Picoseconds acted = 0;   ///< Executed, handed on, or triggered.
  Picoseconds freed = 0;   ///< Its stream went on.
  /// The time between the end of all its waits and its start: it loads a
  /// function table.
  Picoseconds lead = 0;
  friend bool operator==(const TraceRun &, const TraceRun &) = default;
};

/// Run `from` lets run `to` act, or start on its data path, at `when` and not
/// before: each token that it took, also if it cost no time. Edges within one
/// stream that follow from its order are not kept.
struct TraceEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  StallReason reason = StallReason::semaphore;
  bool starts = false; ///< It concerns the start, not when it acts.
  Picoseconds when = 0;
  friend bool operator==(const TraceEdge &, const TraceEdge &) = default;
};

/// A link that carries bytes of a collective between cores, such as "chip 0 to
/// chip 1", and the time that they take if nothing else uses it.
struct LinkUse {
  std::string name;
  Picoseconds alone = 0;
  friend bool operator==(const LinkUse &, const LinkUse &) = default;
};

/// A transfer in which this core met others. Its times follow one another.
struct TraceMeeting {
  static constexpr std::size_t mostLinks = 4;
  std::uint8_t engine = 0; ///< Stream that issued it.
  std::uint32_t index = 0; ///< Instruction index in that stream.
  std::uint32_t members = 0;
  std::size_t last = 0;     ///< The last to come: its number in the launch.
  std::string algorithm;    ///< Such as "halving" or "ring, then ring".
  Picoseconds came = 0;     ///< This core took part.
  Picoseconds complete = 0; ///< The last one did.
  Picoseconds launched = 0; ///< Its launch was over.
  Picoseconds carried = 0;  ///< The links had carried all bytes.
  Picoseconds ready = 0;    ///< With the hops: what is left are own transfers.
  std::uint64_t bytes = 0;  ///< Those that this core gets.
  /// The part that its own DMA engines move, and how long each one works.
  std::uint64_t hbmRead = 0, hbmWritten = 0;
  std::array<Picoseconds, machine::maxDmaEngines> work{};
  std::vector<LinkUse> links; ///< The busiest of all members.
  friend bool operator==(const TraceMeeting &, const TraceMeeting &) = default;
};

/// For an engine, `busy` plus all of `stalls` is exactly the makespan.
struct EngineTime {
  /// Occupied by instructions at the engine's nominal rate. SyncE has no data
  /// path: its sequencer's issue slots count.
  Picoseconds busy = 0;
  Picoseconds stall = 0; ///< The part of `stalls` due to semaphores.
  std::uint64_t instructions = 0;
  std::array<Picoseconds, numStallReasons> stalls{};
  friend bool operator==(const EngineTime &, const EngineTime &) = default;
};

/// The least time, in any order, of the transfers in which a core met others;
/// all 0 if it met none.
struct MeetingBound {
  std::uint64_t count = 0;  ///< Such transfers.
  Picoseconds longest = 0;  ///< The longest one alone, with launch and hops.
  Picoseconds links = 0;    ///< All bytes on one link, with one launch and end.
  Picoseconds linkBusy = 0; ///< The bytes alone, on the busiest link.
  std::string link;         ///< Its name.
  friend bool operator==(const MeetingBound &, const MeetingBound &) = default;
};

/// The makespan is no less than `time` because of one resource: "tensor" to
/// "sync", "dma", "hbm", "links", or "collective", the longest one alone.
struct ResourceBound {
  std::string_view name;
  Picoseconds time = 0;
  friend bool operator==(const ResourceBound &,
                         const ResourceBound &) = default;
};

struct Timing {
  Picoseconds makespan = 0;
  Picoseconds lowerBound = 0;        ///< The longest of `bounds`.
  std::string boundBy;               ///< Its name, or "none".
  std::vector<ResourceBound> bounds; ///< For all resources.
  MeetingBound meetingBound;
  std::array<EngineTime, isa::numEngines> engines{};
  /// busy: the busiest of the DMA engines; stall: time in which transfers had
  /// been triggered but none moved data; instructions: transfers.
  EngineTime dma;
  /// The time that each DMA engine worked: transfers, register loads and parts
  /// of collectives.
  std::array<Picoseconds, machine::maxDmaEngines> dmaWork{};
  Picoseconds hbmBusy = 0; ///< HBM bytes over the bandwidth of the stack.
  std::uint64_t hbmReadBytes = 0;
  std::uint64_t hbmWriteBytes = 0;
  std::uint64_t dmaBytes = 0; ///< Bytes written by all transfers.
  /// This core's equal part of what its collectives pass between chips of a
  /// node, and out of nodes.
  std::uint64_t linkBytes = 0, nodeBytes = 0;
  /// Collectives whose tables had not been read, so that full buffers were
  /// assumed. The makespan is then an upper bound.
  std::uint64_t fullBuffersAssumed = 0;
  /// 2·K·M·N over the matrix products that ran, without transposes, by
  /// ProductRate.
  std::array<std::uint64_t, numProductRates> matmulFlops{};
  std::uint64_t peTransposes = 0;    ///< TensorE instructions that transposed.
  std::uint64_t fetchedBytes = 0;    ///< Instructions, over the DMA engines.
  std::vector<StallSite> stallSites; ///< Longest first.
  /// How often each opcode ran; indexed by opcode number.
  std::vector<std::uint64_t> instructionsByOpcode;
  /// How often each instruction ran, by stream and index.
  std::array<std::vector<std::uint64_t>, isa::numEngines> executions;
  std::vector<TraceEvent> events; ///< Only if asked for; in order of `start`.
  std::vector<TraceWait> waits;   ///< The same.
  std::vector<TraceRun> runs;     ///< Only if asked for.
  /// The same: by how many bytes registers moved on-chip operands; run by run,
  /// and in the order of each instruction's operands, those with terms only.
  std::vector<std::int32_t> moves;
  std::vector<TraceEdge> edges; ///< The same; in no order.
  /// The same; those of an instruction are in its order.
  std::vector<TraceMeeting> meetings;

  std::uint64_t instructions() const {
    std::uint64_t sum = 0;
    for (const EngineTime &engine : engines)
      sum += engine.instructions;
    return sum;
  }
  friend bool operator==(const Timing &, const Timing &) = default;
};

} // namespace kiln::sim

#endif // KILN_SIM_TRACE_H

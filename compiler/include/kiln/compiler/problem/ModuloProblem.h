//===- ModuloProblem.h - A loop body that overlaps itself -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Software pipelining of one loop body: modulo scheduling (Rau, "Iterative
// Modulo Scheduling", MICRO 1994) with in-order engine streams, DMA engines and
// memory ports as resources, and with buffers whose number of copies is part of
// the answer. Iteration i of operation `o` starts at start[o] + i * interval.
//
// A flat schedule is longer than the interval: start / interval is the stage of
// an operation. The order in which operations of one engine start, modulo the
// interval, is the order of its stream.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEM_MODULOPROBLEM_H
#define KILN_COMPILER_PROBLEM_MODULOPROBLEM_H

#include "kiln/compiler/problem/Common.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::problems {

/// One instruction of the body. It issues in the stream of `engine`. A transfer
/// occupies that stream for `issue` only, and the DMA engines for `work`.
struct ModuloOperation {
  std::string name; ///< For people; no spaces.
  isa::Engine engine = isa::Engine::sync;
  std::int64_t issue = 0; ///< ps until its stream can start the next one.
  /// Transfers: ps for which they take all DMA engines together. Other
  /// instructions take none.
  std::int64_t work = 0;
  /// The largest gets the earliest places.
  std::int64_t urgency = 0;
};

/// `to` of iteration i + distance starts no earlier than `latency` ps after the
/// start of `from` of iteration i.
struct ModuloEdge {
  std::uint32_t from = 0, to = 0;
  std::int64_t latency = 0;
  std::uint32_t distance = 0;
  /// Between engines or from a transfer: the latency may turn out longer than
  /// predicted, so a margin is added to it.
  bool spreads = false;
};

/// Memory that each iteration has a copy of. A copy is taken when the first of
/// its users that write starts, and is free again when the last user has
/// released it.
struct ModuloBuffer {
  struct User {
    std::uint32_t operation = 0;
    bool writes = false;
    std::int64_t release = 0; ///< ps from its start to its end.
    /// The access writes, and also needs the value that is there, such as an
    /// update in place.
    bool alsoReads = false;
  };
  std::string name;
  isa::Space space = isa::Space::sbuf;
  std::int64_t bytes = 0;   ///< Per partition and copy; PSUM: whole banks.
  std::vector<User> users;  ///< In source order; the first one writes.
  std::uint32_t copies = 0; ///< Fixed by the program; 0 = part of the answer.
  /// This many copies share `bytes`; further copies need more.
  std::uint32_t shared = 1;
  /// An earlier buffer. If each has one copy, both lie in that one's bytes
  /// where the room is too small otherwise.
  std::optional<std::uint32_t> beside;

  /// Bytes per partition that `number` copies take.
  std::int64_t taken(std::uint32_t number) const {
    return number > 0 && number <= shared ? bytes : bytes * number;
  }
};

struct ModuloProblem {
  std::vector<ModuloOperation> operations; ///< In source order.
  std::vector<ModuloEdge> edges;
  std::vector<ModuloBuffer> buffers;
  /// Bytes per partition for all copies of all buffers.
  std::int64_t sbufRoom = 0, psumRoom = 0;

  std::int64_t room(isa::Space space) const {
    return space == isa::Space::psum ? psumRoom : sbufRoom;
  }
  /// Bytes per partition for so many copies of each buffer.
  std::int64_t taken(isa::Space space,
                     const std::vector<std::uint32_t> &copies) const;
  /// Whether buffers that may lie beside others do.
  bool laysBeside(const std::vector<std::uint32_t> &copies) const;
  /// The fault of the instance, if it has one.
  Problem check() const;
};

/// Iterations q * unroll + u of operation o start at
/// start[u * operations + o] + q * interval.
struct ModuloSolution {
  std::uint32_t unroll = 1;
  std::int64_t interval = 0; ///< ps for `unroll` iterations.
  std::vector<std::int64_t> start;
  std::vector<std::uint32_t> copies; ///< Per buffer; 1 or more.

  /// Intervals from the first start of an iteration to its last one.
  std::int64_t stages() const {
    return start.empty()
               ? 0
               : *std::max_element(start.begin(), start.end()) / interval + 1;
  }
  /// Iterations that have begun and not ended, at most.
  std::int64_t depth() const { return stages() * unroll; }
  /// ps per iteration.
  double perIteration() const { return static_cast<double>(interval) / unroll; }
};

/// Intervals that no schedule beats, and what forces them.
struct ModuloBounds {
  std::array<std::int64_t, isa::numEngines> streams{};
  std::int64_t transfers = 0; ///< All DMA engines busy.
  std::int64_t recurrence = 0;
  std::vector<std::uint32_t> cycle; ///< Edges of a worst recurrence, in order.

  std::int64_t resource() const;
  std::int64_t bound() const { return std::max(resource(), recurrence); }
};
ModuloBounds moduloBounds(const ModuloProblem &problem);

/// Transfers share the DMA engines and may be this late, in ps, if any margin
/// is wanted.
inline constexpr std::int64_t transferMargin = 1'000'000;

/// Limits of the solver. They count steps, not time, so the answer is the same
/// on every computer.
struct ModuloOptions {
  std::uint32_t unroll = 1;
  std::int64_t margin = 0; ///< ps added to every edge that spreads.
  /// The smallest interval tried; 0 = the bound.
  std::int64_t leastInterval = 0;
  /// Number of trips for which solveModuloRobustly() minimises the time,
  /// filling and draining included; 0 = very many.
  std::uint32_t trips = 0;
  /// solveModuloRobustly() prefers schedules of at most this depth, and takes
  /// none of more than the other; 0 = any.
  std::int64_t usualDepth = 0, mostDepth = 0;
  /// The start times are used, not only their order: so they are no more than
  /// 1/64 further apart than they have to be, and buffers in SBUF get one copy
  /// more than they ask for, where there is room.
  bool isTimed = false;
  /// How often an interval is raised at most: by 1/128 of the bound the first
  /// 16 times, then by 1/32.
  unsigned raises = 48;
  /// The largest interval tried; 0 = what the raises lead to.
  std::int64_t mostInterval = 0;
  /// Orders of placement tried at each interval; 0 = fewer, the larger the
  /// problem.
  unsigned attempts = 0;
  /// Placements per operation and interval, ejected ones included.
  unsigned placements = 6;
};

/// Iterative modulo scheduling. Nothing if no interval within reach can be
/// scheduled.
std::optional<ModuloSolution> solveModulo(const ModuloProblem &problem,
                                          const ModuloOptions &options);

/// A schedule without slack runs as predicted only if every latency does. This
/// tries different margins, with intervals at most 1/16 longer than the
/// shortest (see isTimed), and returns the schedule that is fastest in a replay
/// with longer latencies.
std::optional<ModuloSolution> solveModuloRobustly(const ModuloProblem &problem,
                                                  ModuloOptions options);

/// No overlap beyond that of the decoupled streams: the order that list
/// scheduling finds for one iteration, with `copies` of each buffer, whether
/// they fit or not. Its times are only places in that order; the replay gives
/// its duration.
ModuloSolution listModulo(const ModuloProblem &problem, std::uint32_t copies);

/// Independent of the solver: dependences, streams, DMA engines, and the room
/// for copies.
Problem verify(const ModuloProblem &problem, const ModuloSolution &solution);

/// Simulates `trips` iterations in the order of the schedule on memory that
/// holds, in each copy of a buffer, the iteration that took it: only a write
/// may take it, every later user of the iteration must find its own iteration
/// there, and every dependence must find its source earlier. Independent of the
/// times.
Problem verifyDataFlow(const ModuloProblem &problem,
                       const ModuloSolution &solution, std::uint32_t trips);

/// One execution of an operation.
struct ModuloInstance {
  std::uint32_t operation = 0;
  std::uint32_t iteration = 0;
};
/// All executions of iterations `first` to `end` - 1, in the order in which
/// they start.
std::vector<ModuloInstance> moduloOrder(const ModuloSolution &solution,
                                        std::uint32_t operations,
                                        std::uint32_t first, std::uint32_t end);

/// In some iterations, another engine runs an operation. The problem says what
/// both take on average, and has an operation that keeps time free in the
/// stream of the other one.
struct ModuloTurns {
  std::uint32_t operation = 0, placeholder = 0;
  isa::Engine other = isa::Engine::sync;
  std::int64_t own = 0, others = 0; ///< ps that it takes on each.
  /// The other engine runs so many of `period` iterations, evenly spread.
  std::int64_t count = 0, period = 1;
  /// 0: the first iteration is among them; 1: it is the last one before they
  /// repeat. While a loop fills, nothing else keeps the operation's own engine
  /// busy, and nothing does while it drains.
  std::int64_t shift = 0;

  bool isOthers(std::uint32_t iteration) const {
    return (iteration + shift) % period * count % period < count;
  }
};

/// The replay of an order on decoupled in-order streams.
struct ModuloReport {
  double interval = 0;       ///< ps per iteration, in the steady state.
  std::int64_t makespan = 0; ///< ps for `trips` iterations.
  /// When each operation of one iteration of the steady state started.
  std::vector<std::int64_t> start;
};
ModuloReport replayModulo(const ModuloProblem &problem,
                          const ModuloSolution &solution, std::uint32_t trips,
                          const std::vector<ModuloTurns> &turns = {});

/// The same problem with latencies as long as they may turn out.
ModuloProblem delayed(ModuloProblem problem);

std::string print(const ModuloProblem &problem);
Parsed<ModuloProblem> parseModuloProblem(std::string_view text);
std::string print(const ModuloProblem &problem, const ModuloSolution &solution);

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEM_MODULOPROBLEM_H

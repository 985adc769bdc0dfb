//===- OrderProblem.h - The order in which a block runs -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resource-constrained scheduling of one block, a loop body or straight-line
// code, as list scheduling solves it (Graham, "Bounds on Multiprocessing Timing
// Anomalies", SIAM J. Appl. Math. 1969; Gibbons and Muchnick, "Efficient
// Instruction Scheduling for a Pipelined Architecture", SIGPLAN 1986).
//
// The solution is one order of the whole block. Each engine's stream is a
// projection of it, so a legal order is a permutation that respects the edges
// of distance 0. The streams are decoupled: `replayOrder` simulates them
// against each other, to find how the machine executes the order.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEM_ORDERPROBLEM_H
#define KILN_COMPILER_PROBLEM_ORDERPROBLEM_H

#include "kiln/compiler/problem/Common.h"
#include "kiln/machine/warm_up.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::problems {

/// One operation. It issues in the stream of `engine`; a DMA (`queue` >= 0)
/// holds that stream for `issue` only and then its queue for `occupancy`.
struct OrderOperation {
  isa::Engine engine = isa::Engine::sync;
  std::int32_t queue = -1;    ///< DMA queue, or -1.
  std::int64_t issue = 0;     ///< ps in the issuing stream; DMA only.
  std::int64_t occupancy = 0; ///< ps for which the engine or queue is busy.
  std::int64_t latency = 0;   ///< ps from start until the result is usable.
  /// ps for which a DMA keeps the engines of all queues busy. In a straight
  /// line, transfers share them: the one that starts first is moved first.
  std::int64_t moving = 0;
  /// When it is meant to start, where software pipelining said so: ps on an
  /// axis that all of them share.
  std::optional<std::int64_t> start = std::nullopt;
  /// Among those that could start, the largest starts first.
  std::int64_t urgency = 0;

  ExecutionStream execution() const { return executionStream(engine, queue); }
  friend bool operator==(const OrderOperation &,
                         const OrderOperation &) = default;
};

/// `to` of iteration i + distance starts no earlier than `latency` ps after
/// the start of `from` of iteration i.
struct OrderEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t latency = 0;
  std::uint32_t distance = 0; ///< Iterations; 0 within one.
  friend bool operator==(const OrderEdge &, const OrderEdge &) = default;
};

/// On-chip memory that is in use from its first user to its last.
struct OrderBuffer {
  isa::Space space = isa::Space::sbuf;
  std::int64_t bytes = 0;           ///< Per partition, with all copies.
  std::vector<std::uint32_t> users; ///< Operations; ascending.
  /// It takes room there, too: an index into OrderProblem::scopeRooms.
  std::optional<std::uint32_t> scope = std::nullopt;
  friend bool operator==(const OrderBuffer &, const OrderBuffer &) = default;
};

struct OrderProblem {
  bool loop = false;      ///< The block is repeated; edges may be carried.
  std::int64_t trips = 0; ///< Trip count; 0 = unknown.
  machine::WarmUpRule warmUp;
  std::vector<OrderBuffer> buffers;
  /// Bytes per partition that they may use at once; 0 = any number.
  std::int64_t sbufRoom = 0, psumRoom = 0;
  /// The same for parts of a memory that some buffers have to lie in.
  std::vector<std::int64_t> scopeRooms;
  /// In source order, which breaks ties and is itself legal.
  std::vector<OrderOperation> operations;
  std::vector<OrderEdge> edges;

  /// Some operations are more urgent than others.
  bool hasUrgencies() const;

  std::int64_t room(isa::Space space) const {
    return space == isa::Space::psum ? psumRoom : sbufRoom;
  }
  /// The fault of the instance, if it has one: an index out of range, a
  /// carried edge outside a loop, a distance-0 edge against source order.
  Problem check() const;
  friend bool operator==(const OrderProblem &, const OrderProblem &) = default;
};

struct OrderSolution {
  std::vector<std::uint32_t> order; ///< A permutation of the operations.
};

/// ps per iteration (a loop) or in total (straight line) that no order beats.
struct OrderBounds {
  std::int64_t resource = 0;   ///< The busiest engine or queue.
  std::int64_t recurrence = 0; ///< The worst cycle: latency over distance.
  std::int64_t path = 0;       ///< Longest chain within one iteration.
  std::uint32_t busiest = 0;   ///< ExecutionStream of `resource`.
};
OrderBounds orderBounds(const OrderProblem &problem);

/// How the decoupled in-order streams run an order.
struct OrderReport {
  std::int64_t makespan = 0; ///< ps for one iteration on an idle machine.
  std::int64_t interval = 0; ///< ps per iteration in the steady state.
};

/// Simulates the order. The solution must verify.
OrderReport replayOrder(const OrderProblem &problem,
                        const OrderSolution &solution);

/// Independent of the solver: checks that it is a permutation that respects
/// every edge.
Problem verify(const OrderProblem &problem, const OrderSolution &solution);

/// Bytes per partition by which the buffers exceed their room, over both
/// memories.
std::int64_t excessBytes(const OrderProblem &problem,
                         const OrderSolution &solution);

/// The source order.
OrderSolution solveOrderAsWritten(const OrderProblem &problem);

/// The order of the given start times. An operation without one starts when its
/// inputs are ready.
OrderSolution solveOrderAsTimed(const OrderProblem &problem);

/// The order of the start times, if any is given. Otherwise list scheduling by
/// urgency, then by critical path or by place in the source; what an operation
/// waits for in the same iteration is as urgent as it is. A replay compares the
/// variants and, if all are as urgent, the order of the source, for the first
/// iteration and all others together. Returns the fastest order that fits its
/// room; if none fits, the one that exceeds its room least. O(n log n),
/// deterministic.
OrderSolution solveOrder(const OrderProblem &problem);

std::string print(const OrderProblem &problem);
Parsed<OrderProblem> parseOrderProblem(std::string_view text);

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEM_ORDERPROBLEM_H

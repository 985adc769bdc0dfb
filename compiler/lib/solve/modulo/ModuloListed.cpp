//===- ModuloListed.cpp - List scheduling of a loop body ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The baseline for a modulo schedule: the body in the best order that list
// scheduling finds, one iteration after the other in every stream.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/solve/ModuloSolver.h"

namespace kiln::problems {
namespace {

/// Dependences over more iterations are left out: the streams do not run that
/// far apart, and the order solver keeps a record of each iteration between.
constexpr std::uint32_t mostIterations = 16;

/// The same body for the order solver.
OrderProblem orderProblem(const ModuloProblem &problem,
                          const std::vector<std::uint32_t> &copies) {
  OrderProblem order;
  order.loop = true;
  for (const ModuloOperation &operation : problem.operations) {
    OrderOperation made;
    made.engine = operation.engine;
    made.issue = operation.issue;
    made.occupancy = std::max(operation.issue, operation.work);
    made.latency = made.occupancy;
    made.queue = operation.work > 0 ? 0 : -1;
    made.urgency = operation.urgency;
    order.operations.push_back(made);
  }
  for (const ModuloEdge &edge : problem.edges)
    if (edge.distance <= mostIterations)
      order.edges.push_back({edge.from, edge.to, edge.latency, edge.distance});
  for (std::size_t b = 0; b < problem.buffers.size(); ++b)
    for (const ModuloBuffer::User &user : problem.buffers[b].users)
      for (const ModuloBuffer::User &writer : problem.buffers[b].users)
        if (writer.writes)
          order.edges.push_back(
              {user.operation, writer.operation, user.release, copies[b]});
  return order;
}

} // namespace

ModuloSolution ModuloSolver::list(const ModuloProblem &problem,
                                  std::uint32_t copies) {
  ModuloSolution solution;
  for (const ModuloBuffer &buffer : problem.buffers)
    solution.copies.push_back(buffer.copies ? buffer.copies : copies);
  const OrderSolution order =
      orders.solve(orderProblem(problem, solution.copies));
  solution.interval = static_cast<std::int64_t>(order.order.size());
  solution.start.resize(order.order.size());
  for (std::size_t place = 0; place < order.order.size(); ++place)
    solution.start[order.order[place]] = static_cast<std::int64_t>(place);
  return solution;
}

ModuloSolution listModulo(const ModuloProblem &problem, std::uint32_t copies) {
  return ModuloSolver().list(problem, copies);
}

} // namespace kiln::problems

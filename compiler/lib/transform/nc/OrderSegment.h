//===- OrderSegment.h - Instructions that are ordered together -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ORDERSEGMENT_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ORDERSEGMENT_H

#include "AttachedSchedule.h"

#include "kiln/compiler/dialect/nc/Cost.h"
#include "kiln/compiler/solve/OrderSolver.h"
#include "kiln/compiler/transform/nc/ByteAccesses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <memory>

namespace kiln::compiler::nc {

/// By label: those of the operations that it comes after.
using EarlierLabels = llvm::DenseMap<int64_t, llvm::SmallVector<int64_t, 2>>;

/// Operands in the whole kernel, by buffer, counted on demand.
class UseCounts {
public:
  size_t of(mlir::Value buffer) {
    auto [known, isNew] = counts.try_emplace(buffer, 0);
    if (isNew)
      for (mlir::Operation *view : buffer.getUsers())
        known->second += static_cast<size_t>(llvm::range_size(view->getUses()));
    return known->second;
  }

private:
  llvm::DenseMap<mlir::Value, size_t> counts;
};

/// One run of instructions without a loop between them.
class Segment {
public:
  Segment(Costs &costs, mlir::scf::ForOp loop, const EarlierLabels &edges,
          UseCounts &uses, const PinnedSpaces &spaces,
          problems::OrderSolver &solver, unsigned aheadPercent);

  llvm::LogicalResult add(NcInstruction op);

  /// Solves and permutes; `anchor` is the operation behind the segment.
  llvm::LogicalResult apply(mlir::Operation *anchor);

  /// The order that a schedule gives, where it keeps all dependences.
  llvm::LogicalResult apply(mlir::Operation *anchor,
                            const AttachedSchedule &attached,
                            const schedule::Loop &section);

  size_t size() const { return ops.size(); }

  /// Times of another software-pipelined loop mean nothing beside those of the
  /// one that is here already; nor is there PSUM for the buffers of both, or
  /// for others that the loop has left no room for.
  bool admits(NcInstruction op, bool isGiven) const;

private:
  static bool needsOtherPsum(NcInstruction op);

  void note(const problems::OrderSolution &solution) const;

  void addBuffers();

  void keepPromises(NcInstruction op, uint32_t index, isa::Engine engine);

  void chain(std::optional<uint32_t> &last, uint32_t index);

  void addEdge(uint32_t from, uint32_t to, int64_t latency, uint32_t distance);

  int64_t delay(const problems::ByteAccess &from,
                const problems::ByteAccess &access, uint32_t to);

  void addAccess(uint32_t index, const MemoryAccess &access);

  void waitForBanks(uint32_t index, mlir::Value base);

  void addCarriedEdges();

  struct Buffer {
    llvm::SmallVector<uint32_t, 4> users;
  };
  /// Memory that no other place shares.
  struct Place {
    problems::AccessHistory history;
    AddressFamilies families;
    /// In a loop: what its next iteration meets.
    std::vector<std::pair<mlir::Value, problems::ByteAccess>> accesses;
  };

  Costs &costs;
  const isa::Target &target;
  mlir::scf::ForOp loop;
  const EarlierLabels &edges;
  UseCounts &uses;
  const PinnedSpaces &spaces;
  problems::OrderSolver &solver;
  unsigned aheadPercent; ///< Of SBUF.
  problems::OrderProblem problem;
  llvm::SmallVector<NcInstruction> ops;
  llvm::MapVector<mlir::Value, Buffer> buffers;
  llvm::MapVector<mlir::Value, std::unique_ptr<Place>> places;
  std::array<std::optional<uint32_t>, isa::numEngines> lastAccumulator;
  struct Fence {
    std::optional<uint32_t> last;
    llvm::SmallVector<uint32_t> since;
  };
  std::array<Fence, isa::numEngines> fences;
  std::optional<int64_t> pipelined; ///< The loop whose times are here.
  bool needsPsum = false; ///< That no pipelined loop has left room for.
  std::optional<uint32_t> lastTokens;
  std::optional<uint32_t> lastMeeting; ///< With another core or rank.
  llvm::DenseMap<int64_t, std::optional<uint32_t>> lastOrdered; ///< By scope.
  llvm::DenseMap<int64_t, llvm::SmallVector<uint32_t, 1>> labelled;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ORDERSEGMENT_H

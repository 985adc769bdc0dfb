//===- LoopProblemBuilder.h - Describes a loop body -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_LOOPPROBLEMBUILDER_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_LOOPPROBLEMBUILDER_H

#include "LoopProblem.h"

#include "kiln/compiler/dialect/nc/MemoryScopes.h"

#include "llvm/ADT/MapVector.h"

#include <array>
#include <optional>
#include <vector>

namespace kiln::compiler::nc {

/// Iterations that are examined one by one for common bytes. Beyond them the
/// accesses count as meeting, which is always right.
inline constexpr uint32_t iterationsCompared = 4096;

/// Goes through the instructions of a body, then through the memory that they
/// have in common (LoopDependences.cpp), then through buffers
/// (LoopBuffers.cpp).
class LoopProblemBuilder {
public:
  LoopProblemBuilder(mlir::scf::ForOp loop, Costs &costs,
                     const PinnedSpaces &spaces, LoopPurpose purpose)
      : loop(loop), costs(costs), target(costs.target()), spaces(spaces),
        describes(purpose == LoopPurpose::describe),
        trips(constantTrips(loop).value_or(iterationsCompared + 1)) {}

  /// False, with the reason, if the loop stays as it is.
  bool collect(std::string &why);

  LoopProblem build();

private:
  struct Access {
    mlir::Value base;
    problems::ByteAccess bytes;
  };
  struct Place {
    AddressFamilies families;
    std::vector<Access> accesses; ///< In source order.
  };
  struct Times {
    machine::InstructionTimes times;
    isa::Engine engine = isa::Engine::sync;
    bool isTransfer = false;
  };

  static bool keepsItsPlace(mlir::Operation &op);

  static bool decline(std::string &why, llvm::StringRef reason);

  bool isLocal(mlir::Value base) const;

  void add(NcInstruction op);

  bool sharesState();

  int64_t delay(uint32_t from, uint32_t to, bool flows) const;

  void addEdge(uint32_t from, uint32_t to, int64_t latency, uint32_t distance);

  void connect(Place &place);

  void separateReaders(const Place &place);

  static bool shareBank(const Access &first, const Access &second);

  static std::optional<uint32_t> within(const problems::ByteAccess &first,
                                        const problems::ByteAccess &second);

  std::optional<uint32_t> meeting(const AddressFamilies &families,
                                  const problems::ByteAccess &first,
                                  const problems::ByteAccess &second,
                                  uint32_t least) const;

  void addTurns();

  void closeChains();

  int64_t roomBeside(isa::Space space) const;

  int64_t roomWithin(isa::Space space,
                     const std::optional<MemoryLimit> &limit) const;

  int64_t bytesOf(AllocOp alloc) const;

  static bool livesAcross(AllocOp alloc, mlir::Operation &inner, bool isAlone);

  bool sharesBank(AllocOp alloc) const;

  void addBuffers();

  void pairSmall();

  mutable mlir::scf::ForOp loop;
  Costs &costs;
  const isa::Target &target;
  const PinnedSpaces &spaces;
  bool describes;
  uint64_t trips;
  std::vector<Times> times; ///< By operation.
  llvm::MapVector<mlir::Value, Place> places;
  std::array<std::vector<uint32_t>, isa::numEngines> chains;
  std::optional<bool> continues; ///< Accumulators, from one use to the next.
  LoopProblem result;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_LOOPPROBLEMBUILDER_H

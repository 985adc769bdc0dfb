//===- LoopResources.h - What an iteration occupies -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_LOOPRESOURCES_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_LOOPRESOURCES_H

#include "kiln/compiler/dialect/nc/Cost.h"
#include "kiln/compiler/schedule_report.h"

namespace kiln::compiler::nc {

ScheduleReport::Place placeOf(mlir::Operation *op);
/// Its name, engine and place.
ScheduleReport::Operation operationOf(NcInstruction op);
/// Longest first; equal ones stay in their order.
void sortUsers(ScheduleReport::Resource &resource);
void sortResources(std::vector<ScheduleReport::Resource> &resources);

/// The engines, the DMA engines, HBM and memory ports that one iteration of a
/// loop occupies. Inner loops count with all their iterations, and not at all
/// if their number is unknown: bounds must hold.
class LoopResources {
public:
  LoopResources(mlir::scf::ForOp loop, Costs &costs);

  /// Divided by the `iterations` of one trip.
  std::vector<ScheduleReport::Resource> list(double iterations) const;
  const std::vector<std::string> &notes() const { return remarksOnIt; }

private:
  void addBlock(mlir::Block &block, uint64_t times, Costs &costs);
  void add(NcInstruction op, uint64_t times, Costs &costs);
  void addPorts(NcInstruction op, const BuiltInstruction &instruction,
                isa::Engine engine, double times, Costs &costs);
  void charge(const ScheduleReport::ResourceName &name, NcInstruction op,
              double time, uint64_t times);
  void note(std::string text);

  std::vector<ScheduleReport::Resource> resources; ///< As first used.
  std::vector<std::string> remarksOnIt;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_LOOPRESOURCES_H

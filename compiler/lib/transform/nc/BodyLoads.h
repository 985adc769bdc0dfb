//===- BodyLoads.h - How busy a body keeps each engine -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_BODYLOADS_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_BODYLOADS_H

#include "EngineBalance.h"

#include "kiln/compiler/dialect/nc/Cost.h"
#include "kiln/compiler/dialect/nc/Nc.h"

#include <array>
#include <vector>

namespace kiln::compiler::nc {

/// The bound by resources of the instructions of a body, whose engines may not
/// be chosen yet and are balanced. Times are in ps an iteration.
class BodyLoads {
public:
  explicit BodyLoads(Costs &costs) : costs(&costs) {}

  /// What an instruction adds. It is valid after the instruction is erased.
  struct Part {
    /// Engines that may run it. None: it is a transfer, or takes no time.
    EngineChoice choice;
    isa::Engine queue = isa::Engine::sync; ///< Of a transfer.
    double issue = 0, work = 0;            ///< Of a transfer.
  };
  Part measure(NcInstruction op) const;
  void add(const Part &part);
  void add(NcInstruction op) { add(measure(op)); }

  /// Of the engine that is busiest.
  double busiestEngine() const { return balanced().busiest(); }
  /// Of the DMA engines, or of the stream that issues most to them.
  double transfers() const;
  double busiest() const { return std::max(busiestEngine(), transfers()); }
  /// With what VectorE and GpSimd wait for each other.
  double busiestWithWaits() const {
    return std::max(balanced().busiestWithWaits(), transfers());
  }

private:
  EngineLoads balanced() const;

  Costs *costs;
  EngineLoads fixed;                           ///< Without transfers.
  std::array<double, isa::numEngines> issue{}; ///< Of transfers.
  std::vector<EngineChoice> choices;
  double work = 0; ///< Of the DMA engines.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_BODYLOADS_H

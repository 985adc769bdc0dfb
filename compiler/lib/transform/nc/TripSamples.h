//===- TripSamples.h - How often a loop in a loop runs --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_TRIPSAMPLES_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_TRIPSAMPLES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstdint>
#include <vector>

namespace kiln::compiler::nc {

/// On what nc-pipeline-loops leaves of a loop that runs any number of times: it
/// is short.
inline constexpr llvm::StringLiteral remainderAttrName = "nc.remainder";

/// The trip counts of a loop whose bounds follow from the counters of the loops
/// around it, at some of their iterations, spread evenly; one, if it is
/// constant. Empty if a register or a rank decides.
std::vector<uint64_t> sampledTrips(mlir::scf::ForOp loop);

/// Their mean, rounded down; 0 if there are none.
uint64_t meanTrips(const std::vector<uint64_t> &samples);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_TRIPSAMPLES_H

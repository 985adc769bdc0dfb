//===- SplitTransfers.h - Which stream issues a transfer ------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_SPLITTRANSFERS_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_SPLITTRANSFERS_H

#include "EngineBalance.h"

#include "kiln/compiler/dialect/nc/Nc.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::compiler::nc {

/// A transfer for which the user chose no stream, and how long it keeps those
/// that may issue it, in ps.
struct SharedTransfer {
  NcInstruction op;
  double onSync = 0, onScalar = 0;
  double onGpsimd = 0; ///< Of a store.
  /// What the busiest DMA engine works for it.
  double moves = 0;
};

/// Sync and scalar each have a generator of descriptors. Where those of sync
/// keep a loop longer than whatever else it does, scalar issues some of its
/// loads. `loads` are in the order of the body; `busy` is what all of it takes,
/// and stays true.
void splitLoads(mlir::scf::ForOp loop, llvm::ArrayRef<SharedTransfer> loads,
                EngineLoads &busy);

/// Where descriptors of GpSimd keep a loop longer than whatever else it does,
/// sync and scalar issue some of the stores that GpSimd would.
void splitStores(mlir::scf::ForOp loop, llvm::ArrayRef<SharedTransfer> stores,
                 EngineLoads &busy);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_SPLITTRANSFERS_H

//===- dma_shares.h - What each DMA engine moves of a transfer ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_DMASHARES_H
#define KILN_MACHINE_DMASHARES_H

#include "kiln/machine/dma_plan.h"

namespace kiln::machine {

/// The share of a transfer's bytes that each DMA engine moves. The shares add
/// up to 1. An engine that only signals its part of the token has 0.
std::array<double, maxDmaEngines>
dmaShares(const isa::Body &body, isa::Engine engine, const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_MACHINE_DMASHARES_H

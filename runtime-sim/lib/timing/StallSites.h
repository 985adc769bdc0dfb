//===- StallSites.h - What an instruction waited for ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_STALLSITES_H
#define KILN_SIM_LIB_TIMING_STALLSITES_H

#include "PlannedStream.h"

namespace kiln::sim::timing {

/// Finds what the wait at `site` protects and, if that shows it, sets the
/// producer to the instruction that really produced what is waited for.
/// `streams` are those of the core, by engine, after the run. What instruction
/// `consumer` may take from instruction `producer` before the module runs:
/// data, if it can be that; else a buffer; else nothing but order. Operands
/// that registers move may be anywhere in their memory.
WaitKind leastRelation(const PlannedStream &from, std::uint32_t producer,
                       const PlannedStream &to, std::uint32_t consumer);

void explain(StallSite &site, std::span<const PlannedStream> streams);

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_STALLSITES_H

//===- Meanings.h - What each instruction computes --------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each record of the instruction set that an engine's data
// path executes; the list is generated. A record without a meaning does not
// link.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_MEANINGS_H
#define KILN_SIM_LIB_FUNCTION_MEANINGS_H

#include "Lanes.h"

namespace kiln::sim {

#define KILN_DECLARE_MEANING(Instruction)                                      \
  Outcome run(Lanes &lanes, const isa::Instruction &op);
KILN_ISA_ENGINE_INSTRUCTIONS(KILN_DECLARE_MEANING)
#undef KILN_DECLARE_MEANING

/// Executes an engine instruction whose registers `cursor` holds, or the lanes
/// of it in `range`. `serial` counts what the engine executed before.
Outcome execute(Lanes &lanes, const isa::Body &body, isa::Engine engine,
                const StreamCursor &cursor, std::uint64_t serial,
                LaneRange range = {});

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_MEANINGS_H

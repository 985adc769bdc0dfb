//===- render.h - A profile as JSON, table, trace and page ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_RENDER_H
#define KILN_PROFILE_RENDER_H

#include "kiln/sim/profile.h"

#include <string>

namespace kiln::profile {

/// The keys of `kiln profile --json`; docs/timing.md lists them.
std::string toJson(const sim::ProfileReport &report);

/// A table for the terminal, ends with a newline. Lines fit 100 columns.
std::string toTable(const sim::ProfileReport &report);

/// Chrome trace-event JSON: one track an engine and a DMA queue, and one for
/// the loads of stationary operands. Needs a
/// timing that was run with `trace`.
std::string toTrace(const isa::Module &module, const sim::Timing &timing,
                    const isa::Target &target);

/// A page without outside references: the table and a timeline to zoom.
std::string toHtml(const isa::Module &module, const sim::Timing &timing,
                   const sim::ProfileReport &report);

} // namespace kiln::profile

#endif // KILN_PROFILE_RENDER_H

//===- target_overrides.h - Machine parameters from a file ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TARGET_OVERRIDES_H
#define KILN_ISA_TARGET_OVERRIDES_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/target.h"

namespace kiln::isa {

/// Replaces parameters of `target` with those in `text`: one flat JSON object
/// (`{"dma_start_ns": 600, "has_hwdge": true}`) or `name = value` lines, where
/// `#` starts a comment. Unknown names and bad values are errors, and leave
/// `target` unchanged. `fileName` is used only in messages.
std::optional<Diagnostic> applyOverrides(Target &target, std::string_view text,
                                         std::string_view fileName);

/// `name = value` lines that applyOverrides reads, with units, origins and
/// sources as comments.
std::string printParameters(const Target &target);

} // namespace kiln::isa

#endif // KILN_ISA_TARGET_OVERRIDES_H

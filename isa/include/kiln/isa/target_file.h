//===- target_file.h - Machine parameters from a file -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters are lines `name = value`, where `#` starts a comment, or one flat
// JSON object (`{"dma_start_ns": 600, "has_hwdge": true}`). A file for a whole
// target also has `base`, the generation whose instruction set and other
// parameters it inherits, and may have `name`.
//
// Errors are KILN-I060: an unknown name, a value out of range, or a target for
// which no binary can be made. `fileName` is only for messages.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TARGET_FILE_H
#define KILN_ISA_TARGET_FILE_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

namespace kiln::isa {

/// Replaces parameters of `target` by those in `text`. After an error, `target`
/// is unchanged.
std::optional<Diagnostic> applyOverrides(Target &target, std::string_view text,
                                         std::string_view fileName);

/// A whole target. Without `name` in the text it is called like its base.
Expected<Target> parseTarget(std::string_view text, std::string_view fileName);

/// `name = value` lines with units, origins and sources as comments: an input
/// for applyOverrides.
std::string printParameters(const Target &target);

/// The parameters that differ from the generation's own, as `name = value` in
/// one line: an input for applyOverrides. "" if none does.
std::string changesOf(const Target &target);

/// "trn2", or "trn3 with dma_engines = 8" where something differs.
std::string describeTarget(const Target &target);

/// The target that a module was made for: its generation, and its facts
/// "target" and "target.changes". noteTarget() writes these.
Expected<Target> targetOf(const Module &module);
void noteTarget(Module &module, const Target &target);

} // namespace kiln::isa

#endif // KILN_ISA_TARGET_FILE_H

//===- Calls.h - The language's call of an instruction --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TBLGEN_CALLS_H
#define KILN_ISA_TBLGEN_CALLS_H

#include "Records.h"

namespace kiln::tblgen {

/// What a user writes: `nc::name(dst, data, {.option = default, .engine})`.
std::string callText(const InstructionRecord &record);

} // namespace kiln::tblgen

#endif // KILN_ISA_TBLGEN_CALLS_H

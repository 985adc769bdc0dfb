//===- WorkKind.h - What an instruction is good for -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_WORKKIND_H
#define KILN_PROFILE_LIB_WORKKIND_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

#include <string_view>

namespace kiln::profile {

/// "matmul", "transpose", "move", "elementwise", "activation", "reduction",
/// "dma_in", "dma_out", "dma_local", "collective", "control" or "other". A
/// transfer that writes HBM is "dma_out", also if it reads it.
std::string_view workKindOf(const isa::Instruction &instruction,
                            isa::Engine engine, const isa::Target &target);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_WORKKIND_H

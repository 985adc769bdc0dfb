//===- hardware_flops.h - What TensorE computes ----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_HARDWAREFLOPS_H
#define KILN_MACHINE_HARDWAREFLOPS_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

#include <cstdint>

namespace kiln::machine {

/// Of a product, InstructionCost::flops; of a transpose, those of the product
/// with an identity; 0 for everything that is not TensorE's own work.
std::uint64_t hardwareFlops(const isa::Instruction &instruction,
                            isa::Engine engine, const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_MACHINE_HARDWAREFLOPS_H

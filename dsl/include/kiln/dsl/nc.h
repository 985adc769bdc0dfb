//===- nc.h - The instruction level: one call, one instruction ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The destination comes first. Operands have the names and the order of the
// instruction manual; those with a default take designated initialisers:
//
//   nc::activation(dst, ActivationFunction::exp, data, {.bias = b});
//
// Operands are buffers, tiles and views; DMA takes HBM views too. A tile that
// is written becomes a variable. An INDEXED_index operand holds the positions
// that INDEXED gathers from or scatters to. Registers are in nc_registers.h,
// semaphores in nc_semaphores.h. A call returns the instruction, to which
// order.h attaches waits, signals and order.
//
// The calls are generated from the instruction records (isa/td): one per
// record, with the operands, defaults and words of the manual.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_H
#define KILN_DSL_NC_H

#include "kiln/dsl/nc_call.h"

namespace kiln {
namespace nc {

#include "kiln/isa/Calls.h.inc"

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_H

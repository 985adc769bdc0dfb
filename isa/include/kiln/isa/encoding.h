//===- encoding.h - Instructions as bytes ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/encoding.md describes the layout. Every instruction has exactly one
// encoding, so equal programs give equal bytes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_ENCODING_H
#define KILN_ISA_ENCODING_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/instruction.h"

#include <span>

namespace kiln::isa {

/// Appends the encoding of `instruction`, a multiple of four bytes.
void encode(const Instruction &instruction, std::vector<std::uint8_t> &out);

/// Decodes the instruction at the front of `bytes` and moves `bytes` past it.
/// Total: any input gives an instruction or an error.
Expected<Instruction> decode(std::span<const std::uint8_t> &bytes);

} // namespace kiln::isa

#endif // KILN_ISA_ENCODING_H

//===- container.h - The .kbin file ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .kbin is an ELF file that the usual tools open. docs/encoding.md describes
// its sections. Equal modules give equal bytes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_CONTAINER_H
#define KILN_ISA_CONTAINER_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"

#include <span>

namespace kiln::isa {

/// Incremented whenever a reader of the previous version would misread a file.
inline constexpr std::uint32_t kbinVersion = 2;
/// For a file with the two cores of a rank; a single-core reader rejects it.
inline constexpr std::uint32_t kbinCoresVersion = 3;

std::vector<std::uint8_t> writeKbin(const Module &module);

/// One or two modules, in core order. A single module gives the file above.
std::vector<std::uint8_t> writeKbin(std::span<const Module> cores);

/// The module in `bytes`, which passes checkModule, or the reason why it is
/// rejected. Uses no more memory than a small multiple of the size of `bytes`.
Expected<Module> readKbin(std::span<const std::uint8_t> bytes);

/// All modules of a file for one core or two; they pass checkCores.
Expected<std::vector<Module>>
readKbinCores(std::span<const std::uint8_t> bytes);

} // namespace kiln::isa

#endif // KILN_ISA_CONTAINER_H

//===- PsumShare.h - How much PSUM results of products may take -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_TILE_PSUMSHARE_H
#define KILN_COMPILER_DIALECT_TILE_PSUMSHARE_H

#include "kiln/isa/access.h"

namespace kiln::compiler::tile {

/// Banks that results waiting in PSUM, or the products of a sum, take at the
/// same time: the other half is for the next ones while these are read.
inline constexpr int64_t banksOfSum = isa::psumBanks / 2;

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_DIALECT_TILE_PSUMSHARE_H

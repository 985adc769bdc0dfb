//===- SharedBanks.h - Banks that one loop leaves to the next -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_SHAREDBANKS_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_SHAREDBANKS_H

#include "kiln/compiler/dialect/nc/Nc.h"

namespace kiln::compiler::nc {

/// On buffers in PSUM of loops of which one fills while the other drains: the
/// first bank.
inline constexpr llvm::StringLiteral bankAttrName = "nc.bank";
std::optional<int64_t> bankOf(AllocOp alloc);

/// Both have banks, and one of them is the same.
bool haveCommonBank(AllocOp a, AllocOp b);

/// A buffer in PSUM of a software-pipelined loop. Times are in ps.
struct BankUse {
  AllocOp alloc;
  int64_t from = 0;  ///< Its first use, from the start of the loop.
  int64_t until = 0; ///< When it is free, on the axis of the loop's end.

  int64_t banks() const;
};

/// Gives all of them their banks (`nc.bank`), so that a loop which uses
/// `wanted` may fill while one that uses `held` drains: from `begin` on the
/// axis of the latter's end, or as much later as is returned. What is held may
/// have its banks already. Nothing, and no bank is given, if there are not
/// enough.
std::optional<int64_t> shareBanks(llvm::ArrayRef<BankUse> held,
                                  llvm::ArrayRef<BankUse> wanted,
                                  int64_t begin);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_SHAREDBANKS_H

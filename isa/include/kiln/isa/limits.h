//===- limits.h - What a module may hold ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of the container, not of a machine: the language refuses what
// exceeds them while recording, the module's checks when it is read.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIMITS_H
#define KILN_ISA_LIMITS_H

#include <cstddef>
#include <cstdint>

namespace kiln::isa {

/// Five dimensions are what an HBM access pattern can walk over, but views
/// may reshape: more are only suspicious when they are absurd.
inline constexpr std::size_t maxTensorRank = 16;

/// Bytes of one tensor: 1 TiB, far above the memory of any generation.
inline constexpr std::uint64_t maxTensorBytes = std::uint64_t{1} << 40;

/// What one wait takes, one signal gives and a semaphore holds at most.
inline constexpr std::int64_t maxTokens = 65535;

/// The last semaphores are the programmer's: the compiler makes its own tokens
/// of the others, so the two never mix.
inline constexpr std::size_t userSemaphores = 32;

} // namespace kiln::isa

#endif // KILN_ISA_LIMITS_H

//===- limits.h - What a module may hold ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of the container, not of a machine. The language enforces them while
// recording, the module's checks when a module is read.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIMITS_H
#define KILN_ISA_LIMITS_H

#include <cstddef>
#include <cstdint>

namespace kiln::isa {

/// An HBM access pattern has at most five dimensions, but views may reshape, so
/// only an absurdly high rank is an error.
inline constexpr std::size_t maxTensorRank = 16;

/// Bytes of one tensor: 1 TiB, far above the memory of any generation.
inline constexpr std::uint64_t maxTensorBytes = std::uint64_t{1} << 40;

/// The most tokens that one wait takes, one signal adds or a semaphore holds.
inline constexpr std::int64_t maxTokens = 65535;

/// The last semaphores belong to the programmer. The compiler uses the others
/// for its own tokens, so the two never mix.
inline constexpr std::size_t userSemaphores = 32;

} // namespace kiln::isa

#endif // KILN_ISA_LIMITS_H

//===- OrderDigest.h - A digest of what ran, in order -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_ORDERDIGEST_H
#define KILN_SIM_LIB_SCHEDULE_ORDERDIGEST_H

#include "kiln/isa/split_mix.h"

namespace kiln::sim {

/// The digest of a sequence, with one more event behind it.
constexpr std::uint64_t noteInOrder(std::uint64_t digest, std::uint64_t event) {
  std::uint64_t state = digest ^ event * 0xd6e8feb86659fd93u;
  return isa::splitMix(state);
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_ORDERDIGEST_H

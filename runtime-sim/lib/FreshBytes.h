//===- FreshBytes.h - On-chip memory that nothing has written ---*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FRESHBYTES_H
#define KILN_SIM_LIB_FRESHBYTES_H

#include "LargePages.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln::sim {

/// Bytes that are all 0xff, which every float type reads as NaN.
///
/// A lazy one takes host memory for the pages that are written: its pages map
/// one small file of 0xff, copied on write, so that many cores cost what they
/// use. Where the host cannot do that it is an ordinary vector.
class FreshBytes {
public:
  static constexpr std::uint8_t fresh = 0xff;

  FreshBytes(std::size_t bytes, bool lazy);
  ~FreshBytes();
  FreshBytes(const FreshBytes &) = delete;
  FreshBytes &operator=(const FreshBytes &) = delete;

  std::uint8_t *data() { return address; }
  bool isLazy() const { return mappedBytes != 0; }
  /// Releases what was written; reading it is a mistake from now on. Only a
  /// lazy one releases memory.
  void release();

private:
  bool map(std::size_t bytes);

  std::uint8_t *address = nullptr;
  std::size_t mappedBytes = 0;
  std::vector<std::uint8_t, LargePages<std::uint8_t>> plain;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FRESHBYTES_H

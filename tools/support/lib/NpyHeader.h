//===- NpyHeader.h - The header of a .npy file ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_NPYHEADER_H
#define KILN_TOOL_NPYHEADER_H

#include "kiln/tool/npy.h"

namespace kiln::tool {

struct NpyHeader {
  NpyType type;
  bool bigEndian = false;
  bool fortranOrder = false;
  std::vector<std::int64_t> shape; ///< Its size in bytes fits in 63 bits.
  std::size_t dataOffset = 0;
};

/// Failure KILN-T010 (not a .npy file), KILN-T011 (bad header) or KILN-T013
/// (an element type we do not read).
NpyHeader parseNpyHeader(std::span<const std::uint8_t> file,
                         const std::string &fileName);

} // namespace kiln::tool

#endif // KILN_TOOL_NPYHEADER_H

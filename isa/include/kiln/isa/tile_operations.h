//===- tile_operations.h - Which operation of a line it was ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line such as `exp(load(x)) + 1` becomes several tile operations. The fact
// "operations" of its module names the operation of a location: "5:exp 8:load".
// Two locations may differ only in their operation.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TILE_OPERATIONS_H
#define KILN_ISA_TILE_OPERATIONS_H

#include "kiln/isa/module.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kiln::isa {

inline constexpr const char *tileOperationsFact = "operations";

class TileOperations {
public:
  /// Reads the module's table and leaves out invalid entries.
  explicit TileOperations(const Module &module);

  /// "exp", "add", "load", ...; empty if it is not known.
  const std::string &of(std::uint32_t location) const;

private:
  std::map<std::uint32_t, std::string> names;
};

/// Adds to the fact that `location` is of operation `name`, a word.
void noteTileOperation(Module &module, std::uint32_t location,
                       std::string_view name);

} // namespace kiln::isa

#endif // KILN_ISA_TILE_OPERATIONS_H

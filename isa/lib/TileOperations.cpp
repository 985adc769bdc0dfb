//===- TileOperations.cpp - Which operation of a line it was --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/tile_operations.h"

#include "NumberedFact.h"

namespace kiln::isa {

TileOperations::TileOperations(const Module &module) {
  eachOfFact(module, tileOperationsFact,
             [&](std::uint32_t location, std::string_view text) {
               names[location] = text;
             });
}

const std::string &TileOperations::of(std::uint32_t location) const {
  static const std::string unknown;
  const auto found = names.find(location);
  return found == names.end() ? unknown : found->second;
}

void noteTileOperation(Module &module, std::uint32_t location,
                       std::string_view name) {
  addToFact(module, tileOperationsFact, location, name);
}

} // namespace kiln::isa

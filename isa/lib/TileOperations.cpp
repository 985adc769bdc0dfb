//===- TileOperations.cpp - Which operation of a line it was --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/tile_operations.h"

#include <charconv>

namespace kiln::isa {

TileOperations::TileOperations(const Module &module) {
  const auto fact = module.facts.find(tileOperationsFact);
  if (fact == module.facts.end())
    return;
  std::string_view rest = fact->second;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(' '));
    rest.remove_prefix(entry.size());
    rest.remove_prefix(rest.empty() ? 0 : 1);
    std::uint32_t location = 0;
    const char *const end = entry.data() + entry.size();
    const auto number = std::from_chars(entry.data(), end, location);
    if (number.ec == std::errc{} && number.ptr != end && *number.ptr == ':' &&
        location != 0 && location < module.locations.size())
      names[location].assign(number.ptr + 1, end);
  }
}

const std::string &TileOperations::of(std::uint32_t location) const {
  static const std::string unknown;
  const auto found = names.find(location);
  return found == names.end() ? unknown : found->second;
}

void noteTileOperation(Module &module, std::uint32_t location,
                       std::string_view name) {
  std::string &fact = module.facts[tileOperationsFact];
  if (!fact.empty())
    fact += ' ';
  fact += std::to_string(location) + ':';
  fact += name;
}

} // namespace kiln::isa

//===- Callers.cpp - The calls that lead to a place of the source ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/callers.h"

#include <charconv>
#include <string>

namespace kiln::isa {

Callers::Callers(const Module &module) {
  const auto fact = module.facts.find(callersFact);
  if (fact == module.facts.end())
    return;
  const char *at = fact->second.data();
  const char *const end = at + fact->second.size();
  while (at != end) {
    std::uint32_t location = 0, caller = 0;
    const auto first = std::from_chars(at, end, location);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ':')
      return;
    const auto second = std::from_chars(first.ptr + 1, end, caller);
    if (second.ec != std::errc{})
      return;
    // A chain of lower numbers ends.
    if (caller != 0 && caller < location && location < module.locations.size())
      callers[location] = caller;
    at = second.ptr;
    while (at != end && *at == ' ')
      ++at;
  }
}

std::vector<std::uint32_t> Callers::of(std::uint32_t location) const {
  std::vector<std::uint32_t> calls;
  for (auto found = callers.find(location); found != callers.end();
       found = callers.find(found->second))
    calls.push_back(found->second);
  return calls;
}

void noteCaller(Module &module, std::uint32_t location, std::uint32_t caller) {
  std::string &fact = module.facts[callersFact];
  if (!fact.empty())
    fact += ' ';
  fact += std::to_string(location) + ':' + std::to_string(caller);
}

void tellCalls(const Module &module, std::uint32_t location,
               Diagnostic &diagnostic) {
  for (const std::uint32_t call : Callers(module).of(location))
    diagnostic.parties.push_back({"called here", "",
                                  module.locations[call].file,
                                  module.locations[call].line});
}

} // namespace kiln::isa

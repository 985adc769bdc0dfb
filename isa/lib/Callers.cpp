//===- Callers.cpp - The calls that lead to a place of the source ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/callers.h"

#include "NumberedFact.h"

namespace kiln::isa {

Callers::Callers(const Module &module) {
  eachOfFact(module, callersFact,
             [&](std::uint32_t location, std::string_view text) {
               std::uint32_t caller = 0;
               std::from_chars(text.data(), text.data() + text.size(), caller);
               // A chain of lower numbers ends.
               if (caller != 0 && caller < location)
                 callers[location] = caller;
             });
}

std::vector<std::uint32_t> Callers::of(std::uint32_t location) const {
  std::vector<std::uint32_t> calls;
  for (auto found = callers.find(location); found != callers.end();
       found = callers.find(found->second))
    calls.push_back(found->second);
  return calls;
}

void noteCaller(Module &module, std::uint32_t location, std::uint32_t caller) {
  addToFact(module, callersFact, location, std::to_string(caller));
}

void tellCalls(const Module &module, std::uint32_t location,
               Diagnostic &diagnostic) {
  for (const std::uint32_t call : Callers(module).of(location))
    diagnostic.parties.push_back({"called here", "",
                                  module.locations[call].file,
                                  module.locations[call].line});
}

} // namespace kiln::isa

//===- NumberedFact.h - Facts such as "5:exp 8:load" ----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_NUMBEREDFACT_H
#define KILN_ISA_LIB_NUMBEREDFACT_H

#include "kiln/isa/module.h"

#include <charconv>
#include <string>
#include <string_view>

namespace kiln::isa {

/// Calls `visit(location, text)` for each entry of a fact that says something
/// about locations. What names none is left out.
template <class Visit>
void eachOfFact(const Module &module, const char *name, Visit visit) {
  const auto fact = module.facts.find(name);
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
      visit(location, std::string_view(number.ptr + 1, end));
  }
}

inline void addToFact(Module &module, const char *name, std::uint32_t location,
                      std::string_view text) {
  std::string &fact = module.facts[name];
  if (!fact.empty())
    fact += ' ';
  fact += std::to_string(location) + ':';
  fact += text;
}

} // namespace kiln::isa

#endif // KILN_ISA_LIB_NUMBEREDFACT_H

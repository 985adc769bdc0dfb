//===- scopes.h - The open scopes of a place as one text -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SourceLocation::scopes is the path of open scopes and loop names, outermost
// first, joined by '/'. In a name, '/', '\' and '#' have a '\' before them; '#'
// is 'h' then, since locations of the IR divide their parts with it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_SCOPES_H
#define KILN_ISA_SCOPES_H

#include <string>
#include <string_view>
#include <vector>

namespace kiln::isa {

/// Adds a scope inside the others.
inline void appendScope(std::string &scopes, std::string_view name) {
  if (!scopes.empty())
    scopes += '/';
  for (const char c : name) {
    if (c == '/' || c == '\\' || c == '#')
      scopes += '\\';
    scopes += c == '#' ? 'h' : c;
  }
}

/// The names, outermost first.
inline std::vector<std::string> splitScopes(std::string_view scopes) {
  std::vector<std::string> names;
  if (scopes.empty())
    return names;
  names.emplace_back();
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (scopes[i] == '/')
      names.emplace_back();
    else if (scopes[i] == '\\' && i + 1 < scopes.size())
      names.back() += scopes[++i] == 'h' ? '#' : scopes[i];
    else
      names.back() += scopes[i];
  }
  return names;
}

/// For readers: the names as they were given, with " > " between them where one
/// has a '/' itself.
inline std::string scopesText(std::string_view scopes) {
  if (scopes.find('\\') == std::string_view::npos)
    return std::string(scopes);
  std::string text;
  for (const std::string &name : splitScopes(scopes))
    text += (text.empty() ? "" : " > ") + name;
  return text;
}

} // namespace kiln::isa

#endif // KILN_ISA_SCOPES_H

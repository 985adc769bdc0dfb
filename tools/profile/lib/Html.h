//===- Html.h - A page from its template ------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_HTML_H
#define KILN_PROFILE_LIB_HTML_H

#include <map>
#include <string>
#include <string_view>

namespace kiln::profile {

/// The replacements of `{{name}}`, by name.
using PageTexts = std::map<std::string_view, std::string_view>;

/// A template of tools/report with these texts, the title, and the files that
/// it names: {{page.css}}.
std::string pageFrom(std::string_view page, std::string_view title,
                     PageTexts texts);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_HTML_H

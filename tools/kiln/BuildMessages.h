//===- BuildMessages.h - What a C++ compiler says of a kernel ---*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_BUILDMESSAGES_H
#define KILN_TOOLS_KILN_BUILDMESSAGES_H

#include "kiln/isa/diagnostic.h"

#include <string>
#include <string_view>

namespace kiln::tool {

/// KILN-T030 with `text`. Each message in `output` that has a line and a column
/// is a party. The first one in `source` gives the place: if a template of Kiln
/// rejects the code, that is the line that uses the template.
isa::Diagnostic rejectedBy(std::string text, std::string_view output,
                           std::string_view source);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_BUILDMESSAGES_H

//===- ProfileDocument.h - What ran, and what the compiler did --*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_PROFILEDOCUMENT_H
#define KILN_TOOLS_KILN_PROFILEDOCUMENT_H

#include "ModuleInput.h"

#include "kiln/profile/document.h"

#include <cstdint>
#include <string>

namespace kiln::tool {

/// That line of a source file without the blanks around it; empty if the file
/// is not found.
std::string sourceLine(const std::string &file, std::uint32_t line);

/// The version, the command, the source files of the kernel where they are
/// found, and what the compiler did.
profile::Document describe(const ModuleInput &input, const CommandLine &line);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_PROFILEDOCUMENT_H

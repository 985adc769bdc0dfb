//===- ModuleFile.h - Modules from and to files -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_MODULEFILE_H
#define KILN_TOOLS_KILN_MODULEFILE_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/tool/failure.h"

#include <span>
#include <string>
#include <vector>

namespace kiln::tool {

/// A library's error about `fileName` as a Failure.
Failure failureOf(const isa::Diagnostic &diagnostic,
                  const std::string &fileName);

/// The checked modules in a .kbin file, for one core or two.
std::vector<isa::Module> loadKbinCores(const std::string &path);

void saveKbin(const std::string &path, std::span<const isa::Module> cores);

/// True for a name that ends in `.kbin`.
bool isKbinName(const std::string &name);

/// The target called `name`, or a usage Failure that lists them.
isa::Target targetNamed(const std::string &name);

/// What a module from `path` was compiled for.
isa::Target targetOfBinary(const isa::Module &module, const std::string &path);

/// One line for the user: kernel, target, instructions, size.
std::string describe(const isa::Module &module);
std::string describe(std::span<const isa::Module> cores);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_MODULEFILE_H

//===- ModuleFile.cpp - Modules from and to files -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleFile.h"

#include "kiln/isa/container.h"
#include "kiln/isa/noun.h"
#include "kiln/isa/target_file.h"
#include "kiln/tool/command_line.h"
#include "kiln/tool/files.h"

namespace kiln::tool {

Failure failureOf(const isa::Diagnostic &diagnostic,
                  const std::string &fileName) {
  // A place in a text comes with its own file:line:column and caret.
  if (diagnostic.line != 0)
    return Failure({diagnostic}, diagnostic.str());
  isa::Diagnostic named = diagnostic;
  named.text = "'" + fileName + "': " + named.text;
  return Failure(std::move(named));
}

std::vector<isa::Module> loadKbinCores(const std::string &path) {
  auto modules = isa::readKbinCores(readFile(path));
  if (!modules)
    throw failureOf(modules.error(), path);
  return std::move(*modules);
}

void saveKbin(const std::string &path, std::span<const isa::Module> cores) {
  writeFile(path, isa::writeKbin(cores));
}

bool isKbinName(const std::string &name) { return name.ends_with(".kbin"); }

isa::Target targetNamed(const std::string &name) {
  if (std::optional<isa::Target> target = isa::findTarget(name))
    return *target;
  if (std::error_code none; std::filesystem::exists(name, none)) {
    isa::Expected<isa::Target> target =
        isa::parseTarget(readTextFile(name), name);
    if (!target)
      throw failureOf(target.error(), name);
    return *target;
  }
  const std::vector<std::string> known{"trn1", "trn2", "trn3"};
  throw Failure("KILN-T021",
                "unknown target '<|" + name + "|>'; Kiln knows [|" +
                    std::string(isa::targetNames) +
                    "|], and there is no file of that name" +
                    suggestion(name, known),
                usageError);
}

isa::Target targetOfBinary(const isa::Module &module, const std::string &path) {
  isa::Expected<isa::Target> target = isa::targetOf(module);
  if (!target)
    throw failureOf(target.error(), path);
  return *target;
}

std::string describe(const isa::Module &module) {
  std::size_t instructions = 0;
  for (const std::vector<isa::Instruction> &stream : module.streams)
    instructions += stream.size();
  return module.kernel + " for " +
         std::string(targetOfBinary(module, module.kernel).name) + ", " +
         isa::counted(instructions, "instruction") + ", " +
         isa::counted(module.tensors.size(), "tensor");
}

std::string describe(std::span<const isa::Module> cores) {
  return describe(cores.front()) + (cores.size() > 1 ? ", and core 1" : "");
}

} // namespace kiln::tool

//===- List.cpp - kiln list: kernels and their parameters ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Crash.h"
#include "KernelLoader.h"

#include "kiln/isa/kind_names.h"
#include "kiln/tool/npy.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iostream>

namespace kiln::tool {
namespace {

std::string padded(const std::string &text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

/// The distribution of random values of the argument, if it is not the default.
std::string randomText(const KernelArgument &argument) {
  if (argument.deviation == 1)
    return "";
  return absl::StrCat("  random: deviation ", argument.deviation);
}

void printKernel(const KernelEntry &kernel) {
  enterPhase("describing '" + std::string(kernel.name) + "'", true);
  std::cout << kernel.name << ": " << kernel.summary() << "\n";
  std::vector<KernelParameter> parameters = kernel.parameters();
  std::size_t width = 0;
  for (const KernelParameter &parameter : parameters)
    width = std::max(width, parameter.name.size() + parameter.type.size() +
                                parameter.defaultValue.size());
  for (const KernelParameter &parameter : parameters) {
    std::string left = "--" + parameter.name + "=" + parameter.defaultValue +
                       "  (" + parameter.type + ")";
    std::cout << "  " << padded(left, width + 9) << parameter.doc;
    if (!parameter.tunable.empty())
      std::cout << " (tunable: " << absl::StrJoin(parameter.tunable, ", ")
                << ")";
    std::cout << "\n";
  }
  for (const KernelArgument &argument : kernel.arguments({}))
    std::cout << "  " << isa::shortName(argument.kind) << " " << argument.name
              << ": " << isa::name(argument.dtype)
              << formatShape(argument.shape) << randomText(argument) << "\n";
}

int runList(const CommandLine &line) {
  std::vector<const KernelEntry *> kernels;
  if (line.arguments.empty())
    kernels = libraryKernels();
  for (const std::string &word : line.arguments)
    for (const KernelEntry *kernel :
         matchingKernels(word, {.useCache = !line.has("--no-cache")}))
      kernels.push_back(kernel);

  bool first = true;
  for (const KernelEntry *kernel : kernels) {
    if (line.has("--names")) {
      std::cout << kernel->name << "\n";
      continue;
    }
    std::cout << (first ? "" : "\n");
    try {
      printKernel(*kernel);
    } catch (const RecordError &error) {
      throw failureOf(error);
    }
    first = false;
  }
  return success;
}

} // namespace

const Command listCommand{
    {"list",
     "[KERNEL|FILE...]",
     "shows kernels, their parameters and their tensors",
     "Without arguments, it lists the library. A FILE is a .cpp or a .so.",
     {{"--names", "", "print only names, one per line"},
      {"--no-cache", "", "compile .cpp files again, even if they are cached"}},
     false,
     0,
     100},
    runList};

} // namespace kiln::tool

//===- KernelLoader.cpp - KERNEL on the command line, found -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLoader.h"

#include "Crash.h"
#include "KernelBuild.h"
#include "StatementLines.h"

#include "kiln/isa/noun.h"
#include "kiln/tool/files.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <dlfcn.h>
#include <filesystem>

namespace kiln::tool {
namespace {

struct FileAndName {
  std::string file;
  std::string name; ///< Empty: whatever the file holds.
};

bool isSourceName(const std::string &file) {
  for (const char *suffix : {".cpp", ".cc", ".cxx", ".C"})
    if (file.ends_with(suffix))
      return true;
  return false;
}

bool isFileName(const std::string &text) {
  return isSourceName(text) || text.ends_with(".so");
}

FileAndName splitKernel(const std::string &kernel) {
  std::size_t colon = kernel.rfind(':');
  if (colon != std::string::npos && isFileName(kernel.substr(0, colon)))
    return {kernel.substr(0, colon), kernel.substr(colon + 1)};
  return {kernel, ""};
}

std::vector<std::string>
namesOf(const std::vector<const KernelEntry *> &kernels) {
  std::vector<std::string> names;
  for (const KernelEntry *kernel : kernels)
    names.push_back(kernel->name);
  return names;
}

/// Some of the names, those that hold `wanted` first.
std::string listed(std::vector<std::string> names, const std::string &wanted) {
  constexpr std::size_t most = 8;
  const std::size_t count = names.size();
  std::stable_partition(names.begin(), names.end(),
                        [&](const std::string &name) {
                          return name.find(wanted) != std::string::npos;
                        });
  names.resize(std::min(count, most));
  std::string text = absl::StrJoin(names, ", ");
  if (count > most)
    absl::StrAppend(&text, " and ", isa::counted(count - most, "other"));
  return text;
}

std::vector<const KernelEntry *> entries(const KernelTable &table) {
  std::vector<const KernelEntry *> result;
  for (const KernelEntry *entry = table.first; entry; entry = entry->next)
    result.push_back(entry);
  return result;
}

} // namespace

BuildOptions buildOptions(const CommandLine &line) {
  BuildOptions options{.useCache = !line.has("--no-cache"),
                       .computes = line.has("--reference"),
                       .type = ""};
  for (const auto &[name, value] : line.parameters)
    if (name == "dtype")
      options.type = value;
  return options;
}

Failure failureOf(const RecordError &error) {
  isa::Diagnostic diagnostic{error.code, error.message, error.file, error.line};
  diagnostic.found = error.found;
  diagnostic.allowed = error.allowed;
  diagnostic.fix = error.fix;
  std::string text = error.file.empty() ? "kiln: " : "";
  text += error.what();
  if (const auto *helper = dynamic_cast<const HelperError *>(&error))
    for (const program::CallSite &call :
         statementsOf(helper->callers, error.file)) {
      diagnostic.parties.push_back({"called here", "", call.file, call.line});
      absl::StrAppend(&text, "\n  called from ", call.file, ":", call.line);
    }
  return Failure({std::move(diagnostic)}, std::move(text));
}

const KernelEntry *findLibraryKernel(const std::string &name) {
  for (const KernelEntry *kernel : libraryKernels())
    if (name == kernel->name)
      return kernel;
  return nullptr;
}

bool namesFile(const std::string &kernel) {
  return isFileName(splitKernel(kernel).file);
}

std::vector<const KernelEntry *> kernelsIn(const std::string &file,
                                           const BuildOptions &options) {
  std::filesystem::path library = file;
  if (isSourceName(file)) {
    const BuiltKernel built = buildKernel(file, options);
    library = built.library;
    knowSources(built.sources);
  } else
    readFile(library); // A missing file is reported as such.

  enterPhase("loading '" + file + "'", true);
  // A name with a slash is a path, not one to be searched for.
  void *handle = ::dlopen(std::filesystem::absolute(library).c_str(),
                          RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Failure("KILN-T031", "'" + file + "' cannot be loaded: " + dlerror());
  using Entry = const KernelTable *();
  auto *entry = reinterpret_cast<Entry *>(::dlsym(handle, "kiln_kernels"));
  const std::string exportsNone = "'" + file +
                                  "' exports no kernels; is there a "
                                  "KILN_EXPORT in it?";
  if (!entry)
    throw Failure("KILN-T031", exportsNone);
  const KernelTable *table = entry();
  if (table->abiVersion != program::abiVersion)
    throw Failure("KILN-T031", "'" + file + "' was built against version " +
                                   std::to_string(table->abiVersion) +
                                   " of the kernel table; this tool reads " +
                                   std::to_string(program::abiVersion));
  *table->thrower = dsl::thrower();
  enterPhase("reading the command line");
  std::vector<const KernelEntry *> kernels = entries(*table);
  if (kernels.empty())
    throw Failure("KILN-T031", exportsNone);
  return kernels;
}

std::vector<const KernelEntry *> matchingKernels(const std::string &kernel,
                                                 const BuildOptions &options) {
  const FileAndName wanted = splitKernel(kernel);
  const bool inFile = isFileName(wanted.file);
  std::vector<const KernelEntry *> kernels =
      inFile ? kernelsIn(wanted.file, options) : libraryKernels();
  const std::string &name = inFile ? wanted.name : wanted.file;
  if (name.empty())
    return kernels;
  for (const KernelEntry *candidate : kernels)
    if (name == candidate->name)
      return {candidate};
  throw Failure("KILN-T022",
                "unknown kernel '<|" + name + "|>'" +
                    (inFile ? " in '" + wanted.file + "'" : "") +
                    suggestion(name, namesOf(kernels)) + " (there are [|" +
                    listed(namesOf(kernels), name) + "|]; see 'kiln list" +
                    (inFile ? " " + wanted.file : "") + "')");
}

const KernelEntry &findKernel(const std::string &kernel,
                              const BuildOptions &options) {
  std::vector<const KernelEntry *> found = matchingKernels(kernel, options);
  if (found.size() > 1)
    throw Failure("KILN-T022", "'" + kernel + "' holds several kernels ([|" +
                                   listed(namesOf(found), kernel) +
                                   "|]); name one as '" + kernel + ":" +
                                   found.front()->name + "'");
  return *found.front();
}

std::vector<KernelParameter> parametersOf(const KernelEntry &kernel) {
  try {
    return kernel.parameters();
  } catch (const RecordError &error) {
    throw failureOf(error);
  }
}

ParameterValues parameterValues(const KernelEntry &kernel,
                                const std::vector<KeyValue> &given) {
  std::vector<KernelParameter> known = parametersOf(kernel);
  std::vector<std::string> names;
  for (const KernelParameter &parameter : known)
    names.push_back("--" + parameter.name);
  auto has = [&](const std::string &name) {
    for (const KernelParameter &parameter : known)
      if (parameter.name == name)
        return true;
    return false;
  };
  auto isSwitch = [&](const std::string &name) {
    for (const KernelParameter &parameter : known)
      if (parameter.name == name)
        return parameter.type == "bool";
    return false;
  };

  ParameterValues values;
  for (const auto &[word, text] : given) {
    std::string name = word, value = text;
    for (char &c : name)
      if (c == '_')
        c = '-';
    // --no-causal is --causal=false.
    if (!has(name) && name.starts_with("no-") && isSwitch(name.substr(3)) &&
        value == "true") {
      name = name.substr(3);
      value = "false";
    }
    if (!has(name))
      throw Failure("KILN-T023",
                    "kernel '" + std::string(kernel.name) +
                        "' has no parameter '<|--" + word + "|>'" +
                        suggestion("--" + name, names) + " (it takes [|" +
                        absl::StrJoin(names, ", ") + "|])",
                    usageError);
    if (!values.emplace(name, value).second)
      throw Failure("KILN-T020", "parameter '--" + name + "' is given twice",
                    usageError);
  }
  return values;
}

} // namespace kiln::tool

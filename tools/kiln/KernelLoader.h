//===- KernelLoader.h - KERNEL on the command line, found ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_KERNELLOADER_H
#define KILN_TOOLS_KILN_KERNELLOADER_H

#include "KernelBuild.h"

#include "kiln/record.h"
#include "kiln/tool/command_line.h"

#include <string>
#include <vector>

namespace kiln::tool {

/// How the command line wants a source file to be compiled, for one run of a
/// kernel.
BuildOptions buildOptions(const CommandLine &line);

/// A mistake in a kernel, with its file and line if they are known.
Failure failureOf(const RecordError &error);

/// The kernels of the library that is linked into the tool.
std::vector<const KernelEntry *> libraryKernels();

/// The library kernel called `name`, or null.
const KernelEntry *findLibraryKernel(const std::string &name);

/// The kernels in a source file or shared library, which stays loaded.
/// Failure KILN-T030 or KILN-T031.
std::vector<const KernelEntry *> kernelsIn(const std::string &file,
                                           const BuildOptions &options);

/// True for `file.cpp`, `file.cpp:name`, `lib.so` and `lib.so:name`.
bool namesFile(const std::string &kernel);

/// What KERNEL means: a library kernel, or one in a file. Failure KILN-T022.
const KernelEntry &findKernel(const std::string &kernel,
                              const BuildOptions &options);

/// The kernels KERNEL may mean: all of a file when it names none.
std::vector<const KernelEntry *> matchingKernels(const std::string &kernel,
                                                 const BuildOptions &options);

/// The parameters of a kernel. A Failure if describe() makes no sense.
std::vector<KernelParameter> parametersOf(const KernelEntry &kernel);

/// The parameters given on the command line; unknown names are a usage
/// Failure (KILN-T023). Their values are checked by the kernel itself.
ParameterValues parameterValues(const KernelEntry &kernel,
                                const std::vector<KeyValue> &given);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_KERNELLOADER_H

//===- Library.cpp - The kernels the tool was built with ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLoader.h"

#include "kiln/kernels/library.h"

namespace kiln::tool {

std::vector<const KernelEntry *> libraryKernels() { return kernels::library(); }

} // namespace kiln::tool

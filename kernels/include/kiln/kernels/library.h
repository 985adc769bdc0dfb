//===- library.h - The kernel library, linked statically ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LIBRARY_H
#define KILN_KERNELS_LIBRARY_H

#include "kiln/dsl/kernel_table.h"

#include <string_view>
#include <vector>

namespace kiln::kernels {

/// Every kernel of the library. Referring to this function makes the linker
/// keep them all; the entries are also in `kiln_kernels()` of the program.
const std::vector<const KernelEntry *> &library();

/// The library kernel called `name`, or null.
const KernelEntry *find(std::string_view name);

} // namespace kiln::kernels

#endif // KILN_KERNELS_LIBRARY_H

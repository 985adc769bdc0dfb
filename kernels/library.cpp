//===- library.cpp - The list of library kernels --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/library.h"

#include <string_view>

extern "C" {
const kiln::KernelEntry *kiln_kernel_flash_attention();
const kiln::KernelEntry *kiln_kernel_matmul();
const kiln::KernelEntry *kiln_kernel_qkv();
const kiln::KernelEntry *kiln_kernel_ring_all_gather();
const kiln::KernelEntry *kiln_kernel_ring_reduce_scatter();
const kiln::KernelEntry *kiln_kernel_rmsnorm();
const kiln::KernelEntry *kiln_kernel_rmsnorm_cores();
const kiln::KernelEntry *kiln_kernel_sbuf_all_reduce();
const kiln::KernelEntry *kiln_kernel_softmax();
}

namespace kiln::kernels {

const std::vector<const KernelEntry *> &library() {
  static const std::vector<const KernelEntry *> entries{
      kiln_kernel_flash_attention(),
      kiln_kernel_matmul(),
      kiln_kernel_qkv(),
      kiln_kernel_ring_all_gather(),
      kiln_kernel_ring_reduce_scatter(),
      kiln_kernel_rmsnorm(),
      kiln_kernel_rmsnorm_cores(),
      kiln_kernel_sbuf_all_reduce(),
      kiln_kernel_softmax()};
  return entries;
}

const KernelEntry *find(std::string_view name) {
  for (const KernelEntry *entry : library())
    if (name == entry->name)
      return entry;
  return nullptr;
}

} // namespace kiln::kernels

//===- Dispatch.cpp - Picks the kernels for this host ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <array>

namespace kiln::sim {

const Kernels &kernelsGeneric();
#ifdef KILN_SIM_X86
const Kernels &kernelsAvx2();
const Kernels &kernelsAvx512();
#endif

namespace {

struct Versions {
  std::array<const Kernels *, 3> tables{};
  std::size_t count = 0;

  Versions() {
    tables[count++] = &kernelsGeneric();
#ifdef KILN_SIM_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      tables[count++] = &kernelsAvx2();
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
      tables[count++] = &kernelsAvx512();
#endif
  }
};

const Versions &versions() {
  static const Versions result;
  return result;
}

} // namespace

const Kernels &kernels() { return *versions().tables[versions().count - 1]; }

std::span<const Kernels *const> allKernels() {
  return {versions().tables.data(), versions().count};
}

} // namespace kiln::sim

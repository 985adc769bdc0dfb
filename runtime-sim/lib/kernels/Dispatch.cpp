//===- Dispatch.cpp - Picks the kernels for this host ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <array>
#include <atomic>

namespace kiln::sim {

const Kernels &kernelsGeneric();
#ifdef KILN_SIM_X86
const Kernels &kernelsAvx2();
const Kernels &kernelsAvx512();
#endif

void indexByEnum(Kernels &kernels) {
  for (std::size_t i = 0; i < kernels.numOperators; ++i) {
    const Kernels::Operator &entry = kernels.operators[i];
    if (const auto op = isa::parse<isa::AluOp>(entry.name)) {
      kernels.vv[static_cast<std::size_t>(*op)] = entry.vv;
      kernels.vs[static_cast<std::size_t>(*op)] = entry.vs;
      kernels.sv[static_cast<std::size_t>(*op)] = entry.sv;
    }
  }
  for (std::size_t i = 0; i < kernels.numIntegerOperators; ++i) {
    const Kernels::IntegerOperator &entry = kernels.integerOperators[i];
    if (const auto op = isa::parse<isa::AluOp>(entry.name)) {
      kernels.onSigned[static_cast<std::size_t>(*op)] = entry.onSigned;
      kernels.onUnsigned[static_cast<std::size_t>(*op)] = entry.onUnsigned;
    }
  }
  for (std::size_t i = 0; i < kernels.numFunctions; ++i) {
    const Kernels::Function &entry = kernels.functions[i];
    if (const auto f = isa::parse<isa::ActivationFunction>(entry.name))
      kernels.activation[static_cast<std::size_t>(*f)] = entry.row;
  }
}

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

std::atomic<const Kernels *> forced = nullptr;

} // namespace

const Kernels &kernels() {
  if (const Kernels *version = forced.load(std::memory_order_relaxed))
    return *version;
  return *versions().tables[versions().count - 1];
}

void forceKernels(const Kernels *version) { forced.store(version); }

std::span<const Kernels *const> allKernels() {
  return {versions().tables.data(), versions().count};
}

} // namespace kiln::sim

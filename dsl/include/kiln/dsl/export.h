//===- export.h - KILN_EXPORT: kernels by name ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_EXPORT_H
#define KILN_DSL_EXPORT_H

#include "kiln/dsl/kernel.h"

namespace kiln::dsl {

/// The table of this shared object. Hidden: see KILN_HIDDEN.
KILN_HIDDEN inline KernelTable &kernelTable() {
  static KernelTable table{program::abiVersion, nullptr, &thrower()};
  return table;
}

template <class Kernel>
void withDefaults(void (*use)(const KernelObject &, void *), void *context) {
  const Kernel kernel = defaultKernel<Kernel>();
  withObject(kernel, [&](const KernelObject &object) { use(object, context); });
}

/// The variants of one exported kernel, the default first.
template <class... Kernels>
inline constexpr KernelVariant variants[] = {{VariantType<Kernels>::exists,
                                              VariantType<Kernels>::dtype,
                                              &withDefaults<Kernels>}...};

/// Adds an entry to the table when its shared object is loaded.
struct KernelRegistrar {
  KernelEntry entry;
  template <std::size_t N>
  KernelRegistrar(const char *name, const char *file,
                  const KernelVariant (&kernels)[N])
      : entry{name, file, kernels, N, nullptr} {
    // Appended, so that kernels are listed in the order of the source.
    KernelTable &table = kernelTable();
    const KernelEntry **slot = &table.first;
    while (*slot)
      slot = &const_cast<KernelEntry *>(*slot)->next;
    *slot = &entry;
  }
};

} // namespace kiln::dsl

// NOLINTBEGIN(misc-definitions-in-headers): weak, as every file has one.
/// The table of the shared object; found with dlsym.
extern "C" __attribute__((used, weak, visibility("default")))
const kiln::KernelTable *
kiln_kernels() {
  return &kiln::dsl::kernelTable();
}
// NOLINTEND(misc-definitions-in-headers)

/// KILN_EXPORT(name, Kernel<bf16>, Kernel<f32>): exports a kernel by name. The
/// first variant is the default. A statically linked library must refer to
/// kiln_kernel_<name>(), so that the linker keeps the entry.
#define KILN_EXPORT(NAME, ...)                                                 \
  namespace {                                                                  \
  ::kiln::dsl::KernelRegistrar                                                 \
      kilnKernel_##NAME(#NAME, __FILE__, ::kiln::dsl::variants<__VA_ARGS__>);  \
  }                                                                            \
  extern "C" const ::kiln::KernelEntry *kiln_kernel_##NAME();                  \
  extern "C" const ::kiln::KernelEntry *kiln_kernel_##NAME() {                 \
    return &kilnKernel_##NAME.entry;                                           \
  }

#endif // KILN_DSL_EXPORT_H

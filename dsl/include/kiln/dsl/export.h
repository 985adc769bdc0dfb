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

/// Define this macro to compile a kernel file for one element type only: the
/// number of an isa::DType, or -1 for the type of the first variant. The other
/// variants then have no code.
#ifndef KILN_COMPILED_TYPE
enum : int { KILN_COMPILED_TYPE = -2 };
#endif
/// Define this macro as 0 to leave out references.
#ifndef KILN_COMPILED_REFERENCES
enum : int { KILN_COMPILED_REFERENCES = 1 };
#endif

namespace kiln::dsl {

/// The table of this shared object. Hidden: see KILN_HIDDEN.
KILN_HIDDEN inline KernelTable &kernelTable() {
  static KernelTable table{program::abiVersion, nullptr, &thrower()};
  return table;
}

template <class Kernel, CompiledParts parts>
void withDefaults(void (*use)(const KernelObject &, void *), void *context) {
  const Kernel kernel = defaultKernel<Kernel>();
  withObject<parts>(kernel,
                    [&](const KernelObject &object) { use(object, context); });
}

template <int type, int references, class First, class Kernel>
consteval CompiledParts compiledParts() {
  using Type = VariantType<Kernel>;
  const bool is = type == -2 || !Type::exists ||
                  (type == -1 ? std::same_as<First, Kernel>
                              : type == static_cast<int>(Type::dtype));
  return {is, is && references != 0};
}

template <class Kernel, CompiledParts parts> consteval KernelVariant variant() {
  KernelVariant made{VariantType<Kernel>::exists, VariantType<Kernel>::dtype,
                     nullptr};
  if constexpr (parts.body)
    made.with = &withDefaults<Kernel, parts>;
  return made;
}

/// The variants of one exported kernel. The first is the default, and declares
/// the parameters.
template <int type, int references, class First, class... Rest>
inline constexpr KernelVariant variants[] = {
    {VariantType<First>::exists, VariantType<First>::dtype,
     &withDefaults<First, compiledParts<type, references, First, First>()>},
    variant<Rest, compiledParts<type, references, First, Rest>()>()...};

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
/// first variant is the default. See KILN_COMPILED_TYPE for what is compiled. A
/// statically linked library must refer to kiln_kernel_<name>(), so that the
/// linker keeps the entry.
#define KILN_EXPORT(NAME, ...)                                                 \
  namespace {                                                                  \
  ::kiln::dsl::KernelRegistrar kilnKernel_##NAME(                              \
      #NAME, __FILE__,                                                         \
      ::kiln::dsl::variants<KILN_COMPILED_TYPE, KILN_COMPILED_REFERENCES,      \
                            __VA_ARGS__>);                                     \
  }                                                                            \
  extern "C" const ::kiln::KernelEntry *kiln_kernel_##NAME();                  \
  extern "C" const ::kiln::KernelEntry *kiln_kernel_##NAME() {                 \
    return &kilnKernel_##NAME.entry;                                           \
  }

#endif // KILN_DSL_EXPORT_H

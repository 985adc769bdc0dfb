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

namespace kiln {

namespace dsl {

/// The table of this shared object. Hidden: see KILN_HIDDEN.
KILN_HIDDEN inline KernelTable &kernelTable() {
  static KernelTable table{program::abiVersion, nullptr};
  return table;
}

/// A kernel with parameters from text.
template <class Kernel> Kernel kernelFrom(const ParameterValues &values) {
  Kernel kernel = defaultKernel<Kernel>();
  std::map<std::string, std::string> wanted;
  for (const auto &[name, value] : values)
    wanted[withDashes(name)] = value;
  std::string known;
  forEachParameter(kernel, [&](const std::string &name, auto &member) {
    known += " --" + name;
    if (const auto found = wanted.find(name); found != wanted.end()) {
      member = parseParameter<std::remove_cvref_t<decltype(member)>>(
          name, found->second);
      wanted.erase(found);
    }
  });
  if constexpr (VariantType<Kernel>::exists) {
    known += " --dtype";
    wanted.erase("dtype");
  }
  if (!wanted.empty())
    throw RecordError("KILN-A009",
                      "the kernel has no parameter --" + wanted.begin()->first,
                      known.empty() ? "it has none" : "it has" + known);
  return kernel;
}

/// The variants of an exported kernel behind plain functions.
template <class Name, class First, class... Rest> struct Exported {
  /// Calls `use` with the variant that --dtype names, or the first.
  template <class Use>
  static auto dispatch(const ParameterValues &values, Use &&use) {
    const auto found = values.find("dtype");
    if constexpr (VariantType<First>::exists) {
      if (found != values.end())
        return dispatchType<First, Rest...>(found->second, values, use);
    }
    return use(kernelFrom<First>(values));
  }
  template <class K, class... More, class Use>
  static auto dispatchType(const std::string &dtype,
                           const ParameterValues &values, Use &use)
      -> decltype(use(kernelFrom<First>(values))) {
    if (isa::name(VariantType<K>::dtype) == dtype)
      return use(kernelFrom<K>(values));
    if constexpr (sizeof...(More) > 0)
      return dispatchType<More...>(dtype, values, use);
    else
      failValue("dtype", dtype, dtypes().c_str());
  }
  static std::string dtypes() {
    std::string list(isa::name(VariantType<First>::dtype));
    ((list += ", " + std::string(isa::name(VariantType<Rest>::dtype))), ...);
    return list;
  }

  static std::string summary() {
    Signature signature;
    defaultKernel<First>().describe(signature);
    return signature.summaryText;
  }
  static std::vector<KernelParameter> parameters() {
    const First kernel = defaultKernel<First>();
    Signature signature;
    kernel.describe(signature);
    std::map<std::string, std::string> docs;
    for (const auto &[name, text] : signature.docs)
      docs[withDashes(name)] = text;
    std::vector<KernelParameter> result;
    forEachParameter(kernel, [&](std::string name, const auto &member) {
      using V = std::remove_cvref_t<decltype(member)>;
      std::string doc = docs[name];
      result.push_back({std::move(name), typeName<V>(), parameterText(member),
                        std::move(doc)});
    });
    if constexpr (VariantType<First>::exists)
      result.push_back({"dtype", "dtype",
                        std::string(isa::name(VariantType<First>::dtype)),
                        "element type: " + dtypes()});
    return result;
  }
  static std::vector<KernelArgument> arguments(const ParameterValues &values) {
    return dispatch(values, [](const auto &kernel) {
      std::vector<KernelArgument> result = signatureOf(kernel).arguments;
      std::erase_if(result, [](const auto &a) { return a.shape.empty(); });
      return result;
    });
  }
  static program::Program record(const ParameterValues &values) {
    return dispatch(values, [](const auto &kernel) {
      return kiln::record(kernel, Name::text());
    });
  }
};

/// Adds an entry to the table when its shared object is loaded.
struct KernelRegistrar {
  KernelEntry entry;
  template <class Name, class... Variants>
  KernelRegistrar(const Exported<Name, Variants...> *, const char *file)
      : entry{Name::text(),
              file,
              &Exported<Name, Variants...>::summary,
              &Exported<Name, Variants...>::parameters,
              &Exported<Name, Variants...>::arguments,
              &Exported<Name, Variants...>::record,
              nullptr} {
    // At the end, so that kernels are listed in the order they are written.
    KernelTable &table = kernelTable();
    const KernelEntry **slot = &table.first;
    while (*slot)
      slot = &const_cast<KernelEntry *>(*slot)->next;
    *slot = &entry;
  }
};

} // namespace dsl
} // namespace kiln

/// The table of the shared object; found with dlsym.
extern "C" __attribute__((used, weak, visibility("default")))
const kiln::KernelTable *
kiln_kernels() {
  return &kiln::dsl::kernelTable();
}

/// KILN_EXPORT(name, Kernel<bf16>, Kernel<f32>): offers a kernel by name. The
/// first variant is the default. A library that is linked statically refers
/// to kiln_kernel_<name>(), so that the linker keeps the entry.
#define KILN_EXPORT(NAME, ...)                                                 \
  namespace {                                                                  \
  struct KilnName_##NAME {                                                     \
    static constexpr const char *text() { return #NAME; }                      \
  };                                                                           \
  ::kiln::dsl::KernelRegistrar kilnKernel_##NAME(                              \
      static_cast<::kiln::dsl::Exported<KilnName_##NAME, __VA_ARGS__> *>(      \
          nullptr),                                                            \
      __FILE__);                                                               \
  }                                                                            \
  extern "C" const ::kiln::KernelEntry *kiln_kernel_##NAME();                  \
  extern "C" const ::kiln::KernelEntry *kiln_kernel_##NAME() {                 \
    return &kilnKernel_##NAME.entry;                                           \
  }

#endif // KILN_DSL_EXPORT_H

//===- kernel.h - Kernel structs behind plain functions -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a struct: its members, listed once by BOOST_HANA_DEFINE_STRUCT,
// are its parameters; `describe` says which tensors it takes; operator() is
// the kernel.
//
//   template <class T> struct Scale {
//     BOOST_HANA_DEFINE_STRUCT(Scale, (int, rows), (int, cols),
//                              (float, factor));
//     static Scale defaults() { return {128, 512, 2.0f}; }
//     void describe(Signature &s) const {
//       s.summary("y = factor * x");
//       s.argument("x", {rows, cols});
//       s.argument("y", {rows, cols});
//     }
//     void operator()(In<T, 2> x, Out<T, 2> y) const { ... }
//   };
//   KILN_EXPORT(scale, Scale<bf16>, Scale<f32>)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_KERNEL_H
#define KILN_DSL_KERNEL_H

#include "kiln/dsl/doubles.h"
#include "kiln/dsl/kernel_table.h"
#include "kiln/dsl/members.h"
#include "kiln/dsl/tensor.h"

#include <iosfwd> // Declares std::string.

namespace kiln::dsl {

template <class V> consteval ParameterType parameterType() {
  if constexpr (std::same_as<V, bool>)
    return ParameterType::boolean;
  else if constexpr (std::signed_integral<V>)
    return ParameterType::signedInteger;
  else if constexpr (std::integral<V>)
    return ParameterType::unsignedInteger;
  else if constexpr (std::same_as<V, float> || std::same_as<V, double>)
    return ParameterType::floating;
  else if constexpr (requires { kilnChoices(V{}); })
    return ParameterType::choice;
  else {
    static_assert(std::same_as<V, std::string>,
                  "kiln: a parameter is bool, an integer, float, double, "
                  "std::string or an enumeration of KILN_CHOICES");
    return ParameterType::text;
  }
}

template <class V> consteval const char *choiceNames() {
  if constexpr (parameterType<V>() == ParameterType::choice)
    return kilnChoices(V{});
  else
    return nullptr;
}

/// Gives fields their names, which follow each other in one text.
inline void nameFields(ParameterField *fields, std::size_t count,
                       const char *names) {
  for (std::size_t i = 0; i < count; ++i) {
    fields[i].name = names;
    names += std::string_view(names).size() + 1;
  }
}
template <class V> ParameterField field(const V &member) {
  return {nullptr, parameterType<V>(), sizeof(V), const_cast<V *>(&member),
          choiceNames<V>()};
}

/// Calls `use` with an array of the kernel's members.
template <class Struct, auto... Members, class Kernel, class Use>
void withMembers(MemberList<Struct, Members...>, const Kernel &kernel,
                 Use &use) {
  constexpr std::size_t count = sizeof...(Members);
  ParameterField fields[count + 1] = {field(kernel.*Members)...,
                                      ParameterField{}};
  nameFields(fields, count, Kernel::kilnMemberNames());
  use(fields, count);
}
template <class Kernel, class Use>
void withFields(const Kernel &kernel, Use &&use) {
  constexpr bool hasMembers = requires { Kernel::kilnMembers(); };
  static_assert(hasMembers, "kiln: a kernel lists its parameters with "
                            "BOOST_HANA_DEFINE_STRUCT");
  if constexpr (hasMembers)
    withMembers(Kernel::kilnMembers(), kernel, use);
}
template <class Kernel> Kernel defaultKernel() {
  if constexpr (requires { Kernel::defaults(); })
    return Kernel::defaults();
  else
    return Kernel{};
}

/// The element type that distinguishes Kernel<bf16> from Kernel<f32>.
template <class Kernel> struct VariantType {
  static constexpr bool exists = false;
  static constexpr isa::DType dtype = isa::DType::f32;
};
template <template <class...> class Kernel, ElementType T, class... Rest>
struct VariantType<Kernel<T, Rest...>> {
  static constexpr bool exists = true;
  static constexpr isa::DType dtype = T::dtype;
};

/// The parameters of a kernel's operator().
template <class F> struct Call;
template <class K, class... A> struct Call<void (K::*)(A...) const> {
  static constexpr std::size_t count = sizeof...(A);
  static constexpr ArgumentType types[count + 1] = {
      {std::remove_cvref_t<A>::access, std::remove_cvref_t<A>::Element::dtype,
       std::remove_cvref_t<A>::StaticShape::rank}...,
      {}};

  static void run(const void *kernel, Recording &recording,
                  const ViewRef *values) {
    RecordingScope scope(recording);
    runWith(kernel, values, std::index_sequence_for<A...>());
  }
  template <std::size_t... I>
  static void runWith(const void *kernel, const ViewRef *values,
                      std::index_sequence<I...>) {
    (*static_cast<const K *>(kernel))(std::remove_cvref_t<A>(values[I])...);
  }

  /// run(), or null if it is not compiled.
  template <bool isCompiled>
  static constexpr decltype(KernelObject::run) body() {
    if constexpr (isCompiled)
      return &run;
    else
      return nullptr;
  }

  template <bool isCompiled> static constexpr KernelReference reference() {
    return referenceOf<isCompiled>(std::index_sequence_for<A...>());
  }
  template <bool isCompiled, std::size_t... I>
  static constexpr KernelReference referenceOf(std::index_sequence<I...>) {
    constexpr bool ofOne = requires(const K &kernel, const Doubles *tensors) {
      kernel.reference(tensors[I]...);
    };
    constexpr bool ofAll = requires(const K &kernel, const Doubles *tensors) {
      kernel.reference(DoublesOfRanks(tensors + I, count, 1)...);
    };
    static_assert(
        ofOne || ofAll || !requires { &K::reference; },
        "kiln: reference() is const and takes one Doubles for each "
        "parameter of operator()");
    KernelReference reference{ofOne || ofAll, nullptr};
    if constexpr (isCompiled && ofOne)
      reference.run = [](const void *kernel, const Doubles *tensors,
                         std::size_t ranks) {
        for (std::size_t r = 0; r < ranks; ++r, tensors += count)
          static_cast<const K *>(kernel)->reference(tensors[I]...);
      };
    else if constexpr (isCompiled && ofAll)
      reference.run = [](const void *kernel, const Doubles *tensors,
                         std::size_t ranks) {
        static_cast<const K *>(kernel)->reference(
            DoublesOfRanks(tensors + I, count, ranks)...);
      };
    return reference;
  }
};

/// What a shared object holds of a kernel. Its parameters and tensors are
/// always there.
struct CompiledParts {
  bool body, reference;
};

/// Calls `use(object)` with the kernel, called by plain functions.
template <CompiledParts parts = CompiledParts{true, true}, class Kernel,
          class Use>
void withObject(const Kernel &kernel, Use &&use) {
  using Operator = Call<decltype(&Kernel::operator())>;
  withFields(kernel, [&](const ParameterField *fields, std::size_t count) {
    use(KernelObject{fields, count, Operator::types, Operator::count,
                     VariantType<Kernel>::exists, VariantType<Kernel>::dtype,
                     &kernel,
                     [](const void *k, Signature &signature) {
                       const auto &own = *static_cast<const Kernel *>(k);
                       own.describe(signature);
                       if constexpr (requires { own.schedule(); })
                         signature.schedule(own.schedule());
                     },
                     Operator::template body<parts.body>(),
                     Operator::template reference<parts.reference>()});
  });
}

} // namespace kiln::dsl

/// Declares an enumeration, beside the kernel, whose names the command line
/// accepts: KILN_CHOICES(Norm, none, rms, layer) for a parameter (Norm, norm).
/// They are numbered from 0.
#define KILN_CHOICES(Name, ...)                                                \
  static_assert(std::string_view(#__VA_ARGS__).find('=') ==                    \
                    std::string_view::npos,                                    \
                "kiln: KILN_CHOICES takes names without numbers");             \
  enum class Name : std::int32_t { __VA_ARGS__ };                              \
  [[maybe_unused]] constexpr const char *kilnChoices(Name) {                   \
    return #__VA_ARGS__;                                                       \
  }

#endif // KILN_DSL_KERNEL_H

//===- kernel.h - Kernel structs: parameters, shapes, recording -----------===//
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

#include "kiln/dsl/finish.h"
#include "kiln/dsl/kernel_table.h"
#include "kiln/dsl/tensor.h"

#include <boost/hana/accessors.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>

#include <charconv>

namespace kiln {

/// What a kernel's `describe` fills in: tensors in the order of operator()'s
/// parameters, useful floating point operations, and words for `kiln list`.
class Signature {
public:
  void argument(std::string name, std::vector<std::int64_t> shape) {
    KernelArgument entry;
    entry.name = std::move(name);
    entry.shape = std::move(shape);
    arguments.push_back(std::move(entry));
  }
  /// An optional tensor that these parameters leave out; the kernel must not
  /// touch it.
  void absent(std::string name) { argument(std::move(name), {}); }
  void flops(double count) { flopCount = static_cast<std::int64_t>(count); }
  void summary(std::string text) { summaryText = std::move(text); }
  void doc(const std::string &parameter, std::string text) {
    docs[parameter] = std::move(text);
  }

  std::vector<KernelArgument> arguments;
  std::int64_t flopCount = 0;
  std::string summaryText;
  std::map<std::string, std::string> docs;
};

namespace dsl {

//===----------------------------------------------------------------------===//
// Parameter values
//===----------------------------------------------------------------------===//

template <class V> constexpr const char *typeName() {
  if constexpr (std::same_as<V, bool>)
    return "bool";
  else if constexpr (std::integral<V>)
    return "int";
  else if constexpr (std::floating_point<V>)
    return "float";
  else
    return "text";
}

template <class V> std::string parameterText(const V &value) {
  if constexpr (std::same_as<V, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::same_as<V, std::string>) {
    return value;
  } else {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return std::string(buffer, end);
  }
}

[[noreturn]] inline void failValue(const std::string &name,
                                   const std::string &text,
                                   const char *allowed) {
  throw RecordError("KILN-A010",
                    "parameter --" + name + " cannot be '" + text + "'",
                    "give " + std::string(allowed));
}

template <class V>
V parseParameter(const std::string &name, const std::string &text) {
  if constexpr (std::same_as<V, bool>) {
    if (text == "true" || text == "1" || text == "on" || text.empty())
      return true;
    if (text == "false" || text == "0" || text == "off")
      return false;
    failValue(name, text, "true or false");
  } else if constexpr (std::same_as<V, std::string>) {
    return text;
  } else {
    V value{};
    const char *end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
      failValue(name, text,
                std::integral<V> ? "a whole number that fits the parameter"
                                 : "a number");
    return value;
  }
}

inline std::string withDashes(std::string name) {
  for (char &c : name)
    if (c == '_')
      c = '-';
  return name;
}

/// Visits (name with dashes, member) of every parameter.
template <class Kernel, class Visitor>
void forEachParameter(Kernel &kernel, Visitor &&visit) {
  boost::hana::for_each(boost::hana::accessors<std::remove_const_t<Kernel>>(),
                        [&](const auto &accessor) {
                          visit(withDashes(boost::hana::to<const char *>(
                                    boost::hana::first(accessor))),
                                boost::hana::second(accessor)(kernel));
                        });
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

//===----------------------------------------------------------------------===//
// Arguments and recording
//===----------------------------------------------------------------------===//

template <class F> struct Call;
template <class K, class... A> struct Call<void (K::*)(A...) const> {
  static constexpr std::size_t count = sizeof...(A);

  /// Fills in kind and element type; checks names and ranks.
  static void complete(std::vector<KernelArgument> &arguments) {
    if (arguments.size() != count)
      throw RecordError("KILN-A011",
                        "the kernel takes " + std::to_string(count) +
                            " tensors but describes " +
                            std::to_string(arguments.size()),
                        "call argument() once for each parameter of "
                        "operator()");
    std::size_t i = 0;
    (completeOne<std::remove_cvref_t<A>>(arguments[i++]), ...);
  }
  template <class V> static void completeOne(KernelArgument &argument) {
    if (argument.shape.empty())
      return;
    argument.kind = static_cast<program::ArgumentKind>(V::access);
    argument.dtype = V::Element::dtype;
    if (argument.shape.size() != V::StaticShape::rank)
      throw RecordError("KILN-A011",
                        "tensor " + argument.name + " is described with rank " +
                            std::to_string(argument.shape.size()) +
                            ", the kernel takes rank " +
                            std::to_string(V::StaticShape::rank),
                        "make the two agree");
    for (std::int64_t extent : argument.shape)
      if (extent < 1)
        throw RecordError("KILN-A012",
                          "tensor " + argument.name + " has shape " +
                              shapeText(argument.shape) +
                              "; every extent must be at least 1",
                          "give larger extents");
  }

  static void run(const K &kernel, const std::vector<Id> &ids,
                  Recorder &recorder) {
    runWith(kernel, ids, recorder, std::index_sequence_for<A...>());
  }
  template <std::size_t... I>
  static void runWith(const K &kernel, const std::vector<Id> &ids,
                      Recorder &recorder, std::index_sequence<I...>) {
    kernel(std::remove_cvref_t<A>(ids[I] == none ? View()
                                                 : recorder.whole(ids[I]))...);
  }
};

template <class Kernel> Signature signatureOf(const Kernel &kernel) {
  Signature signature;
  kernel.describe(signature);
  Call<decltype(&Kernel::operator())>::complete(signature.arguments);
  return signature;
}

} // namespace dsl

/// Runs a kernel with its current parameters and returns what it recorded.
template <class Kernel>
program::Program record(const Kernel &kernel, std::string name = "kernel") {
  dsl::Recorder recorder;
  dsl::RecorderScope scope(recorder);
  const Signature signature = dsl::signatureOf(kernel);
  recorder.program.kernel = std::move(name);
  recorder.program.flops = signature.flopCount;
  dsl::forEachParameter(kernel, [&](std::string key, const auto &value) {
    recorder.program.parameters.push_back(
        {std::move(key), dsl::parameterText(value)});
  });
  if constexpr (dsl::VariantType<Kernel>::exists)
    recorder.program.parameters.push_back(
        {"dtype", std::string(isa::name(dsl::VariantType<Kernel>::dtype))});
  std::vector<dsl::Id> ids;
  for (const KernelArgument &argument : signature.arguments) {
    if (argument.shape.empty()) {
      ids.push_back(dsl::none);
      continue;
    }
    dsl::Value value;
    value.kind = dsl::ValueKind::tensor;
    value.space = isa::Space::hbm;
    value.dtype = argument.dtype;
    value.shape = argument.shape;
    value.name = argument.name;
    ids.push_back(recorder.addValue(std::move(value)));
    recorder.program.arguments.push_back({ids.back(), argument.kind});
  }
  dsl::Call<decltype(&Kernel::operator())>::run(kernel, ids, recorder);
  return dsl::Finisher(recorder).finish();
}

} // namespace kiln

#endif // KILN_DSL_KERNEL_H

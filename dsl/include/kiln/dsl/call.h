//===- call.h - A kernel that calls another -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   call(Softmax<T>{rows, cols})(x, y);
//
// Before the other kernel runs, the shapes of the tensors are compared with
// those that its describe() declares. `Softmax<T>{rows, cols}(x, y)` calls it
// without that.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_CALL_H
#define KILN_DSL_CALL_H

#include "kiln/dsl/kernel_table.h"
#include "kiln/dsl/recording.h"

namespace kiln {

namespace dsl {

/// Compares what a kernel describes with the tensors that it is called with.
class SeamCheck final : public Signature {
public:
  SeamCheck(const ViewRef *given, std::size_t count, const Where &where)
      : given(given), count(count), where(where) {}

  void argument(std::string_view name,
                std::initializer_list<std::int64_t> shape) override {
    if (next == count)
      return; // What describe() lacks or adds: see KILN-A011.
    const ViewRef view = given[next++];
    if (view.isAbsent())
      failHere("KILN-A038",
               {"'", name, "' is left out, but the called kernel needs it"},
               "pass a tensor, or change the parameters of the called kernel",
               where);
    std::int64_t dimension = 0;
    for (const std::int64_t extent : shape) {
      const std::int64_t found =
          recording(where).extent(view, dimension, where);
      if (found != extent)
        failHere("KILN-A038",
                 {"dimension ", dimension, " of '", name, "' has extent <|",
                  found, "|>, the called kernel describes [|", extent, "|]"},
                 "pass a tensor of the described shape, or change the "
                 "parameters of the called kernel",
                 where);
      ++dimension;
    }
  }
  /// A tensor that the kernel does not use may be there.
  void absent(std::string_view) override { ++next; }

  void flops(double) override {}
  void summary(std::string_view) override {}
  void doc(std::string_view, std::string_view) override {}
  void tunable(std::string_view, std::initializer_list<std::int64_t>) override {
  }
  void schedule(const schedule::Schedule &) override {}
  void tokens(double) override {}
  void random(std::string_view, double) override {}
  void parts() override {}

private:
  const ViewRef *given;
  std::size_t count;
  std::size_t next = 0;
  Where where;
};

/// A kernel, and the line that calls it.
template <class Kernel> class Seam {
public:
  Seam(const Kernel &kernel, const Where &where)
      : kernel(kernel), where(where) {}

  /// Takes what the kernel's operator() takes.
  template <class... Tensors> void operator()(const Tensors &...tensors) const {
    const ViewRef given[] = {tensors.viewOf(where)...};
    SeamCheck check(given, sizeof...(Tensors), where);
    kernel.describe(check);
    kernel(tensors...);
  }

private:
  const Kernel &kernel;
  Where where;
};

} // namespace dsl

/// A kernel, ready to be called by another one: call(kernel)(tensors...). A
/// tensor of another shape than the kernel describes is an error (KILN-A038).
template <class Kernel>
dsl::Seam<Kernel> call(const Kernel &kernel,
                       dsl::Where where = dsl::Where::current()) {
  return {kernel, where};
}

} // namespace kiln

#endif // KILN_DSL_CALL_H

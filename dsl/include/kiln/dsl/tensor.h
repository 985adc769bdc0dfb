//===- tensor.h - HBM arguments and their views ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_TENSOR_H
#define KILN_DSL_TENSOR_H

#include "kiln/dsl/view.h"

#include "kiln/isa/argument_kind.h"

namespace kiln {

namespace dsl {

using Access = isa::ArgumentKind;

/// Whether a view of shape `Given` is one of shape `Wanted`, some of whose
/// extents may be known only during recording.
template <class Given, class Wanted> constexpr bool isViewOf() {
  if (ShapeOf<Given>::rank != ShapeOf<Wanted>::rank)
    return false;
  for (std::size_t i = 0; i < ShapeOf<Wanted>::rank; ++i)
    if (ShapeOf<Wanted>::extents[i] != dynamic &&
        ShapeOf<Wanted>::extents[i] != ShapeOf<Given>::extents[i])
      return false;
  return true;
}

/// An index that carries the line of the call.
struct LocatedIndex {
  Index value;
  Where where;
  LocatedIndex(const Index &value, Where where = Where::current())
      : value(value), where(where) {}
  template <Extent E>
  LocatedIndex(const E &value, Where where = Where::current())
      : value(value), where(where) {}
};

/// A window on an HBM tensor. The arguments of a kernel show whole tensors.
template <ElementType T, Access A, class S>
class Hbm : public ViewMethods<Hbm<T, A, S>> {
public:
  using Element = T;
  using StaticShape = S;
  static constexpr Access access = A;
  static constexpr bool isHbm = true;

  explicit Hbm(ViewRef view) : window(view) {}
  /// A kernel calls another with views of its tensors and of its scratch. An
  /// input cannot become an output of the other kernel, nor an output an input.
  template <Access B, class S2>
    requires((B == A || B == Access::inout) && isViewOf<S2, S>())
  Hbm(const Hbm<T, B, S2> &other) // NOLINT(google-explicit-constructor)
      : window(other.viewOf(Where{})) {}
  template <class S2> static auto make(ViewRef view) {
    return Hbm<T, A, S2>(view);
  }

  /// One index of dimension 0: gives a tensor with one dimension less.
  auto operator[](const LocatedIndex &index) const {
    return this->select(boost::hana::int_c<0>, index.value, index.where);
  }

  ViewRef viewOf(const Where &) const { return window; }

private:
  ViewRef window;
};

template <class X>
concept HbmLike = requires { requires std::remove_cvref_t<X>::isHbm; };
template <class X>
concept ReadableHbm =
    HbmLike<X> && std::remove_cvref_t<X>::access != Access::output;
template <class X>
concept WritableHbm =
    HbmLike<X> && std::remove_cvref_t<X>::access != Access::input;

} // namespace dsl

/// Kernel arguments in HBM: read, written, or both.
template <ElementType T, std::size_t Rank>
using In = dsl::Hbm<T, dsl::Access::input, dsl::DynamicShape<Rank>>;
template <ElementType T, std::size_t Rank>
using Out = dsl::Hbm<T, dsl::Access::output, dsl::DynamicShape<Rank>>;
template <ElementType T, std::size_t Rank>
using InOut = dsl::Hbm<T, dsl::Access::inout, dsl::DynamicShape<Rank>>;

} // namespace kiln

#endif // KILN_DSL_TENSOR_H

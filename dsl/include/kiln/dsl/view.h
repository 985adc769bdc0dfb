//===- view.h - Slices, selections, permutations, reshapes ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The methods that HBM tensors and tiles share. Nothing is copied: a view is
// (value, offset, sizes, strides). Methods that take a block index count in
// blocks, as in rows(i, 128_c) for rows 128 i to 128 i + 127; the ones with _at
// count in elements.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_VIEW_H
#define KILN_DSL_VIEW_H

#include "kiln/dsl/index.h"

namespace kiln {

namespace dsl {

//===----------------------------------------------------------------------===//
// The methods
//===----------------------------------------------------------------------===//

template <class... E>
using ExtentShape = Shape<staticExtent<std::remove_cvref_t<E>>()...>;

/// S with N elements of dimension D.
template <class S, std::size_t D, Extent N> struct SlicedRule {
  static constexpr std::int64_t have = ShapeOf<S>::extents[D];
  static constexpr std::int64_t want = staticExtent<N>();
  static_assert(want == dynamic || have == dynamic || want <= have,
                "kiln: a slice must not be longer than its dimension");
  using Shape = ReplaceExtent<S, D, want>;
};
template <class S, std::size_t D, Extent N>
using Sliced = typename SlicedRule<S, D, N>::Shape;

inline Index scaledIndex(const Index &i, const Index &n, const Where &where) {
  return Located<Index>(i, where) * n;
}

/// `Self` offers `StaticShape`, `ViewRef viewOf(where)` and
/// `template <class S> static auto make(ViewRef)`.
template <class Self> class ViewMethods {
public:
  /// Rows i*n to i*n + n - 1.
  template <Extent N>
  auto rows(const Index &i, const N &n, Where where = Where::current()) const {
    return Self::template make<Sliced<shape<>, 0, N>>(
        sliced(0, scaledIndex(i, n, where), extentValue(n), where));
  }
  /// Rows start to start + n - 1.
  template <Extent N>
  auto rows_at(const Index &start, const N &n,
               Where where = Where::current()) const {
    return Self::template make<Sliced<shape<>, 0, N>>(
        sliced(0, start, extentValue(n), where));
  }
  /// Columns (the last dimension) j*n to j*n + n - 1.
  template <Extent N>
  auto cols(const Index &j, const N &n, Where where = Where::current()) const {
    return Self::template make<Sliced<shape<>, shape<>::rank - 1, N>>(sliced(
        shape<>::rank - 1, scaledIndex(j, n, where), extentValue(n), where));
  }
  template <Extent N>
  auto cols_at(const Index &start, const N &n,
               Where where = Where::current()) const {
    return Self::template make<Sliced<shape<>, shape<>::rank - 1, N>>(
        sliced(shape<>::rank - 1, start, extentValue(n), where));
  }
  /// Elements start, start + step, ... of one dimension.
  template <Extent D, Extent N>
  auto slice(const D &dim, const Index &start, const N &size,
             std::int64_t step = 1, Where where = Where::current()) const {
    const ViewRef view =
        recording(where).slice(self().viewOf(where), extentValue(dim),
                               start.value(), extentValue(size), step, where);
    if constexpr (ConstantExtent<D>)
      return Self::template make<
          ReplaceExtent<shape<>, D::value, staticExtent<N>()>>(view);
    else
      return Self::template make<DynamicShape<shape<>::rank>>(view);
  }
  /// Selects one index of a dimension, which disappears.
  template <Extent D>
  auto select(const D &dim, const Index &index,
              Where where = Where::current()) const {
    static_assert(shape<>::rank > 1,
                  "kiln: select needs at least two dimensions");
    const ViewRef view = recording(where).select(
        self().viewOf(where), extentValue(dim), index.value(), where);
    if constexpr (ConstantExtent<D>)
      return Self::template make<EraseExtent<shape<>, D::value>>(view);
    else
      return Self::template make<DynamicShape<shape<>::rank - 1>>(view);
  }
  /// Reorders dimensions: permute(1, 0).
  template <Extent A, Extent B>
  auto permute(const A &a, const B &b, Where where = Where::current()) const {
    return Self::template make<DynamicShape<shape<>::rank>>(
        permuted<2>({extentValue(a), extentValue(b)}, where));
  }
  template <Extent A, Extent B, Extent C>
  auto permute(const A &a, const B &b, const C &c,
               Where where = Where::current()) const {
    return Self::template make<DynamicShape<shape<>::rank>>(
        permuted<3>({extentValue(a), extentValue(b), extentValue(c)}, where));
  }
  template <Extent A, Extent B, Extent C, Extent D>
  auto permute(const A &a, const B &b, const C &c, const D &d,
               Where where = Where::current()) const {
    return Self::template make<DynamicShape<shape<>::rank>>(permuted<4>(
        {extentValue(a), extentValue(b), extentValue(c), extentValue(d)},
        where));
  }
  /// Splits and merges dimensions, row-major.
  template <Extent A>
  auto reshape(const A &a, Where where = Where::current()) const {
    return Self::template make<ExtentShape<A>>(
        reshaped({extentValue(a)}, where));
  }
  template <Extent A, Extent B>
  auto reshape(const A &a, const B &b, Where where = Where::current()) const {
    return Self::template make<ExtentShape<A, B>>(
        reshaped({extentValue(a), extentValue(b)}, where));
  }
  template <Extent A, Extent B, Extent C>
  auto reshape(const A &a, const B &b, const C &c,
               Where where = Where::current()) const {
    return Self::template make<ExtentShape<A, B, C>>(
        reshaped({extentValue(a), extentValue(b), extentValue(c)}, where));
  }
  template <Extent A, Extent B, Extent C, Extent D>
  auto reshape(const A &a, const B &b, const C &c, const D &d,
               Where where = Where::current()) const {
    return Self::template make<ExtentShape<A, B, C, D>>(reshaped(
        {extentValue(a), extentValue(b), extentValue(c), extentValue(d)},
        where));
  }
  /// Extent of dimension `i`.
  std::int64_t dim(std::int64_t i, Where where = Where::current()) const {
    return recording(where).extent(self().viewOf(where), i, where);
  }
  /// Repeats a dimension of extent 1.
  template <Extent D, Extent N>
  auto broadcast(const D &dim, const N &size,
                 Where where = Where::current()) const {
    const ViewRef view = recording(where).broadcast(
        self().viewOf(where), extentValue(dim), extentValue(size), where);
    if constexpr (ConstantExtent<D>)
      return Self::template make<
          ReplaceExtent<shape<>, D::value, staticExtent<N>()>>(view);
    else
      return Self::template make<DynamicShape<shape<>::rank>>(view);
  }

private:
  // StaticShape, looked up late: Self is incomplete while this is parsed.
  template <class S = Self> using shape = typename S::StaticShape;

  const Self &self() const { return static_cast<const Self &>(*this); }
  // Few instantiations: these depend on no extents.
  template <std::size_t Rank>
  ViewRef permuted(std::initializer_list<std::int64_t> order,
                   const Where &where) const {
    static_assert(Rank == shape<>::rank,
                  "kiln: permute takes one argument for each dimension");
    return recording(where).permute(self().viewOf(where), order, where);
  }
  ViewRef reshaped(std::initializer_list<std::int64_t> extents,
                   const Where &where) const {
    return recording(where).reshape(self().viewOf(where), extents, where);
  }
  ViewRef sliced(std::int64_t dimension, const Index &start, std::int64_t n,
                 const Where &where) const {
    return recording(where).slice(self().viewOf(where), dimension,
                                  start.value(), n, 1, where);
  }
};

} // namespace dsl
} // namespace kiln

#endif // KILN_DSL_VIEW_H

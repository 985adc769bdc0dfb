//===- view.h - Slices, selections, permutations, reshapes ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of views, shared by HBM tensors and tiles, and the methods
// that offer it. Nothing is copied: a view is (value, offset, sizes, strides).
// Methods that take a block index count in blocks, as in rows(i, 128_c) for
// rows 128 i to 128 i + 127; the ones with _at count in elements.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_VIEW_H
#define KILN_DSL_VIEW_H

#include "kiln/dsl/index.h"

#include <initializer_list>

namespace kiln {

namespace dsl {

inline Index offsetOf(const View &view) {
  return view.offset == none ? Index(0) : Index::ofNode(view.offset);
}
inline void addOffset(View &view, const Index &index) {
  const Index sum = offsetOf(view) + index;
  view.offset = sum.isConstant() && sum.constantValue() == 0 ? none : sum.id();
}

inline void checkDim(const View &view, std::int64_t dim, const Where &where) {
  if (dim < 0 || dim >= static_cast<std::int64_t>(view.sizes.size()))
    fail("KILN-A004",
         "dimension " + std::to_string(dim) + " of a view of shape " +
             shapeText(view.sizes) + " does not exist",
         "dimensions count from 0 to " +
             std::to_string(static_cast<std::int64_t>(view.sizes.size()) - 1),
         where);
}

inline bool onChip(const View &view, const Where &where) {
  return Recorder::current(where).value(view.value).kind != ValueKind::tensor;
}

inline View slice(View view, std::int64_t dim, const Index &start,
                  std::int64_t size, std::int64_t step, const Where &where) {
  checkDim(view, dim, where);
  checkAddress(start, where);
  const auto d = static_cast<std::size_t>(dim);
  const std::int64_t extent = view.sizes[d];
  if (size < 1 || step < 1)
    fail("KILN-A012",
         "a slice has size " + std::to_string(size) + " and step " +
             std::to_string(step) + "; both must be at least 1",
         "guard the call with a C++ if", where);
  const Recorder &recorder = Recorder::current(where);
  const Range range = rangeOf(recorder, start);
  const std::int64_t last = range.high + (size - 1) * step;
  if (range.low <= range.high && range.exact &&
      (range.low < 0 || last >= extent))
    fail("KILN-A003",
         "a slice covers " + std::to_string(range.low) + " to " +
             std::to_string(last) + " of dimension " + std::to_string(dim) +
             ", which has extent " + std::to_string(extent),
         "use tiles() to split off a ragged tail, or shrink the loop", where);
  if (d == 0 && onChip(view, where)) {
    if (!start.isConstant() || step != 1)
      fail("KILN-A016",
           "rows of a tile are chosen by a loop index or with a step; "
           "partitions can only be addressed by a number that is known while "
           "recording",
           "slice the free dimension, or use a C++ for loop", where);
    view.row += start.constantValue();
  } else {
    addOffset(view, start * Index(view.strides[d]));
    view.strides[d] *= step;
  }
  view.sizes[d] = size;
  return view;
}

inline View select(View view, std::int64_t dim, const Index &index,
                   const Where &where) {
  view = slice(std::move(view), dim, index, 1, 1, where);
  if (onChip(view, where) && (dim == 0 || view.sizes.size() <= 2))
    fail("KILN-A016",
         "selecting from dimension " + std::to_string(dim) +
             " would leave a tile without rows or columns",
         "use slice(dim, i, 1) to keep the dimension", where);
  view.sizes.erase(view.sizes.begin() + dim);
  view.strides.erase(view.strides.begin() + dim);
  return view;
}

inline View permute(const View &view, const std::vector<std::int64_t> &order,
                    const Where &where) {
  std::vector<bool> seen(view.sizes.size(), false);
  View result = view;
  bool valid = order.size() == view.sizes.size();
  for (std::size_t i = 0; valid && i < order.size(); ++i) {
    checkDim(view, order[i], where);
    const auto from = static_cast<std::size_t>(order[i]);
    valid = !seen[from];
    seen[from] = true;
    result.sizes[i] = view.sizes[from];
    result.strides[i] = view.strides[from];
  }
  if (!valid)
    fail("KILN-A004",
         shapeText(order) + " does not permute the dimensions of " +
             shapeText(view.sizes),
         "name every dimension once", where);
  if (onChip(view, where) && order[0] != 0)
    fail("KILN-A016", "a view of a tile cannot move its rows to columns",
         "use transpose(), which moves data", where);
  return result;
}

/// Splits and merges dimensions where strides allow it without a copy.
inline View reshape(const View &view, const std::vector<std::int64_t> &shape,
                    const Where &where) {
  const auto product = [](const std::vector<std::int64_t> &sizes) {
    std::int64_t count = 1;
    for (std::int64_t size : sizes)
      count *= size;
    return count;
  };
  const bool tile = onChip(view, where);
  if (product(shape) != product(view.sizes) || shape.empty())
    fail("KILN-A004",
         "a view of shape " + shapeText(view.sizes) + " (" +
             std::to_string(product(view.sizes)) +
             " elements) cannot be reshaped to " + shapeText(shape) + " (" +
             std::to_string(product(shape)) + ")",
         "keep the number of elements", where);
  if (tile && (shape.size() < 2 || shape[0] != view.sizes[0]))
    fail("KILN-A016",
         "reshaping a tile of shape " + shapeText(view.sizes) + " to " +
             shapeText(shape) + " would mix rows and columns",
         "keep dimension 0", where);
  View result = view;
  result.sizes = shape;
  result.strides.assign(shape.size(), 1);
  std::size_t from = tile ? 1 : 0, to = from;
  if (tile)
    result.strides[0] = view.strides[0];
  while (to < shape.size() || from < view.sizes.size()) {
    // Groups of dimensions with equal products.
    std::size_t fromEnd = from, toEnd = to;
    std::int64_t a = 1, b = 1;
    do {
      if (a <= b && fromEnd < view.sizes.size())
        a *= view.sizes[fromEnd++];
      else if (toEnd < shape.size())
        b *= shape[toEnd++];
      else
        a *= view.sizes[fromEnd++];
    } while (a != b);
    for (std::size_t i = from; i + 1 < fromEnd; ++i)
      if (view.sizes[i] != 1 && view.sizes[i + 1] != 1 &&
          view.strides[i] != view.strides[i + 1] * view.sizes[i + 1])
        fail("KILN-A004",
             "dimensions " + std::to_string(i) + " and " +
                 std::to_string(i + 1) + " of a view of shape " +
                 shapeText(view.sizes) + " are not contiguous",
             "reshape before slicing", where);
    std::int64_t step = fromEnd > from ? view.strides[fromEnd - 1] : 1;
    for (std::size_t i = fromEnd; i-- > from;)
      if (view.sizes[i] != 1) {
        step = view.strides[i];
        break;
      }
    for (std::size_t i = toEnd; i-- > to;) {
      result.strides[i] = step;
      step *= shape[i];
    }
    from = fromEnd;
    to = toEnd;
  }
  return result;
}

inline View broadcast(View view, std::int64_t dim, std::int64_t size,
                      const Where &where) {
  checkDim(view, dim, where);
  const auto d = static_cast<std::size_t>(dim);
  if (view.sizes[d] != 1 || size < 1)
    fail("KILN-A004",
         "dimension " + std::to_string(dim) + " has extent " +
             std::to_string(view.sizes[d]) + " and cannot be repeated " +
             std::to_string(size) + " times",
         "broadcast a dimension of extent 1", where);
  if (d == 0 && onChip(view, where))
    fail("KILN-A016", "the rows of a tile cannot be repeated by a view",
         "broadcast the HBM view before loading it", where);
  view.sizes[d] = size;
  view.strides[d] = 0;
  return view;
}

//===----------------------------------------------------------------------===//
// The methods
//===----------------------------------------------------------------------===//

template <class... E>
using ExtentShape = Shape<staticExtent<std::remove_cvref_t<E>>()...>;

/// `Self` offers `StaticShape`, `View viewOf(where)` and
/// `template <class S> static auto make(View)`.
template <class Self> class ViewMethods {
public:
  /// Rows i*n to i*n + n - 1.
  template <Extent N>
  auto rows(const Index &i, const N &n, Where where = Where::current()) const {
    return rows_at(i * Index(n), n, where);
  }
  /// Rows start to start + n - 1.
  template <Extent N>
  auto rows_at(const Index &start, const N &n,
               Where where = Where::current()) const {
    return sliced<0>(start, n, where);
  }
  /// Columns (the last dimension) j*n to j*n + n - 1.
  template <Extent N>
  auto cols(const Index &j, const N &n, Where where = Where::current()) const {
    return cols_at(j * Index(n), n, where);
  }
  template <Extent N>
  auto cols_at(const Index &start, const N &n,
               Where where = Where::current()) const {
    return sliced<shape<>::rank - 1>(start, n, where);
  }
  /// Elements start, start + step, ... of one dimension.
  template <Extent D, Extent N>
  auto slice(const D &dim, const Index &start, const N &size,
             std::int64_t step = 1, Where where = Where::current()) const {
    View view = dsl::slice(self().viewOf(where), extentValue(dim), start,
                           extentValue(size), step, where);
    if constexpr (ConstantExtent<D>)
      return Self::template make<
          ReplaceExtent<shape<>, D::value, staticExtent<N>()>>(std::move(view));
    else
      return Self::template make<DynamicShape<shape<>::rank>>(std::move(view));
  }
  /// One index of a dimension, which disappears.
  template <Extent D>
  auto select(const D &dim, const Index &index,
              Where where = Where::current()) const {
    static_assert(shape<>::rank > 1, "kiln: nothing would be left to see");
    View view =
        dsl::select(self().viewOf(where), extentValue(dim), index, where);
    if constexpr (ConstantExtent<D>)
      return Self::template make<EraseExtent<shape<>, D::value>>(
          std::move(view));
    else
      return Self::template make<DynamicShape<shape<>::rank - 1>>(
          std::move(view));
  }
  /// Dimensions in another order: permute(1, 0).
  template <Extent A, Extent B>
  auto permute(const A &a, const B &b, Where where = Where::current()) const {
    return permuted(where, a, b);
  }
  template <Extent A, Extent B, Extent C>
  auto permute(const A &a, const B &b, const C &c,
               Where where = Where::current()) const {
    return permuted(where, a, b, c);
  }
  template <Extent A, Extent B, Extent C, Extent D>
  auto permute(const A &a, const B &b, const C &c, const D &d,
               Where where = Where::current()) const {
    return permuted(where, a, b, c, d);
  }
  /// Splits and merges dimensions, row-major.
  template <Extent A>
  auto reshape(const A &a, Where where = Where::current()) const {
    return reshaped(where, a);
  }
  template <Extent A, Extent B>
  auto reshape(const A &a, const B &b, Where where = Where::current()) const {
    return reshaped(where, a, b);
  }
  template <Extent A, Extent B, Extent C>
  auto reshape(const A &a, const B &b, const C &c,
               Where where = Where::current()) const {
    return reshaped(where, a, b, c);
  }
  template <Extent A, Extent B, Extent C, Extent D>
  auto reshape(const A &a, const B &b, const C &c, const D &d,
               Where where = Where::current()) const {
    return reshaped(where, a, b, c, d);
  }
  /// Repeats a dimension of extent 1.
  template <Extent D, Extent N>
  auto broadcast(const D &dim, const N &size,
                 Where where = Where::current()) const {
    View view = dsl::broadcast(self().viewOf(where), extentValue(dim),
                               extentValue(size), where);
    if constexpr (ConstantExtent<D>)
      return Self::template make<
          ReplaceExtent<shape<>, D::value, staticExtent<N>()>>(std::move(view));
    else
      return Self::template make<DynamicShape<shape<>::rank>>(std::move(view));
  }

private:
  // StaticShape, looked up late: Self is incomplete while this is parsed.
  template <class S = Self> using shape = typename S::StaticShape;

  const Self &self() const { return static_cast<const Self &>(*this); }
  template <class... E>
  auto permuted(const Where &where, const E &...order) const {
    static_assert(sizeof...(E) == shape<>::rank,
                  "kiln: permute names every dimension once");
    return Self::template make<DynamicShape<shape<>::rank>>(
        dsl::permute(self().viewOf(where), {extentValue(order)...}, where));
  }
  template <class... E>
  auto reshaped(const Where &where, const E &...extents) const {
    return Self::template make<ExtentShape<E...>>(
        dsl::reshape(self().viewOf(where), {extentValue(extents)...}, where));
  }
  template <std::size_t D, Extent N>
  auto sliced(const Index &start, const N &n, const Where &where) const {
    constexpr std::int64_t have = ShapeOf<shape<>>::extents[D];
    constexpr std::int64_t want = staticExtent<N>();
    static_assert(want == dynamic || have == dynamic || want <= have,
                  "kiln: the slice is longer than the dimension");
    return Self::template make<ReplaceExtent<shape<>, D, want>>(
        dsl::slice(self().viewOf(where), D, start, extentValue(n), 1, where));
  }
};

} // namespace dsl
} // namespace kiln

#endif // KILN_DSL_VIEW_H

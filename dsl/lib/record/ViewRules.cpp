//===- ViewRules.cpp - The arithmetic of views
//-----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view is (value, offset, sizes, strides); slices, selections, permutations,
// reshapes and broadcasts fold into that, or are refused.
//
//===----------------------------------------------------------------------===//

#include "ViewRules.h"

#include "RowsByIndex.h"

#include <optional>
#include <string>

namespace kiln::dsl {

void addOffset(Recorder &recorder, View &view, const IndexValue &index,
               std::int64_t factor, const Where &where) {
  IndexArithmetic arithmetic(recorder, where);
  IndexValue offset;
  if (view.offset != none) {
    const program::IndexNode &node = recorder.program.indices[view.offset];
    offset = node.kind == IndexKind::constant ? IndexValue{node.value}
                                              : IndexValue{0, view.offset};
  }
  const IndexValue sum =
      arithmetic.sum(offset, arithmetic.times(index, factor));
  view.offset =
      isConstant(sum) && sum.constant == 0 ? none : idOf(recorder, sum);
}

void checkDim(const View &view, std::int64_t dim, const Where &where) {
  if (dim < 0 || dim >= static_cast<std::int64_t>(view.sizes.size()))
    fail("KILN-A004",
         "dimension " + std::to_string(dim) + " of a view of shape " +
             shapeText(view.sizes) + " does not exist",
         "dimensions count from 0 to " +
             std::to_string(static_cast<std::int64_t>(view.sizes.size()) - 1),
         where);
}

bool onChip(const Recorder &recorder, const View &view) {
  return recorder.value(view.value).kind != ValueKind::tensor;
}

View slice(Recorder &recorder, View view, std::int64_t dim,
           const IndexValue &start, std::int64_t size, std::int64_t step,
           const Where &where) {
  checkDim(view, dim, where);
  checkAddress(recorder, start, where);
  const auto d = static_cast<std::size_t>(dim);
  const std::int64_t extent = view.sizes[d];
  if (size < 1 || step < 1)
    fail("KILN-A012",
         "a slice has size " + std::to_string(size) + " and step " +
             std::to_string(step) + "; both must be at least 1",
         "guard the call with a C++ if", where);
  const Range range = rangeOf(recorder, start);
  const std::int64_t last = range.high + (size - 1) * step;
  if (range.low <= range.high && range.exact &&
      (range.low < 0 || last >= extent))
    fail("KILN-A003",
         "a slice covers " + std::to_string(range.low) + " to " +
             std::to_string(last) + " of dimension " + std::to_string(dim) +
             ", which has extent " + std::to_string(extent),
         "use tiles() to split off a ragged tail, or shrink the loop", where);
  // HBM accesses are checked at run time; nothing separates neighbours on chip.
  if (onChip(recorder, view) && isDynamic(recorder, start) &&
      (range.low < 0 || last >= extent))
    fail("KILN-A020",
         "a register chooses rows or columns of a tile, " +
             std::to_string(range.low) + " to " + std::to_string(last) +
             " as far as is known; dimension " + std::to_string(dim) +
             " has extent " + std::to_string(extent),
         "slice the HBM view by the register, or bound the register: "
         "max(min(register, number), 0)",
         where);
  if (d == 0 && onChip(recorder, view)) {
    if (step != 1)
      fail("KILN-A016",
           "rows of a tile are chosen with a step, but partitions can only be "
           "addressed consecutively",
           "slice the free dimension, or use a C++ for loop", where);
    if (!isConstant(start))
      return rowsByIndex(recorder, view, start, size, where);
    view.row += start.constant;
  } else {
    addOffset(recorder, view, start, view.strides[d], where);
    view.strides[d] *= step;
  }
  view.sizes[d] = size;
  return view;
}

View select(Recorder &recorder, View view, std::int64_t dim,
            const IndexValue &index, const Where &where) {
  view = slice(recorder, std::move(view), dim, index, 1, 1, where);
  if (onChip(recorder, view) && (dim == 0 || view.sizes.size() <= 2))
    fail("KILN-A016",
         "selecting from dimension " + std::to_string(dim) +
             " would leave a tile without rows or columns",
         "use slice(dim, i, 1) to keep the dimension", where);
  view.sizes.erase(view.sizes.begin() + dim);
  view.strides.erase(view.strides.begin() + dim);
  return view;
}

View permute(Recorder &recorder, const View &view,
             const std::vector<std::int64_t> &order, const Where &where) {
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
  if (onChip(recorder, view) && order[0] != 0)
    fail("KILN-A016", "a view of a tile cannot move its rows to columns",
         "use transpose(), which moves data", where);
  return result;
}

/// The operation after which its dimensions cannot be joined.
static const char *whatComesFirst(const View &view) {
  std::int64_t outer = 0;
  bool repeats = false;
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    if (view.sizes[i] == 1)
      continue;
    if (outer > 0 && view.strides[i] > outer)
      return "reshape before permuting, or store the permuted view and load it "
             "again";
    outer = view.strides[i];
    repeats |= outer == 0;
  }
  return repeats ? "reshape before repeating" : "reshape before slicing";
}

View reshape(Recorder &recorder, const View &view,
             const std::vector<std::int64_t> &shape, const Where &where) {
  const auto product = [](const std::vector<std::int64_t> &sizes) {
    std::int64_t count = 1;
    for (std::int64_t size : sizes)
      count *= size;
    return count;
  };
  const bool tile = onChip(recorder, view);
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
             whatComesFirst(view), where);
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

View broadcast(Recorder &recorder, View view, std::int64_t dim,
               std::int64_t size, const Where &where) {
  checkDim(view, dim, where);
  const auto d = static_cast<std::size_t>(dim);
  if (view.sizes[d] != 1 || size < 1)
    fail("KILN-A004",
         "dimension " + std::to_string(dim) + " has extent " +
             std::to_string(view.sizes[d]) + " and cannot be repeated " +
             std::to_string(size) + " times",
         "broadcast a dimension of extent 1", where);
  if (d == 0 && onChip(recorder, view))
    fail("KILN-A016", "the rows of a tile cannot be repeated by a view",
         "broadcast the HBM view before loading it", where);
  view.sizes[d] = size;
  view.strides[d] = 0;
  return view;
}

namespace {

/// `index` / `by`, or nothing if the division leaves a remainder.
std::optional<IndexValue> divided(Recorder &recorder, Id index, std::int64_t by,
                                  const Where &where) {
  IndexArithmetic arithmetic(recorder, where);
  const program::IndexNode node = recorder.program.indices[index];
  const auto part = [&](Id id) { return divided(recorder, id, by, where); };
  switch (node.kind) {
  case IndexKind::constant:
    if (node.value % by == 0)
      return IndexValue{node.value / by};
    return std::nullopt;
  case IndexKind::multiply:
    if (node.value % by == 0)
      return arithmetic.times({0, node.lhs}, node.value / by);
    if (const std::optional<IndexValue> lhs = part(node.lhs))
      return arithmetic.times(*lhs, node.value);
    return std::nullopt;
  case IndexKind::add:
  case IndexKind::minimum:
  case IndexKind::maximum: {
    const std::optional<IndexValue> lhs = part(node.lhs), rhs = part(node.rhs);
    if (!lhs || !rhs)
      return std::nullopt;
    return arithmetic.compute(node.kind, *lhs, *rhs);
  }
  default:
    return std::nullopt;
  }
}

[[noreturn]] void failBytes(const View &view, DType dtype, std::string_view why,
                            const Where &where) {
  fail("KILN-A035",
       "a view of shape " + shapeText(view.sizes) + " and type " +
           std::string(isa::name(view.dtype)) + " cannot be viewed as " +
           std::string(isa::name(dtype)) + ": " + std::string(why),
       "bitcast the whole tensor or tile first, then slice what you get",
       where);
}

/// Bytes of a row of the tile, or of all of the tensor.
std::int64_t bytesOfRow(const Recorder &recorder, const View &view) {
  const Value &value = recorder.value(view.value);
  std::int64_t bytes = isa::sizeInBytes(value.dtype);
  for (std::size_t i = onChip(recorder, view) ? 1 : 0; i < value.shape.size();
       ++i)
    bytes *= value.shape[i];
  return bytes;
}

} // namespace

View bitcast(Recorder &recorder, View view, DType dtype, const Where &where) {
  const std::int64_t from = isa::sizeInBytes(view.dtype),
                     to = isa::sizeInBytes(dtype);
  const View given = view;
  view.dtype = dtype;
  if (from == to)
    return view;
  const std::size_t last = view.sizes.size() - 1;
  const std::size_t first = onChip(recorder, view) ? 1 : 0;
  if (view.sizes[last] != 1 && view.strides[last] != 1)
    failBytes(given, dtype,
              "elements of its last dimension are <|" +
                  std::to_string(view.strides[last] * from) +
                  "|> bytes apart, expected [|" + std::to_string(from) + "|]",
              where);
  view.strides[last] = 1;
  if (to < from) {
    const std::int64_t parts = from / to;
    view.sizes[last] *= parts;
    for (std::size_t i = first; i < last; ++i)
      view.strides[i] *= parts;
    if (view.offset != none)
      view.offset =
          idOf(recorder,
               IndexArithmetic(recorder, where).times({0, view.offset}, parts));
    return view;
  }
  const std::int64_t parts = to / from;
  if (view.sizes[last] % parts != 0)
    failBytes(
        given, dtype,
        "its last dimension has <|" + std::to_string(view.sizes[last] * from) +
            "|> bytes, expected [|a multiple of " + std::to_string(to) + "|]",
        where);
  view.sizes[last] /= parts;
  for (std::size_t i = first; i < last; ++i) {
    if (view.sizes[i] != 1 && view.strides[i] % parts != 0)
      failBytes(given, dtype,
                "elements of dimension " + std::to_string(i) + " are <|" +
                    std::to_string(view.strides[i] * from) +
                    "|> bytes apart, expected [|a multiple of " +
                    std::to_string(to) + "|]",
                where);
    view.strides[i] /= parts;
  }
  if (bytesOfRow(recorder, view) % to != 0)
    failBytes(given, dtype,
              std::string(first ? "a row of the tile" : "the tensor") +
                  " has <|" + std::to_string(bytesOfRow(recorder, view)) +
                  "|> bytes, expected [|a multiple of " + std::to_string(to) +
                  "|]",
              where);
  if (view.offset == none)
    return view;
  const std::optional<IndexValue> offset =
      divided(recorder, view.offset, parts, where);
  if (!offset)
    failBytes(given, dtype,
              "it may start between two elements of " + std::to_string(to) +
                  " bytes",
              where);
  view.offset = isConstant(*offset) && offset->constant == 0
                    ? none
                    : idOf(recorder, *offset);
  return view;
}

} // namespace kiln::dsl

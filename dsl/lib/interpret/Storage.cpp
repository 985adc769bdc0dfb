//===- Storage.cpp - Memory of the interpreter ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"

#include <utility>

namespace kiln::interpret {

std::int64_t countOf(std::span<const std::int64_t> sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes)
    count *= size;
  return count;
}

static std::string textOf(std::span<const std::int64_t> sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + ']';
}

Storage::Storage(DType dtype, std::vector<std::int64_t> extents, bool onChip)
    : dtype(dtype), shape(std::move(extents)), onChip(onChip),
      perElement(isa::info(dtype).values), elements(countOf(shape)),
      rowSize(shape.empty() ? 1 : countOf(std::span(shape).subspan(1))) {
  numbers.assign(static_cast<std::size_t>(elements) * perElement, unwritten());
}

Storage &Storage::seenAs(DType as) {
  if (as == dtype)
    return *this;
  std::unique_ptr<Storage> &other = seen[as];
  if (other)
    return *other;
  const std::int64_t width = isa::sizeInBytes(as);
  const auto scaled = [&](std::int64_t extent) {
    return extent * isa::sizeInBytes(dtype) / width;
  };
  std::vector<std::int64_t> extents = shape;
  if (onChip)
    extents = {shape.front(), scaled(rowSize)};
  else if (!shape.empty() &&
           shape.back() * isa::sizeInBytes(dtype) % width == 0)
    extents.back() = scaled(shape.back());
  else
    extents = {scaled(elements)};
  other = std::make_unique<Storage>(as, std::move(extents), onChip);
  other->numbers = {};
  other->seenOf = this;
  return *other;
}

std::int64_t Array::cols() const {
  return sizes.empty()
             ? 1
             : countOf(std::span(sizes).subspan(1)) * isa::info(dtype).values;
}

Array makeArray(DType dtype, std::vector<std::int64_t> sizes) {
  const auto count = static_cast<std::size_t>(countOf(sizes));
  Array array{dtype, std::move(sizes), {}};
  array.numbers.resize(count * isa::info(dtype).values);
  return array;
}

std::int64_t Window::element(std::span<const std::int64_t> place) const {
  std::int64_t at = offset;
  std::int64_t first = 0; // row of an on-chip value
  for (std::size_t i = 0; i < strides.size() && i < place.size(); ++i) {
    if (i == 0 && storage->onChip)
      first = row + place[0] * strides[0];
    else
      at += place[i] * strides[i];
  }
  if (!storage->onChip)
    return at >= 0 && at < storage->elements ? at : -1;
  if (first < 0 || first >= storage->shape.front() || at < 0 ||
      at >= storage->rowSize)
    return -1;
  return first * storage->rowSize + at;
}

std::vector<std::int64_t> Window::list() const {
  std::vector<std::int64_t> result;
  std::vector<std::int64_t> place(sizes.size(), 0);
  const std::int64_t count = elements();
  result.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    result.push_back(element(place));
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (++place[d] < sizes[d])
        break;
      place[d] = 0;
    }
  }
  return result;
}

Window Window::rows(std::int64_t first, std::int64_t count) const {
  Window part = *this;
  part.sizes.front() = count;
  if (storage->onChip)
    part.row += first * strides.front();
  else
    part.offset += first * strides.front();
  return part;
}

std::string Window::text() const {
  return "a view with offset " + std::to_string(offset) +
         (storage->onChip ? ", row " + std::to_string(row) : std::string()) +
         ", sizes " + textOf(sizes) + " and strides " + textOf(strides) +
         " of a tensor of shape " + textOf(storage->shape);
}

} // namespace kiln::interpret

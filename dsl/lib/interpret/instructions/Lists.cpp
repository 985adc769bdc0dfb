//===- Lists.cpp - Lists of places, gathers -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

#include <algorithm>

namespace kiln::interpret {

namespace {

bool areExact(const Array &array, std::int64_t row) {
  for (std::int64_t col = 0; col < array.cols(); ++col)
    if (!isExact(array.at(row, col)))
      return false;
  return true;
}

} // namespace

/// Only lanes 0, 16, .. are touched.
void interpretNonzeroWithCount(Call &call) {
  const Window source = call.operand("src").window;
  const Window target = call.operand("dst").window;
  const std::int64_t cols = colsOf(call, "src");
  if (colsOf(call, "dst") != cols + 1 ||
      source.sizes.front() != target.sizes.front())
    return call.fail("operands of 'nonzero_with_count' do not fit");
  for (std::int64_t lane = 0; lane < source.sizes.front(); lane += laneGroup) {
    const Array src = call.machine.read(source.rows(lane, 1));
    Array result = makeArray(DType::i32, target.rows(lane, 1).sizes);
    const auto padding = static_cast<double>(call.integer("padding_val", -1));
    std::int64_t found = 0;
    bool isOpen = false;
    for (Number &number : result.numbers)
      number = exactly(padding);
    for (std::int64_t col = 0; col < cols; ++col) {
      const Number &x = src.at(0, col);
      const Truth nonzero = isNonzero(x);
      isOpen |= nonzero == Truth::open;
      if (nonzero == Truth::yes)
        result.at(0, found++) =
            exactly(static_cast<double>(static_cast<std::int32_t>(
                static_cast<std::uint32_t>(call.integer("index_offset")) +
                static_cast<std::uint32_t>(col))));
    }
    result.at(0, cols) = exactly(static_cast<double>(found));
    if (isOpen)
      std::fill(result.numbers.begin(), result.numbers.end(),
                anyInteger(DType::i32));
    writeLane(call, "dst", lane, result);
  }
}

void interpretSequenceBounds(Call &call) {
  const Array ids = call.readWide("segment_ids");
  Array result = call.resultOf("dst");
  const std::int64_t n = ids.cols();
  if (ids.rows() != 1 || result.numbers.size() != 2 * ids.numbers.size())
    return call.fail("operands of 'sequence_bounds' do not fit");
  if (!areExact(ids, 0)) {
    for (Number &number : result.numbers)
      number = within(0, -1, static_cast<double>(n));
    return call.write("dst", result);
  }
  const auto id = [&](std::int64_t i) { return ids.at(0, i).value; };
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t first = i, behind = i + 1;
    while (first > 0 && id(first - 1) == id(i))
      --first;
    while (behind < n && id(behind) == id(i))
      ++behind;
    const bool isPadding = id(i) == 0;
    result.numbers[static_cast<std::size_t>(i)] =
        exactly(static_cast<double>(isPadding ? n : first));
    result.numbers[static_cast<std::size_t>(n + i)] =
        exactly(static_cast<double>(isPadding ? -1 : behind));
  }
  call.write("dst", result);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

void interpretLocalGather(Call &call) {
  const Array src = call.read("src_buffer"), index = call.read("index");
  const std::int64_t each = call.integer("num_elem_per_idx", 1);
  const std::int64_t entries =
      call.integer("num_valid_indices", laneGroup * index.cols());
  const std::int64_t parts = isa::info(src.dtype).values;
  Array result = makeArray(src.dtype, call.operand("dst").window.sizes);
  if (result.rows() != src.rows() || index.rows() != src.rows() ||
      src.rows() % laneGroup != 0 || each < 1 ||
      entries > laneGroup * index.cols() ||
      result.cols() != entries * each * parts)
    return call.fail("operands of 'local_gather' do not fit");
  for (std::int64_t row = 0; row < src.rows(); ++row)
    for (std::int64_t col = 0; col < result.cols(); ++col) {
      const std::int64_t element = col / parts, entry = element / each;
      const Number &place = index.at(
          row / laneGroup * laneGroup + entry % laneGroup, entry / laneGroup);
      Number &number = result.at(row, col);
      if (!isExact(place)) {
        number = unknown();
        continue;
      }
      const std::int64_t from =
          static_cast<std::int64_t>(place.value) + element % each;
      if (from * parts >= src.cols())
        return call.fail("'local_gather' takes element " +
                         std::to_string(from) + " of " +
                         std::to_string(src.cols() / parts));
      number = src.at(row, from * parts + col % parts);
    }
  call.write("dst", result);
}

void interpretNGather(Call &call) {
  const Array data = call.read("data"), indices = call.read("indices");
  const std::int64_t parts = isa::info(data.dtype).values;
  const std::int64_t count = data.cols() / parts;
  Array result = makeArray(data.dtype, call.operand("dst").window.sizes);
  if (result.rows() != data.rows() || indices.rows() != data.rows() ||
      result.cols() != indices.cols() * parts)
    return call.fail("operands of 'nc_n_gather' do not fit");
  for (std::int64_t row = 0; row < data.rows(); ++row)
    for (std::int64_t col = 0; col < result.cols(); ++col) {
      const Number &place = indices.at(row, col / parts);
      const double last = static_cast<double>(count - 1);
      if (isExact(place) && !(place.value >= 0 && place.value <= last))
        return call.fail("'nc_n_gather' takes element " +
                         std::to_string(place.value) + " of " +
                         std::to_string(count));
      // Any of those that an uncertain index may mean.
      const bool isKnown = !isUnknown(place);
      const auto clamped = [&](double x) {
        return static_cast<std::int64_t>(std::clamp(x, 0.0, last));
      };
      const std::int64_t from = isKnown ? clamped(low(place)) : 0;
      const std::int64_t to = isKnown ? clamped(high(place)) : count - 1;
      const std::int64_t center =
          isKnown ? std::clamp(clamped(place.value), from, to) : from;
      Number number = data.at(row, center * parts + col % parts);
      for (std::int64_t i = from; i <= to && !isExact(place); ++i)
        number = either(number, data.at(row, i * parts + col % parts));
      result.at(row, col) = number;
    }
  call.write("dst", result);
}

} // namespace kiln::interpret

//===- Copies.cpp - Copies, fills, shuffles -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

#include <cmath>

namespace kiln::interpret {

void interpretTensorCopy(Call &call) {
  writePlaces(call, "dst", readPlaces(call, "src"));
}

void interpretTensorCopyPredicated(Call &call) {
  const Array predicate = readPlaces(call, "predicate");
  Array source;
  if (call.has("src")) {
    source = call.read("src");
  } else {
    source = mapped(predicate, typeOf(call, "dst"), [&](auto, std::size_t) {
      return roundTo(typeOf(call, "dst"), call.scalar("src", 0));
    });
  }
  if (!areEqualCounts(call, {&predicate, &source}))
    return;
  std::vector<Truth> chosen;
  for (const Number &number : predicate.numbers)
    chosen.push_back(call.flag("reverse_pred") ? opposite(isNonzero(number))
                                               : isNonzero(number));
  writeWhere(call, "dst", source, chosen);
}

void interpretMemset(Call &call) {
  const DType dtype = typeOf(call, "dst");
  const double value = call.number("value");
  const bool isInteger = !isa::isFloat(dtype);
  if (isInteger && value != std::nearbyint(value))
    return call.fail("memset gives a tile of integers the value " +
                     std::to_string(value));
  if ((isa::isPacked(dtype) || dtype == DType::f8e8m0) && value != 0)
    return call.fail("memset gives a tile of type " +
                     std::string(isa::name(dtype)) + " another value than 0");
  // All bits zero is the smallest number of f8e8m0, which has no zero.
  const double number = dtype == DType::f8e8m0 ? 0x1p-127
                        : isInteger
                            ? roundTo(dtype, value)
                            : roundTo(dtype, roundTo(DType::f32, value));
  Array array = makeArray(dtype, call.operand("dst").window.sizes);
  for (Number &n : array.numbers)
    n = exactly(number);
  call.write("dst", array);
}

/// Lane i of each quadrant takes lane mask[i]; 255 keeps what it has.
void interpretStreamShuffle(Call &call) {
  const std::vector<std::int64_t> mask = call.list("shuffle_mask");
  const Array source = call.read("src");
  Array result = makeArray(source.dtype, call.operand("dst").window.sizes);
  if (mask.size() != 32 || source.cols() != result.cols())
    return call.fail("operands of 'nc_stream_shuffle' do not fit");
  const auto perLane = static_cast<std::size_t>(colsOf(call, "dst"));
  std::vector<Truth> chosen;
  for (std::int64_t lane = 0; lane < result.rows(); ++lane) {
    const std::int64_t taken = mask[static_cast<std::size_t>(lane % 32)];
    const std::int64_t from = lane / 32 * 32 + taken;
    chosen.insert(chosen.end(), perLane, taken == 255 ? Truth::no : Truth::yes);
    if (taken == 255)
      continue;
    if (taken < 0 || taken > 31 || from >= source.rows())
      return call.fail("'nc_stream_shuffle' takes lane " +
                       std::to_string(from) + " of " +
                       std::to_string(source.rows()));
    for (std::int64_t col = 0; col < result.cols(); ++col)
      result.at(lane, col) = source.at(from, col);
  }
  writeWhere(call, "dst", result, chosen);
}

} // namespace kiln::interpret

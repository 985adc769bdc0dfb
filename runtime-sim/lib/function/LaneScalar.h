//===- LaneScalar.h - A number, or one per lane -----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_LANESCALAR_H
#define KILN_SIM_LIB_FUNCTION_LANESCALAR_H

#include "Lanes.h"
#include "Rows.h"

#include <cstring>

namespace kiln::sim {

/// An operand that is a number or a [P, 1] tile.
class LaneScalar {
public:
  LaneScalar(const Lanes &lanes, const isa::ScalarOrTile &operand)
      : converter(lanes.converter) {
    if (const auto *access = std::get_if<isa::Access>(&operand)) {
      isTile = true;
      tile = lanes.view(*access);
    } else if (const auto *integer = std::get_if<std::int32_t>(&operand)) {
      immediate = static_cast<float>(*integer);
    } else {
      immediate = std::get<float>(operand);
    }
  }
  /// 0 without an operand.
  LaneScalar(const Lanes &lanes,
             const isa::Optional<isa::ScalarOrTile> &operand)
      : LaneScalar(lanes, operand ? *operand : isa::ScalarOrTile(0.0f)) {}

  float at(unsigned lane) const {
    if (!isTile)
      return immediate;
    float value;
    if (tile.dtype == isa::DType::f32 && converter.readsInPlace())
      std::memcpy(&value, tile.lane(lane), sizeof value);
    else
      converter.widen(tile.dtype, tile.lane(lane), &value, 1);
    return value;
  }
  /// Writing `dst` in place must not disturb what `at` reads later.
  bool disturbedBy(const View &dst) const {
    return isTile && overlapsInPart(dst, tile);
  }

private:
  const Converter &converter;
  bool isTile = false;
  float immediate = 0;
  View tile;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_LANESCALAR_H

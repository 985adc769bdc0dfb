//===- Microscaling.cpp - Small floats with shared scales -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scale belongs to 8 lanes x 4 packed values. Row g of a tile's scales lies
// at lane 32 * (g / 4) + g % 4 of the scale operand; lanes between are not its.
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Multiply.h"
#include "Rows.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace kiln::sim {

namespace {

constexpr unsigned groupLanes = 8;
constexpr unsigned packed = 4;
constexpr int scaleBias = 127;
constexpr float infinity = std::numeric_limits<float>::infinity();

unsigned scaleLane(unsigned group) { return 32 * (group / 4) + group % 4; }

/// Of a positive finite number, all of which are normal in binary64.
int exponentOf(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023;
}
double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023)
                               << 52);
}

/// An index of the data lists the columns of its scales, too.
View scaleView(Lanes &lanes, const isa::Access &access, const View &data,
               Outcome &outcome) {
  View result = lanes.view(access);
  if (!data.places)
    return result;
  const unsigned groups = isa::ceilDiv(data.lanes, data.groupLanes);
  const std::uint64_t numPlaces = groups * data.elements();
  auto *places = lanes.scratch.get<std::int64_t>(numPlaces);
  const std::int64_t begin = lanes.cursor->byteOffset(access);
  for (std::uint64_t i = 0; i < numPlaces; ++i) {
    places[i] = data.places[i] / data.layout.elementBytes;
    if (begin + places[i] < 0 ||
        begin + places[i] >= lanes.memory.laneBytes(access.space)) {
      outcome = Outcome::indexOutsideScales;
      places[i] = 0;
    }
  }
  result.places = places;
  result.groupLanes = data.groupLanes;
  result.layout = Layout{};
  result.layout.elementBytes = 1;
  result.layout.elements = data.elements();
  result.layout.rank = 1;
  result.layout.dims[0] = {0, data.elements()};
  return result;
}

/// Row (k, q) for each lane k and packed place q, times its scale.
Kernels::Rows scaledRows(Lanes &lanes, const View &data, const View &scale) {
  const std::size_t n = data.elements();
  RowSource source(lanes, data);
  auto *codes = lanes.scratch.get<std::uint8_t>(scale.elements());
  float *factors = lanes.scratch.get<float>(scale.elements());
  float *const rows =
      lanes.scratch.get<float>(std::size_t{data.lanes} * packed * n);
  float *row = rows;
  for (unsigned k = 0; k < data.lanes; ++k) {
    if (k % groupLanes == 0) {
      gather(scale, scaleLane(k / groupLanes), codes);
      // A scale may also be written as u8.
      lanes.converter.widen(isa::DType::f8e8m0, codes, factors,
                            scale.elements());
    }
    const float *values = source.row(k);
    for (unsigned q = 0; q < packed; ++q, row += n)
      for (std::size_t i = 0; i < n; ++i)
        row[i] = values[i * packed + q] * factors[i];
  }
  return {rows, static_cast<std::ptrdiff_t>(n * sizeof(float)), false};
}

} // namespace

Outcome run(Lanes &lanes, const isa::NcMatmulMx &op) {
  lanes.products.settle();
  const View dst = lanes.view(op.dst, op.dst_index);
  const View stationary = lanes.view(op.stationary, op.stationary_index);
  const View moving = lanes.view(op.moving, op.moving_index);
  Outcome outcome = Outcome::done;
  const View stationaryScale =
      scaleView(lanes, op.stationary_scale, stationary, outcome);
  const View movingScale = scaleView(lanes, op.moving_scale, moving, outcome);
  if (outcome != Outcome::done)
    return outcome;
  const Kernels::Rows left = scaledRows(lanes, stationary, stationaryScale);
  const Kernels::Rows right = scaledRows(lanes, moving, movingScale);
  multiplyRows(lanes, dst, left, right, std::size_t{stationary.lanes} * packed,
               stationary.elements(), moving.elements(), op.accumulate);
  lanes.products.settle();
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::QuantizeMx &op) {
  const View dst = lanes.view(op.dst);
  const View src = lanes.view(op.src);
  const View scale = lanes.view(op.dst_scale);
  const int largestExponent = dst.dtype == isa::DType::f8e4m3fn_x4 ? 8 : 15;
  const std::uint64_t n = src.elements();
  const std::uint64_t columns = n / packed;
  float *block = lanes.scratch.get<float>(groupLanes * n);
  auto *codes = lanes.scratch.get<std::uint8_t>(columns);
  auto *out = lanes.scratch.get<std::uint8_t>(n);
  RowSource source(lanes, src);
  for (unsigned first = 0; first < src.lanes; first += groupLanes) {
    for (unsigned k = 0; k < groupLanes; ++k) {
      const float *row = source.row(first + k);
      std::copy(row, row + n, block + k * n);
    }
    for (std::uint64_t c = 0; c < columns; ++c) {
      float largest = 0;
      bool finite = true;
      for (unsigned k = 0; k < groupLanes; ++k)
        for (unsigned q = 0; q < packed; ++q) {
          const float value = block[k * n + c * packed + q];
          const float size = value < 0 ? -value : value;
          finite = finite && size < infinity;
          largest = std::max(largest, size);
        }
      const int exponent = largest == 0 ? 0 : exponentOf(largest);
      const int code =
          std::clamp(exponent - (largestExponent - 1) + scaleBias, 0, 254);
      codes[c] = static_cast<std::uint8_t>(!finite        ? 255
                                           : largest == 0 ? 0
                                                          : code);
      // Exact: a power of two in binary64.
      const double inverse = powerOfTwo(scaleBias - codes[c]);
      for (unsigned k = 0; k < groupLanes; ++k)
        for (unsigned q = 0; q < packed; ++q) {
          float &value = block[k * n + c * packed + q];
          value = finite ? static_cast<float>(value * inverse)
                         : std::numeric_limits<float>::quiet_NaN();
        }
    }
    for (unsigned k = 0; k < groupLanes; ++k) {
      lanes.kernels.canonicalise(block + k * n, n);
      lanes.converter.narrow(dst.dtype, block + k * n, out, n);
      scatter(out, dst, first + k);
    }
    scatter(codes, scale, scaleLane(first / groupLanes));
  }
  return Outcome::done;
}

} // namespace kiln::sim

//===- Microscaling.cpp - Packed floats with shared scales --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"
#include "Products.h"

#include <algorithm>
#include <cmath>

namespace kiln::interpret {

namespace {

constexpr std::int64_t groupRows = 8, groupParts = 4;

/// Row g of scales lies at this row of their operand.
std::int64_t scaleRow(std::int64_t group) {
  return 32 * (group / 4) + group % 4;
}

/// The factor that a scale stands for: a code of u8, or the number itself.
Number factorOf(const Number &scale, DType dtype) {
  if (dtype == DType::f8e8m0 || isUnknown(scale))
    return scale;
  if (!isExact(scale))
    return unknown();
  return exactly(scale.value == 255 ? notANumber
                                    : std::exp2(scale.value - 127));
}

/// x * factor in fp32; the factor is a power of two.
Number scaled(const Number &x, const Number &factor) {
  if (!isExact(factor) || isUnknown(x))
    return unknown();
  return roundTo(DType::f32,
                 Number{x.value * factor.value, x.bound * factor.value});
}

/// An operand as fp32 with its scales: [4 K, M].
Array scaledOperand(Call &call, std::string_view name) {
  const std::string scaleName = std::string(name) + "_scale";
  const std::string indexName = std::string(name) + "_index";
  const Array packed = readPlaces(call, name, tensorLaneGroup);
  Array result = splitRows(packed, groupParts, true);
  const Array scales =
      readColumns(call, scaleName, indexName, result.cols(), tensorLaneGroup);
  if (scaleRow((packed.rows() - 1) / groupRows) >= scales.rows())
    call.fail("'" + scaleName + "' has " + std::to_string(scales.rows()) +
              " rows for " + std::to_string(packed.rows()) + " of '" +
              std::string(name) + "'");
  for (std::int64_t row = 0; row < result.rows() && !call.failed(); ++row)
    for (std::int64_t col = 0; col < result.cols(); ++col) {
      const std::int64_t group = row / groupParts / groupRows;
      Number &number = result.at(row, col);
      number = scaled(number,
                      factorOf(scales.at(scaleRow(group), col), scales.dtype));
    }
  return result;
}

} // namespace

void interpretMatmulMx(Call &call) {
  const Array stationary = scaledOperand(call, "stationary");
  const Array moving = scaledOperand(call, "moving");
  if (stationary.rows() != moving.rows())
    call.fail("operands of 'nc_matmul_mx' differ in their rows");
  if (!call.failed())
    writeProduct(call, productOf(stationary, moving));
}

//===----------------------------------------------------------------------===//
// quantize_mx
//===----------------------------------------------------------------------===//

namespace {

/// The scale of a group, as a code.
double codeOf(double largest, int largestExponent) {
  if (!std::isfinite(largest))
    return 255;
  if (largest == 0)
    return 0;
  const int exponent = std::ilogb(largest);
  return std::clamp(exponent - (largestExponent - 1) + 127, 0, 254);
}

Number quantized(const Number &x, double code, DType dtype) {
  if (code == 255)
    return exactly(notANumber);
  const double factor = std::exp2(127 - code);
  return roundTo(dtype, Number{x.value * factor, x.bound * factor});
}

} // namespace

void interpretQuantizeMx(Call &call) {
  const Array src = call.readWide("src");
  const DType dtype = typeOf(call, "dst");
  const DType scaleType = typeOf(call, "dst_scale");
  const int largestExponent = dtype == DType::f8e5m2_x4 ? 15 : 8;
  Array result = makeArray(dtype, call.operand("dst").window.sizes);
  const std::int64_t width = src.cols() / groupParts;
  if (src.rows() % groupRows != 0 || result.cols() != src.cols() ||
      colsOf(call, "dst_scale") != width ||
      scaleRow(src.rows() / groupRows - 1) >= rowsOf(call, "dst_scale"))
    return call.fail("operands of 'quantize_mx' do not fit");
  for (std::int64_t group = 0; group < src.rows() / groupRows; ++group) {
    Array scales =
        makeArray(scaleType, call.operand("dst_scale").window.rows(0, 1).sizes);
    for (std::int64_t col = 0; col < width; ++col) {
      Number largest = exactly(0);
      const auto eachElement = [&](auto &&use) {
        for (std::int64_t row = 0; row < groupRows; ++row)
          for (std::int64_t part = 0; part < groupParts; ++part)
            use(group * groupRows + row, col * groupParts + part);
      };
      eachElement([&](std::int64_t row, std::int64_t at) {
        largest = maximum(largest, absolute(src.at(row, at)));
      });
      const bool isKnown = !isUnknown(largest);
      const auto code = [&](double x) { return codeOf(x, largestExponent); };
      const Number scale = isKnown ? within(code(largest.value),
                                            code(std::fmax(low(largest), 0)),
                                            code(high(largest)))
                                   : within(127, 0, 255);
      scales.at(0, col) =
          scaleType != DType::f8e8m0 ? scale
          : !isExact(scale)
              ? unknown()
              : exactly(scale.value == 255 ? notANumber
                                           : std::exp2(scale.value - 127));
      eachElement([&](std::int64_t row, std::int64_t at) {
        result.at(row, at) =
            isExact(scale) ? quantized(src.at(row, at), scale.value, dtype)
                           : unknown();
      });
    }
    writeLane(call, "dst_scale", scaleRow(group), scales);
  }
  call.write("dst", result);
}

} // namespace kiln::interpret

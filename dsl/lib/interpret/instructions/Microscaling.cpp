//===- Microscaling.cpp - Packed floats with shared scales --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Scales.h"
#include "Meanings.h"
#include "Operands.h"
#include "Products.h"

#include <vector>

namespace kiln::interpret {

namespace {

constexpr std::int64_t groupRows = 8, groupParts = 4;

/// Row g of scales lies at this row of their operand.
std::int64_t scaleRow(std::int64_t group) {
  return 32 * (group / 4) + group % 4;
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

void interpretQuantizeMx(Call &call) {
  const Array src = call.readWide("src");
  const DType dtype = typeOf(call, "dst");
  const DType scaleType = typeOf(call, "dst_scale");
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
      std::vector<Number> numbers;
      const auto eachElement = [&](auto &&use) {
        for (std::int64_t row = 0; row < groupRows; ++row)
          for (std::int64_t part = 0; part < groupParts; ++part)
            use(group * groupRows + row, col * groupParts + part);
      };
      eachElement([&](std::int64_t row, std::int64_t at) {
        numbers.push_back(src.at(row, at));
      });
      const Number code = scaleCodeOf(numbers, dtype);
      scales.at(0, col) = scaleType == DType::f8e8m0 ? powerOfCode(code) : code;
      eachElement([&](std::int64_t row, std::int64_t at) {
        result.at(row, at) = quantized(src.at(row, at), code, dtype);
      });
    }
    writeLane(call, "dst_scale", scaleRow(group), scales);
  }
  call.write("dst", result);
}

} // namespace kiln::interpret

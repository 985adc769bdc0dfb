//===- Products.cpp - Products and transposes ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "Meanings.h"
#include "Operands.h"

#include <cfloat>
#include <cmath>

namespace kiln::interpret {

namespace {

/// A sum in fp32, and how far a machine may be from it.
struct Sum {
  float value = 0;
  double bound = 0;

  void take(const Number &a, const Number &b) {
    value = std::fma(static_cast<float>(a.value), static_cast<float>(b.value),
                     value);
    if (bound == 0 && a.bound == 0 && b.bound == 0)
      return;
    // Operands within their bounds, and a rounding on either side.
    const double distance = bound + std::fabs(a.value) * b.bound +
                            std::fabs(b.value) * a.bound + a.bound * b.bound;
    const double size = std::fabs(static_cast<double>(value)) + distance;
    bound = (distance + size * 0x1p-23 + 0x1p-149) * (1 + 0x1p-40);
    if (!(size + bound < FLT_MAX))
      bound = unbounded;
  }
  Number number() const { return {value, bound}; }
};

} // namespace

Array productOf(const Array &stationary, const Array &moving) {
  const std::int64_t rows = stationary.rows(), m = stationary.cols(),
                     n = moving.cols();
  std::vector<Sum> sums(static_cast<std::size_t>(m * n));
  for (std::int64_t k = 0; k < rows; ++k)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        sums[static_cast<std::size_t>(i * n + j)].take(stationary.at(k, i),
                                                       moving.at(k, j));
  Array result = makeArray(DType::f32, {m, n});
  for (std::size_t i = 0; i < sums.size(); ++i)
    result.numbers[i] = sums[i].number();
  return result;
}

Array splitRows(const Array &array, std::int64_t parts, bool isInnermost) {
  const std::int64_t cols = array.cols() / parts;
  Array result = makeArray(DType::f32, {array.rows() * parts, cols});
  for (std::int64_t row = 0; row < array.rows(); ++row)
    for (std::int64_t part = 0; part < parts; ++part)
      for (std::int64_t col = 0; col < cols; ++col)
        result.at(row * parts + part, col) =
            array.at(row, isInnermost ? col * parts + part : part * cols + col);
  return result;
}

void writeProduct(Call &call, const Array &product) {
  if (!call.flag("accumulate"))
    return writePlaces(call, "dst", product, tensorLaneGroup);
  const Array before = readWidePlaces(call, "dst", tensorLaneGroup);
  if (!areEqualCounts(call, {&product, &before}))
    return;
  writePlaces(call, "dst",
              mapped(product, DType::f32,
                     [&](auto, std::size_t i) {
                       return stage(isa::AluOp::add, before.numbers[i],
                                    product.numbers[i]);
                     }),
              tensorLaneGroup);
}

void interpretMatmul(Call &call) {
  const auto operand = [&](std::string_view name) {
    const Array array = readWidePlaces(call, name, tensorLaneGroup);
    const bool isDouble =
        call.choice("perf_mode", isa::PerformanceMode::none) ==
        isa::PerformanceMode::double_row;
    return splitRows(array, isDouble ? 2 : 1, false);
  };
  const bool isTranspose =
      call.flag("is_transpose") &&
      call.machine.options.generation != isa::Generation::v2;
  if (isTranspose) { // bit for bit
    const Array data = readPlaces(call, "stationary", tensorLaneGroup);
    Array turned = makeArray(data.dtype, {data.cols(), data.rows()});
    for (std::int64_t row = 0; row < data.rows(); ++row)
      for (std::int64_t col = 0; col < data.cols(); ++col)
        turned.at(col, row) = data.at(row, col);
    return writePlaces(call, "dst", turned, tensorLaneGroup);
  }
  const Array stationary = operand("stationary"), moving = operand("moving");
  if (stationary.rows() != moving.rows())
    return call.fail("'nc_matmul' has " + std::to_string(stationary.rows()) +
                     " rows of stationary and " +
                     std::to_string(moving.rows()) + " of moving");
  writeProduct(call, productOf(stationary, moving));
}

void interpretTranspose(Call &call) {
  const Array data = call.read("data");
  const std::int64_t parts = isa::info(data.dtype).values;
  const std::int64_t cols = data.cols() / parts;
  Array result = makeArray(data.dtype, {cols, data.rows()});
  bool isFinite = true;
  for (std::int64_t row = 0; row < data.rows(); ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      for (std::int64_t part = 0; part < parts; ++part) {
        const Number &number = data.at(row, col * parts + part);
        result.at(col, row * parts + part) = number;
        isFinite &= std::isfinite(number.value) && !isUnknown(number);
      }
  // On trn1 the tensor engine multiplies by an identity, so that infinities and
  // NaN spread to other elements.
  const bool byProduct =
      call.machine.options.generation == isa::Generation::v2 && usesPsum(call);
  for (Number &number : result.numbers)
    if (byProduct && !isFinite)
      number = unknown();
  call.write("dst", result);
}

} // namespace kiln::interpret

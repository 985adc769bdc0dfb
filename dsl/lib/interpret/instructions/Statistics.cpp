//===- Statistics.cpp - Means and squared distances ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

namespace kiln::interpret {

using isa::AluOp;

namespace {

Number plus(const Number &a, const Number &b) {
  return stage(AluOp::add, a, b);
}
Number times(const Number &a, const Number &b) {
  return stage(AluOp::multiply, a, b);
}
Number minus(const Number &a, const Number &b) {
  return stage(AluOp::subtract, a, b);
}
Number squared(const Number &a) { return stage(AluOp::square, a, exactly(0)); }

/// a / b in fp32.
Number over(const Number &a, const Number &b) {
  if (isExact(b))
    return quotient(a, b.value);
  if (isUnknown(a) || isUnknown(b) || low(b) * high(b) <= 0)
    return unknown();
  return either(roundTo(DType::f32, divide(a, b)),
                exactly(roundTo(DType::f32, a.value / b.value)));
}

} // namespace

void interpretBnStats(Call &call) {
  const Array data = call.readWide("data");
  Array result = call.resultOf("dst");
  if (result.cols() != 6 || result.rows() != data.rows())
    return call.fail("dst of 'bn_stats' is not six elements in each partition");
  for (std::int64_t row = 0; row < data.rows(); ++row)
    for (std::int64_t odd = 0; odd < 2; ++odd) {
      Number sum = exactly(0), squares = exactly(0), mean = exactly(0);
      double count = 0;
      for (std::int64_t col = odd; col < data.cols(); col += 2, ++count)
        sum = plus(sum, data.at(row, col));
      if (count > 0)
        mean = quotient(sum, count);
      for (std::int64_t col = odd; col < data.cols(); col += 2)
        squares = plus(squares, squared(minus(data.at(row, col), mean)));
      result.at(row, 3 * odd) = exactly(count);
      result.at(row, 3 * odd + 1) = mean;
      result.at(row, 3 * odd + 2) = squares;
    }
  call.write("dst", result);
}

void interpretBnAggr(Call &call) {
  const Array data = call.readWide("data");
  Array result = call.resultOf("dst");
  if (result.cols() != 2 || result.rows() != data.rows() ||
      data.cols() % 3 != 0)
    return call.fail("'bn_aggr' takes triples and gives two elements");
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    Number count = exactly(0), sum = exactly(0), own = exactly(0),
           between = exactly(0);
    for (std::int64_t i = 0; i < data.cols(); i += 3) {
      count = plus(count, data.at(row, i));
      sum = plus(sum, times(data.at(row, i), data.at(row, i + 1)));
      own = plus(own, data.at(row, i + 2));
    }
    result.at(row, 0) = result.at(row, 1) = exactly(0);
    const Truth isEmpty = opposite(isNonzero(count));
    if (isEmpty == Truth::open)
      result.at(row, 0) = result.at(row, 1) = unknown();
    if (isEmpty != Truth::no)
      continue;
    const Number mean = over(sum, count);
    for (std::int64_t i = 0; i < data.cols(); i += 3)
      between = plus(between, times(data.at(row, i),
                                    squared(minus(data.at(row, i + 1), mean))));
    result.at(row, 0) = mean;
    result.at(row, 1) = over(plus(own, between), count);
  }
  call.write("dst", result);
}

} // namespace kiln::interpret

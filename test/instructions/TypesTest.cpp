//===- TypesTest.cpp - Every element type, from tensor to tensor ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>

namespace kiln::test::types_test {

namespace {

constexpr std::size_t rows = 130, cols = 24;
constexpr std::size_t count = rows * cols;
const std::vector<Extents> two{{rows, cols}, {rows, cols}};

/// Loads, copies and stores keep every bit.
template <class T> void checkMoves() {
  INFO(isa::name(T::dtype));
  const Values x = someValues(count * isa::info(T::dtype).values, T::dtype);
  checkSame(
      run<In<T, 2>, Out<T, 2>>(
          "trn3", two, {x}, [](auto a, auto y) { store(y, copy(load(a))); })[0],
      x);
}

/// To T, with its rounding and limits, and back to f32.
template <class T> void checkCast() {
  INFO(isa::name(T::dtype));
  Values x = someValues(count, isa::DType::f32, 2), want(count);
  for (double &value : x)
    value = f(value * 150); // beyond the ends of 8-bit integers
  for (std::size_t i = 0; i < count; ++i) {
    if (T::dtype == isa::DType::boolean) {
      want[i] = x[i] != 0;
    } else if (isa::isFloat(T::dtype)) {
      want[i] = rounded(x[i], T::dtype);
    } else {
      const tool::IntegerRange range = tool::rangeOf(T::dtype);
      want[i] = std::clamp(std::nearbyint(x[i]), double(range.low),
                           double(range.high));
    }
  }
  checkSame(run<In<f32, 2>, Out<f32, 2>>("trn1", two, {x},
                                         [](auto a, auto y) {
                                           store(y,
                                                 cast<f32>(cast<T>(load(a))));
                                         })[0],
            want);
}

template <class T> void checkTransposes(const char *target) {
  INFO(isa::name(T::dtype) << " on " << target);
  const Values x = someValues(count, T::dtype, 5);
  Values turned(count);
  for (std::size_t i = 0; i < count; ++i)
    turned[i] = x[i % rows * cols + i / rows];
  const auto out = run<In<T, 2>, Out<T, 2>, Out<T, 2>>(
      target, {{rows, cols}, {cols, rows}, {cols, rows}}, {x},
      [](auto a, auto y, auto z) {
        store(y, transpose(load(a)));
        store(z, load_transposed(a));
      });
  checkSame(out[0], turned);
  checkSame(out[1], turned);
}

} // namespace

TEST_CASE("types are transposed bit for bit") {
  for (const char *target : {"trn1", "trn2", "trn3"}) {
    checkTransposes<f32>(target);
    checkTransposes<bf16>(target);
    checkTransposes<f8e4m3>(target);
    checkTransposes<f8e5m2>(target);
  }
  for (const char *target : {"trn2", "trn3"}) {
    checkTransposes<i32>(target);
    checkTransposes<u16>(target);
    checkTransposes<u8>(target);
  }
}

TEST_CASE("every type is loaded and stored bit for bit") {
  checkMoves<f32>();
  checkMoves<tf32>();
  checkMoves<bf16>();
  checkMoves<f16>();
  checkMoves<f8e4m3>();
  checkMoves<f8e4m3fn>();
  checkMoves<f8e5m2>();
  checkMoves<f8e8m0>();
  checkMoves<i32>();
  checkMoves<u32>();
  checkMoves<i16>();
  checkMoves<u16>();
  checkMoves<i8>();
  checkMoves<u8>();
  checkMoves<boolean>();
  checkMoves<f8e4m3fn_x4>();
  checkMoves<f8e5m2_x4>();
  checkMoves<f4e2m1fn_x4>();
}

TEST_CASE("every number type is cast to and from") {
  checkCast<tf32>();
  checkCast<bf16>();
  checkCast<f16>();
  checkCast<f8e4m3>();
  checkCast<f8e4m3fn>();
  checkCast<f8e5m2>();
  checkCast<i32>();
  checkCast<u32>();
  checkCast<i16>();
  checkCast<u16>();
  checkCast<i8>();
  checkCast<u8>();
  checkCast<boolean>();
}

TEST_CASE("arithmetic reads every number type as fp32 does") {
  // Below trn3, f8e4m3fn is only moved.
  const Values x = someValues(count, isa::DType::f8e4m3, 3);
  const Values y = someValues(count, isa::DType::f8e5m2, 4);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = rounded(f(x[i]) * f(y[i]) + 0.5f, isa::DType::f8e4m3fn);
  checkSame(
      run<In<f8e4m3, 2>, In<f8e5m2, 2>, Out<f8e4m3fn, 2>>(
          "trn3", {{rows, cols}, {rows, cols}, {rows, cols}}, {x, y},
          [](auto a, auto b, auto z) { store(z, load(a) * load(b) + 0.5); })[0],
      want);
  // The tensor engine multiplies 8-bit floats as they are.
  Values product(cols * cols);
  for (std::size_t m = 0; m < cols; ++m)
    for (std::size_t n = 0; n < cols; ++n)
      for (std::size_t k = 0; k < rows; ++k)
        product[m * cols + n] += x[k * cols + m] * x[k * cols + n];
  checkNear(run<In<f8e4m3, 2>, Out<f32, 2>>("trn2",
                                            {{rows, cols}, {cols, cols}}, {x},
                                            [](auto a, auto z) {
                                              auto t = load(a);
                                              store(z, matmul(t, t));
                                            })[0],
            product, 1e-5);
}

} // namespace kiln::test::types_test

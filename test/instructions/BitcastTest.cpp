//===- BitcastTest.cpp - The same bytes as elements of another type -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <cstring>

namespace kiln::test::bitcast_test {

using nc::AluOp;

namespace {

constexpr std::size_t rows = 128, cols = 32, count = rows * cols;
constexpr isa::DType F32 = isa::DType::f32;

/// The bits of a number, and a number with these bits.
std::uint32_t bitsOf(double value, isa::DType dtype) {
  return isa::isFloat(dtype)
             ? tool::encodeFloat(value, dtype)
             : static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}
double numberOf(std::uint32_t bits, isa::DType dtype) {
  if (isa::isFloat(dtype))
    return tool::decodeFloat(bits, dtype);
  const unsigned width = 8 * isa::sizeInBytes(dtype);
  const bool isNegative =
      isa::info(dtype).isSigned && (bits >> (width - 1) & 1) != 0;
  return static_cast<double>(bits) - (isNegative ? std::ldexp(1.0, width) : 0);
}

/// What the bytes of `values` are as elements of `to`.
Values seenAs(const Values &values, isa::DType from, isa::DType to) {
  std::vector<unsigned char> bytes(values.size() * isa::sizeInBytes(from));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t bits = bitsOf(values[i], from);
    std::memcpy(&bytes[i * isa::sizeInBytes(from)], &bits,
                isa::sizeInBytes(from));
  }
  Values result(bytes.size() / isa::sizeInBytes(to));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &bytes[i * isa::sizeInBytes(to)], isa::sizeInBytes(to));
    result[i] = numberOf(bits, to);
  }
  return result;
}

/// Whole numbers whose bytes are floats that are not NaN, and the other way
/// around.
Values plainValues(std::size_t n, isa::DType dtype) {
  Values values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = isa::isFloat(dtype)
                    ? rounded(1.0 + static_cast<double>(i % 61) / 8, dtype)
                    : static_cast<double>(i * 7 % 53 + 1);
  return values;
}

/// Loads as one type, stores as another: on chip, from HBM, and to HBM.
template <class From, class To> void checkSeen(const std::string &target) {
  INFO(isa::name(From::dtype)
       << " as " << isa::name(To::dtype) << " on " << target);
  const Values a = plainValues(count, From::dtype);
  const Values want = seenAs(a, From::dtype, To::dtype);
  const auto wide = static_cast<std::int64_t>(want.size() / rows);
  const auto found = run<In<From, 2>, Out<To, 2>, Out<To, 2>, Out<To, 2>>(
      target, {{rows, cols}, {rows, wide}, {rows, wide}, {rows, wide}}, {a},
      [&](auto x, auto onChip, auto source, auto sink) {
        store(onChip, bitcast<To>(load(x)));
        store(source, load(bitcast<To>(x)));
        store(bitcast<From>(sink), load(x));
      });
  for (const Values &values : found)
    checkSame(values, want);
}

} // namespace

TEST_CASE("bytes are seen as elements of another type") {
  checkSeen<f32, u32>("trn2");
  checkSeen<f32, u16>("trn2");
  checkSeen<f32, u8>("trn2");
  checkSeen<f32, bf16>("trn2");
  checkSeen<bf16, i16>("trn2");
  checkSeen<u16, f16>("trn2");
  checkSeen<u8, u32>("trn2");
  checkSeen<u8, i16>("trn1");
  checkSeen<bf16, u32>("trn1");
  checkSeen<i32, i8>("trn3");
  checkSeen<f8e4m3, u8>("trn3");
  checkSeen<u32, f32>("trn3");
}

TEST_CASE("a part is seen, and what comes after it") {
  const Values a = plainValues(count, F32);
  const Values bytes = seenAs(a, F32, isa::DType::u8);
  const Values halves = seenAs(a, F32, isa::DType::u16);
  Values wantHigh(count), wantPart(rows * 12), wantHbm(16 * 8);
  for (std::size_t i = 0; i < count; ++i)
    wantHigh[i] = halves[2 * i + 1];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < 12; ++j)
      wantPart[r * 12 + j] = bytes[(r * cols + 5) * 4 + j];
  for (std::size_t r = 0; r < 16; ++r)
    for (std::size_t j = 0; j < 8; ++j)
      wantHbm[r * 8 + j] = bytes[((r + 64) * cols + 6) * 4 + j];
  const auto found = run<In<f32, 2>, Out<u16, 2>, Out<u8, 2>, Out<u8, 2>>(
      "trn2", {{rows, cols}, {rows, cols}, {rows, 12}, {16, 8}}, {a},
      [&](auto x, auto high, auto part, auto hbm) {
        auto t = load(x);
        store(high, bitcast<u16>(t).slice(1, 1, static_cast<int>(cols), 2));
        store(part, bitcast<u8>(t.cols_at(5, 3_c)));
        store(hbm, load(bitcast<u8>(x.rows(4, 16_c).cols_at(6, 2_c))));
      });
  checkSame(found[0], wantHigh);
  checkSame(found[1], wantPart);
  checkSame(found[2], wantHbm);
}

TEST_CASE("tiles of many rows are seen as another type") {
  const std::size_t tall = 300;
  const Values a = plainValues(tall * cols, F32);
  const Values want = seenAs(a, F32, isa::DType::u16);
  const auto found = run<In<f32, 2>, Out<u16, 2>, Out<f32, 2>>(
      "trn2", {{300, cols}, {300, 2 * cols}, {300, cols}}, {a},
      [&](auto x, auto y, auto z) {
        auto t = load(x);
        store(y, bitcast<u16>(t));
        auto u = sbuf<u16>(300_c, 64_c);
        bitcast<f32>(u) = t;
        store(z, bitcast<f32>(u));
      });
  checkSame(found[0], want);
  checkSame(found[1], a);
}

TEST_CASE("assignments through a view of another type are seen") {
  Values a = someValues(count, F32);
  Values wantSign(count), wantByte(count);
  for (std::size_t i = 0; i < count; ++i) {
    wantSign[i] = std::fabs(a[i]);
    std::uint32_t bits = bitsOf(-std::fabs(a[i]), F32);
    wantByte[i] = numberOf(i % cols == 3 ? bits & 0xff00ffff : bits, F32);
  }
  const auto found = run<In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      "trn2", {{rows, cols}, {rows, cols}, {rows, cols}}, {a},
      [&](auto x, auto y, auto z) {
        auto t = sbuf<f32>(128_c, 32_c);
        t = load(x);
        bitcast<u32>(t) = bitwise_and(bitcast<u32>(t), 0x7fffffff);
        store(y, t);
        t = -1.0 * t; // Both kinds of writes, in turn.
        bitcast<u8>(t).cols_at(3 * 4 + 2, 1_c) = zeros<u8>(128_c, 1_c);
        store(z, t);
      });
  checkSame(found[0], wantSign);
  checkSame(found[1], wantByte);
}

TEST_CASE("a tile that changes in a loop is seen as it is") {
  const Values a = plainValues(count, F32);
  Values want;
  Values now = a;
  for (int i = 0; i < 4; ++i) {
    for (double &value : now)
      value = f(value * 1.5);
    // Byte 1 of each number becomes i.
    for (double &value : now)
      value = numberOf((bitsOf(value, F32) & 0xffff00ff) |
                           static_cast<std::uint32_t>(i) << 8,
                       F32);
    const Values bytes = seenAs(now, F32, isa::DType::u16);
    want.insert(want.end(), bytes.begin(), bytes.end());
  }
  const auto found = run<In<f32, 2>, Out<u16, 2>>(
      "trn2", {{rows, cols}, {4 * rows, 2 * cols}}, {a}, [&](auto x, auto y) {
        auto t = load(x);
        auto number = zeros<f32>(128_c, 1_c);
        loop("i", 4, [&](Index i) {
          t = t * 1.5;
          bitcast<u8>(t).slice(1, 1, static_cast<int>(cols), 4) =
              cast<u8>(broadcast_to(number, 128, static_cast<int>(cols)));
          number = number + 1.0;
          store(y.rows(i, 128_c), bitcast<u16>(t));
        });
      });
  checkSame(found[0], want);
}

TEST_CASE("a loop's index offsets a view of another type") {
  const Values a = plainValues(count, isa::DType::u8);
  const Values want = seenAs(a, isa::DType::u8, isa::DType::u16);
  const auto found = run<In<u8, 2>, Out<u16, 2>, Out<u16, 2>, InOut<u16, 2>>(
      "trn2", {{rows, cols}, {rows, 16}, {rows, 16}, {rows, 16}},
      {a, Values(rows * 16, 9.0)}, [&](auto x, auto y, auto z, auto w) {
        auto t = load(x);
        loop("j", 4, [&](Index j) {
          store(y.cols(j, 4_c), load(bitcast<u16>(x.cols(j, 8_c))));
          store(z.cols(j, 4_c), copy(bitcast<u16>(t.cols(j, 8_c))));
          store(bitcast<u8>(w.cols_at(j * 4 + 2, 2_c)),
                t.cols_at(j * 8 + 4, 4_c));
        });
      });
  checkSame(found[0], want);
  checkSame(found[1], want);
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(found[2][i] == (i % 4 < 2 ? 9.0 : want[i]));
}

TEST_CASE("instructions take views of another type") {
  const Values a = plainValues(count, F32);
  Values bits = seenAs(a, F32, isa::DType::u32), want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = numberOf(static_cast<std::uint32_t>(bits[i]) ^ 0x80000000U, F32);
  const auto found = run<In<f32, 2>, Out<f32, 2>, Out<u32, 2>, Out<u8, 2>>(
      "trn2", {{rows, cols}, {rows, cols}, {rows, cols}, {4 * cols, rows}}, {a},
      [&](auto x, auto y, auto z, auto w) {
        auto t = sbuf<f32>(128_c, 32_c);
        nc::dma_copy(bitcast<u32>(t), bitcast<u32>(x));
        // In PSUM: a copy that does not convert.
        auto p = psum<f32>(128_c, 32_c);
        nc::tensor_copy(p, t, {.engine = nc::Engine::vector});
        auto u = sbuf<u32>(128_c, 32_c);
        nc::tensor_copy(u, bitcast<u32>(p), {.engine = nc::Engine::vector});
        nc::tensor_scalar(bitcast<u32>(t), u, AluOp::bitwise_xor,
                          std::int64_t(0x80000000));
        store(y, t);
        store(z, u);
        store(w, transpose(bitcast<u8>(bitcast<f32>(u))));
      });
  checkSame(found[0], want);
  checkSame(found[1], bits);
  const Values bytes = seenAs(a, F32, isa::DType::u8);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < 4 * cols; ++j)
      CHECK(found[2][j * rows + r] == bytes[r * 4 * cols + j]);
}

TEST_CASE("rows of a table are chosen as elements of another type") {
  const Values a = plainValues(64 * cols, F32);
  const Values halves = seenAs(a, F32, isa::DType::bf16);
  Values index(32), want(32 * 2 * cols);
  for (std::size_t i = 0; i < 32; ++i) {
    index[i] = static_cast<double>(i * 37 % 64);
    for (std::size_t j = 0; j < 2 * cols; ++j)
      want[i * 2 * cols + j] =
          halves[static_cast<std::size_t>(index[i]) * 2 * cols + j];
  }
  const auto found = run<In<f32, 2>, In<i32, 2>, Out<bf16, 2>>(
      "trn2", {{64, cols}, {32, 1}, {32, 2 * cols}}, {a, index},
      [&](auto x, auto n, auto y) {
        store(y, load_rows(bitcast<bf16>(x), load(n)));
      });
  checkSame(found[0], want);
}

TEST_CASE("quantised rows carry their scales in bytes of their own") {
  const Values a = someValues(count, F32);
  const auto found = run<In<f32, 2>, Out<u8, 2>, Out<f32, 2>>(
      "trn2", {{rows, cols}, {rows, cols + 4}, {rows, cols}}, {a},
      [&](auto x, auto y, auto z) {
        auto q = quantize_rows<f8e4m3>(load(x));
        store(bitcast<f8e4m3>(y.cols_at(0, 32_c)), q.data);
        store(bitcast<f32>(y.cols_at(32, 4_c)), q.scales);
        store(z, q.scales * cast<f32>(q.data));
      });
  for (std::size_t r = 0; r < rows; ++r) {
    const double *row = &found[0][r * (cols + 4)];
    std::uint32_t bits = 0;
    for (std::size_t i = 4; i-- > 0;)
      bits = bits << 8 | static_cast<std::uint32_t>(row[cols + i]);
    const float scale = f(numberOf(bits, F32));
    for (std::size_t j = 0; j < cols; ++j)
      CHECK(found[1][r * cols + j] ==
            f(scale * f(numberOf(static_cast<std::uint32_t>(row[j]),
                                 isa::DType::f8e4m3))));
  }
}

} // namespace kiln::test::bitcast_test

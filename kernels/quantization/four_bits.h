//===- four_bits.h - MX floats of 4 bits ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine multiplies MX floats of 4 bits, but quantize_mx makes only 8-bit
// ones. These are made of ordinary operations. The numbers that 3 bits hold are
// 0, 0.5, 1, 1.5, 2, 3, 4, 6, so the code of a magnitude a is the nearest
// integer to min(2 a, a + 2, a / 2 + 4), with ties to even.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_FOUR_BITS_H
#define KILN_KERNELS_QUANTIZATION_FOUR_BITS_H

#include "kiln/kiln.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>

namespace kiln::kernels {

class FourBits {
public:
  /// What of a row is on chip at a time.
  static constexpr std::int64_t deep = 4096;

  FourBits() {
    auto unit = identity<f16>(tile);
    for (const double factor : {1.0, 16.0, 256.0, 4096.0})
      for (const double bit : {1.0, 8.0})
        factors.push_back(cast<f16>(factor * bit * unit));
  }

  /// Rows of bf16 [n, size], n at most 128, size a multiple of 128: y
  /// [size / 4, n] and scales [size / 32, n]. 32 neighbours in a row share the
  /// scale that brings the largest magnitude to between 4 and 8; what is beyond
  /// 6 becomes 6.
  void put(const auto &rows, const auto &scales, const auto &y) const {
    const std::int64_t n = rows.dim(0), size = rows.dim(1), groups = size / 32;
    auto magnitudes = sbuf<bf16>(n, size);
    magnitudes = cast<bf16>(abs(rows));
    auto most = sbuf<bf16>(n, groups);
    nc::tensor_reduce(most, nc::AluOp::maximum,
                      magnitudes.reshape(n, groups, 32));
    // The exponent of the scale is 2 below that of the largest magnitude.
    auto exponents = cast<f32>(right_shift(bitcast<u16>(most), 7));
    auto lower = max(exponents, 2.0) - 2.0;
    // Infinity and NaN have no scale.
    auto its = cast<u8>(where(exponents < 255.0, lower, 255.0));
    store(bitcast<u8>(scales), transpose(its));
    // Half of 1 / scale.
    auto factor = sbuf<u16>(n, groups);
    factor = left_shift(cast<u16>(253.0 - lower), 7);
    auto half = sbuf<f16>(n, size);
    half.reshape(n, groups, 32) = magnitudes.reshape(n, groups, 32) *
                                  bitcast<bf16>(factor).reshape(n, groups, 1);
    const auto codes = codesOf(half);
    const auto signs = cast<f16>(rows < 0.0);
    putCodes(codes, signs, y);
  }

private:
  static constexpr std::int64_t tile = 128;
  /// From here to 2048, every f16 is an integer: the sum of this and a number
  /// is rounded to an integer. The lowest bits of the f16 are the code.
  static constexpr double integers = 1536;

  /// integers + the codes of 2 * half. Of what is not a number: integers +
  /// anything, so that it does not spread in a product.
  static auto codesOf(const auto &half) {
    auto small = cast<f16>(4.0 * half + integers);
    auto medium = cast<f16>(2.0 * half + (integers + 2));
    auto large = cast<f16>(min(half, 3.0) + (integers + 4));
    auto codes = sbuf<f16>(half.dim(0), half.dim(1));
    codes = cast<f16>(min(small, cast<f16>(min(medium, large))));
    bitcast<u16>(codes) = bitwise_and(bitcast<u16>(codes), 0x6607);
    return codes;
  }

  /// A product transposes and packs: number 4 r + j becomes bits 4 j to 4 j + 3
  /// of row r.
  void putCodes(const auto &codes, const auto &signs, const auto &y) const {
    const std::int64_t n = codes.dim(0), size = codes.dim(1);
    for (std::int64_t k = 0; k < size; k += 4 * tile) {
      const std::int64_t width = plain::min(4 * tile, size - k) / 4;
      const auto some = [&](const auto &from, std::int64_t j, int bit) {
        const auto &unit = factors[static_cast<std::size_t>(2 * j + bit)];
        return matmul(from.slice(1_c, k + j, width, 4),
                      unit.rows_at(0, n).cols_at(0, n));
      };
      auto sum = some(codes, 0, 0);
      for (std::int64_t j = 0; j < 4; ++j) {
        if (j > 0)
          sum = sum + some(codes, j, 0);
        sum = sum + some(signs, j, 1);
      }
      store(bitcast<u16>(y).rows_at(k / 4, width),
            cast<u16>(sum - integers * 0x1111));
    }
  }

  List<Tile<f16, -1, -1>> factors; ///< 16^j, 8 * 16^j on the diagonal.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_FOUR_BITS_H

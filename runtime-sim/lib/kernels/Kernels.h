//===- Kernels.h - Loops over rows, once per instruction set ----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loops of the executor, compiled several times for several vector
// instruction sets of the host. Every version gives the same bits: each result
// is a fixed sequence of correctly rounded IEEE operations, and wider vectors
// only compute more independent results at once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_KERNELS_KERNELS_H
#define KILN_SIM_LIB_KERNELS_KERNELS_H

#include "kiln/isa/enums.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace kiln::sim {

/// Rows are contiguous. An output may be an input exactly, never overlap it in
/// part.
struct Kernels {
  const char *name;

  /// To and from fp32, by DType. `narrow` keeps the sign of a NaN.
  using Widen = void (*)(const void *in, float *out, std::size_t n);
  using Narrow = void (*)(const float *in, void *out, std::size_t n);
  Widen widen[6];
  Narrow narrow[6];
  /// Replaces every NaN by 0x7fc00000: hosts differ in the NaN they produce.
  void (*canonicalise)(float *data, std::size_t n);

  /// By AluOp. `vs` computes in op b, `sv` b op in. Unary ones ignore b.
  using Binary = void (*)(const float *a, const float *b, float *out,
                          std::size_t n);
  using Scalar = void (*)(const float *in, float b, float *out, std::size_t n);
  Binary vv[17];
  Scalar vs[17];
  Scalar sv[17];
  /// The same on 32-bit integers, wrapping.
  using IntBinary = void (*)(const std::int32_t *a, const std::int32_t *b,
                             std::int32_t *out, std::size_t n);
  IntBinary intVv[17];

  /// out = fma(in, scale, bias).
  void (*affine)(const float *in, float scale, float bias, float *out,
                 std::size_t n);
  /// By ActivationFunction.
  using Unary = void (*)(const float *in, float *out, std::size_t n);
  Unary activation[16];

  /// acc[r] = (..(acc[r] + rows[r][0]) + ..) + rows[r][n - 1], for up to
  /// `maxSumRows` rows at once to hide the latency of the ordered chain.
  void (*sumRows)(const float *const *rows, std::size_t count, std::size_t n,
                  float *acc);
  static constexpr std::size_t maxSumRows = 8;
  float (*maxRow)(float start, const float *in, std::size_t n);
  float (*minRow)(float start, const float *in, std::size_t n);

  /// Matrix product. Panels: stationary [m / mr][k][mr], moving [n /
  /// nr][k][nr], the last ones padded; `packRow` puts row k into panels of
  /// `width`.
  std::size_t mr, nr;
  void (*packRow)(const float *row, std::size_t n, float *panels,
                  std::size_t width, std::size_t k, std::size_t depth);
  /// out[m][n] (+)= sum over k ascending of fma from +0, NaN canonical.
  void (*matmul)(const float *stationary, const float *moving, float *out,
                 std::size_t outStride, std::size_t depth, std::size_t m,
                 std::size_t n, bool accumulate);
};

/// The best version for this host.
const Kernels &kernels();
/// Every version that this host can run, for the test that compares them.
std::span<const Kernels *const> allKernels();

} // namespace kiln::sim

#endif // KILN_SIM_LIB_KERNELS_KERNELS_H

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

/// The size of a table indexed by an enumeration of the instruction set.
template <class E> constexpr std::size_t tableSize() {
  std::size_t size = 0;
  for (const auto &entry : isa::EnumTraits<E>::entries)
    if (static_cast<std::size_t>(entry.value) >= size)
      size = static_cast<std::size_t>(entry.value) + 1;
  return size;
}

/// Rows are contiguous. An output may be an input exactly, never overlap it in
/// part.
struct Kernels {
  const char *name;

  /// To and from fp32, by DType; null where nothing converts. `n` counts
  /// values: a packed element holds four. NaNs keep their sign and nothing
  /// else. `narrow` by rounding: 0 to nearest even, 1 the same but finite
  /// results where others overflow; 2 and 3 likewise, up or down at random,
  /// from bits that `seed` and the place in the row decide.
  using Widen = void (*)(const void *in, float *out, std::size_t n);
  using Narrow = void (*)(const float *in, void *out, std::size_t n,
                          std::uint32_t seed);
  static constexpr std::size_t saturating = 1, stochastic = 2, roundings = 4;
  Widen widen[isa::numDTypes];
  Narrow narrow[roundings][isa::numDTypes];
  /// Replaces every NaN by 0x7fc00000: hosts differ in the NaN they produce.
  void (*canonicalise)(float *data, std::size_t n);

  /// By AluOp, in fp32. `vs` computes in op b, `sv` b op in. Unary ones ignore
  /// b. Null where the operator has no such meaning.
  using Binary = void (*)(const float *a, const float *b, float *out,
                          std::size_t n);
  using Scalar = void (*)(const float *in, float b, float *out, std::size_t n);
  static constexpr std::size_t numAluOps = tableSize<isa::AluOp>();
  Binary vv[numAluOps];
  Scalar vs[numAluOps];
  Scalar sv[numAluOps];
  /// The same on 32-bit patterns: bitwise, or integers that wrap.
  using Bits = void (*)(const std::uint32_t *a, const std::uint32_t *b,
                        std::uint32_t *out, std::size_t n);
  Bits onSigned[numAluOps];
  Bits onUnsigned[numAluOps];

  /// out = fma(in, scale, bias).
  void (*affine)(const float *in, float scale, float bias, float *out,
                 std::size_t n);
  /// By ActivationFunction; `prelu` has an operand more.
  using Unary = void (*)(const float *in, float *out, std::size_t n);
  Unary activation[tableSize<isa::ActivationFunction>()];
  Scalar prelu;

  /// The same rows by the names that the instruction set gives them; the tables
  /// above are made of these (indexByEnum).
  struct Operator {
    const char *name;
    Binary vv;
    Scalar vs, sv;
  };
  struct IntegerOperator {
    const char *name;
    Bits onSigned, onUnsigned;
  };
  struct Function {
    const char *name;
    Unary row;
  };
  Operator operators[32];
  std::size_t numOperators;
  IntegerOperator integerOperators[32];
  std::size_t numIntegerOperators;
  Function functions[32];
  std::size_t numFunctions;

  /// acc[r] = (..(acc[r] + rows[r][0]) + ..) + rows[r][n - 1], for up to
  /// `maxSumRows` rows at once to hide the latency of the ordered chain.
  void (*sumRows)(const float *const *rows, std::size_t count, std::size_t n,
                  float *acc);
  static constexpr std::size_t maxSumRows = 8;
  float (*maxRow)(float start, const float *in, std::size_t n);
  float (*minRow)(float start, const float *in, std::size_t n);

  /// One row of an operand of a product for each k, `pitch` bytes apart.
  struct Rows {
    const void *data = nullptr;
    std::ptrdiff_t pitch = 0;
    bool isBf16 = false; ///< Else fp32.
    friend bool operator==(const Rows &, const Rows &) = default;
  };
  /// Floats that m columns of a stationary operand take when packed.
  std::size_t (*packedSize)(std::size_t m, std::size_t depth);
  void (*pack)(const Rows &stationary, std::size_t m, std::size_t depth,
               float *packed);
  struct Product {
    const float *packed = nullptr; ///< Its stationary operand.
    Rows moving;
    float *out = nullptr;
    bool accumulate = false;
  };
  /// What products that run side by side have in common.
  struct ProductShape {
    std::size_t depth = 0, m = 0, n = 0;
    std::size_t outStride = 0; ///< In floats.
    friend bool operator==(const ProductShape &,
                           const ProductShape &) = default;
  };
  /// out[m][n] (+)= sum over k ascending of fma from +0, NaN canonical; every
  /// place takes the products in their order. Two outputs are one, or have no
  /// place in common. `panel` is space for depth * panelColumns floats.
  void (*matmul)(const Product *products, std::size_t count,
                 const ProductShape &shape, float *panel);
  /// How many columns a product widens at a time: of bf16, a line of the host's
  /// caches.
  static constexpr std::size_t panelColumns = 32;

  /// out[c][r] = in[r][c] for elements of 1, 2 or 4 bytes; pitches in bytes.
  /// The two do not overlap.
  void (*transpose)(const void *in, std::ptrdiff_t inPitch, void *out,
                    std::ptrdiff_t outPitch, std::size_t rows,
                    std::size_t columns, unsigned bytes);
};

/// Fills the tables by enumeration from those by name.
void indexByEnum(Kernels &kernels);

/// The best version for this host, or the one that a test forces.
const Kernels &kernels();
/// Every version that this host can run, the plain one first and the best last.
std::span<const Kernels *const> allKernels();
/// From now on runs use this version, or the best again (null). For tests:
/// every version gives the same bits, so users have nothing to choose.
void forceKernels(const Kernels *version);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_KERNELS_KERNELS_H

//===- Converter.h - fp32 to and from the types of elements -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_CONVERTER_H
#define KILN_SIM_LIB_FUNCTION_CONVERTER_H

#include "../kernels/Kernels.h"

#include "kiln/sim/executor.h"

#include <cstddef>
#include <cstdint>

namespace kiln::sim {

/// Converts rows in the way that the run asked for.
class Converter {
public:
  Converter(const Kernels &kernels, const Numerics &numerics)
      : kernels(kernels), numerics(numerics),
        rounding((numerics.saturate ? Kernels::saturating : 0) +
                 (numerics.stochasticRounding ? Kernels::stochastic : 0)) {}

  /// The random bits of stochastic rounding depend on the agent (an engine)
  /// and on how many instructions it executed, not on the order of agents.
  void begin(std::uint64_t agent, std::uint64_t serial) {
    state = numerics.roundingSeed ^ (agent << 56) ^ (serial << 16);
  }

  static bool canWiden(isa::DType dtype) {
    return sim::kernels().widen[static_cast<std::size_t>(dtype)] != nullptr;
  }
  static bool canNarrow(isa::DType dtype) {
    return sim::kernels().narrow[0][static_cast<std::size_t>(dtype)] != nullptr;
  }

  /// `n` counts values: four in an element of a packed type.
  void widen(isa::DType dtype, const void *in, float *out,
             std::size_t n) const {
    kernels.widen[static_cast<std::size_t>(dtype)](in, out, n);
    if (numerics.flushSubnormals)
      flush(out, n);
  }
  void narrow(isa::DType dtype, const float *in, void *out, std::size_t n) {
    kernels.narrow[rounding][static_cast<std::size_t>(dtype)](in, out, n,
                                                              nextSeed());
  }
  /// The form of arithmetic results: one NaN, and no subnormals if they flush.
  void settle(float *data, std::size_t n) const {
    kernels.canonicalise(data, n);
    if (numerics.flushSubnormals)
      flush(data, n);
  }
  /// True if fp32 in memory is what arithmetic sees.
  bool readsInPlace() const { return !numerics.flushSubnormals; }

private:
  static void flush(float *data, std::size_t n);
  std::uint32_t nextSeed();

  const Kernels &kernels;
  Numerics numerics;
  std::size_t rounding;
  std::uint64_t state = 0;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_CONVERTER_H

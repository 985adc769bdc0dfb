//===- tolerance.h - How far a result may be from its reference ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Two measures; both must hold. The largest error relative to the largest value
// finds a single wrong element. The relative error in the l2 norm finds many
// slightly wrong elements, which the first measure would miss.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_TOLERANCE_H
#define KILN_KERNELS_TOLERANCE_H

#include "kiln/isa/dtype.h"

#include <vector>

namespace kiln::kernels {

struct Tolerance {
  double scaledMaximum; ///< max |a - r| / max |r|
  double relativeL2;    ///< |a - r| / |r|, Euclidean
};

/// By the type of the output; products are always summed in f32.
constexpr Tolerance toleranceOf(isa::DType dtype) {
  switch (dtype) {
  case isa::DType::bf16:
    return {2e-2, 6e-3};
  case isa::DType::f16:
    return {4e-3, 1e-3};
  case isa::DType::tf32:
    return {3e-3, 8e-4};
  case isa::DType::f8e4m3:
  case isa::DType::f8e4m3fn:
  case isa::DType::f8e4m3fn_x4:
    return {1.5e-1, 5e-2};
  case isa::DType::f8e5m2:
  case isa::DType::f8e5m2_x4:
    return {3e-1, 1e-1};
  case isa::DType::f32:
    return {2e-5, 5e-6};
  default:
    return {0, 0}; // Integers and powers of two are exact.
  }
}

/// Elements that are wrong in one way, and the index of the first of them.
struct WrongElements {
  std::size_t count = 0, first = 0;
};

/// The numbers are those of the elements where both are finite.
struct Comparison {
  double maxAbsolute = 0;
  double maxRelative = 0; ///< Elementwise, where the reference is not tiny.
  double scaledMaximum = 0;
  double relativeL2 = 0;
  std::size_t worst = 0; ///< Index of the largest absolute error.
  /// NaN or infinite, but the reference is finite; finite, but the reference is
  /// not; neither is, and they differ.
  WrongElements notFinite, finite, otherSpecial;
  bool withinTolerance = false;
};

/// A NaN or an infinity must match its like. If the reference is zero
/// everywhere, the result must be, too.
Comparison compare(const std::vector<double> &actual,
                   const std::vector<double> &reference, isa::DType dtype);

} // namespace kiln::kernels

#endif // KILN_KERNELS_TOLERANCE_H

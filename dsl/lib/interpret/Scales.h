//===- Scales.h - Powers of two that small floats share -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_SCALES_H
#define KILN_INTERPRET_SCALES_H

#include "Number.h"

#include <span>

namespace kiln::interpret {

/// The factor that a scale stands for: a code of u8, or the number itself.
Number factorOf(const Number &scale, DType dtype);

/// x * factor in fp32; the factor is a power of two.
Number scaled(const Number &x, const Number &factor);

/// The code of the scale that `group` gets where it becomes packed floats of
/// type `dtype`: uncertain if the group is.
Number scaleCodeOf(std::span<const Number> group, DType dtype);

/// A code as f8e8m0, whose numbers are powers of two.
Number powerOfCode(const Number &code);

/// x divided by what the code stands for, as one of the floats of `dtype`.
Number quantized(const Number &x, const Number &code, DType dtype);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_SCALES_H

//===- quantized_weights.h - Products of weights of 8 and 4 bits ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = x w, where w is quantized ahead, and x on chip. The two kinds of small
// floats have the same interface here: QuantizedWeights<T> is one of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QUANTIZED_WEIGHTS_H
#define KILN_KERNELS_LINEAR_QUANTIZED_WEIGHTS_H

#include "kiln/kiln.h"
#include "linear/eight_bit_weights.h"
#include "linear/epilogue.h"
#include "linear/mx_weights.h"
#include "support/joined_name.h"

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace kiln::kernels {

template <class T>
using QuantizedWeights =
    std::conditional_t<isa::isPacked(T::dtype), ScaledWeights<T>,
                       EightBitWeights<T>>;

/// The type of the scales of such weights.
template <class T>
using ScaleOf = std::conditional_t<isa::isPacked(T::dtype), f8e8m0, f32>;

/// The tensors of weights [inputs, outputs], and their scales.
template <class T>
void describeQuantized(Signature &s, std::string_view name, std::int64_t inputs,
                       std::int64_t outputs, Scales scales) {
  const JoinedName its(name, "_scales");
  if constexpr (isa::isPacked(T::dtype)) {
    s.argument(name, {inputs / 4, outputs});
    s.argument(its, {inputs / 32, outputs});
  } else {
    s.argument(name, {inputs, outputs});
    if (scales == Scales::none)
      s.absent(its);
    else
      s.argument(its, {1, scales == Scales::row ? outputs : 1});
  }
}

/// What the parameters of quantized weights must be.
template <class T>
void requireQuantized(std::int64_t inputs, Scales scales, float unit) {
  require(unit > 0, {"unit is <|", unit, "|>, expected [|above 0|]"},
          "give 1 to keep what is multiplied as it is");
  if constexpr (isa::isPacked(T::dtype)) {
    requireNoScales(scales, "MX floats have scales of their own",
                    "leave out scales and unit");
    require(unit == 1,
            {"unit is <|", unit,
             "|>, expected [|1|]: MX floats have scales of their own"},
            "leave out scales and unit");
    requireMxTerms(inputs);
  } else {
    require(scales != Scales::row || unit == 1,
            {"unit is <|", unit,
             "|>, expected [|1|]: with a scale for each row there is no unit"},
            "leave out unit");
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QUANTIZED_WEIGHTS_H

//===- mlp_biases.h - The biases of a gated layer -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MLP_BIASES_H
#define KILN_KERNELS_LINEAR_MLP_BIASES_H

#include "kiln/kiln.h"
#include "support/optional_argument.h"

#include <cstdint>

namespace kiln::kernels {

/// Of the products with wg, wu and wd: all three, or none.
template <class T> struct MlpBiases {
  bool areGiven = false;
  In<T, 1> gate = In<T, 1>({}), up = In<T, 1>({}), down = In<T, 1>({});

  static void describe(Signature &s, bool areGiven, std::int64_t hidden,
                       std::int64_t inner) {
    optionalArgument(s, areGiven, "bg", {inner});
    optionalArgument(s, areGiven, "bu", {inner});
    optionalArgument(s, areGiven, "bd", {hidden});
  }
  static void document(Signature &s) {
    s.doc("bias", "add bg, bu and bd to the products with wg, wu and wd");
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MLP_BIASES_H

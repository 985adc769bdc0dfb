//===- kernel.h - Gated feed-forward layer --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SWIGLU_KERNEL_H
#define KILN_KERNELS_LINEAR_SWIGLU_KERNEL_H

#include "linear/norm_mlp/kernel.h"

namespace kiln::kernels {

/// y[T, H] = (silu(x wg) * (x wu)) wd, with wg and wu [H, I] and wd [I, H].
template <class T> struct SwiGlu {
  BOOST_HANA_DEFINE_STRUCT(SwiGlu, (int, tokens), (int, hidden), (int, inner),
                           (float, unit));

  static SwiGlu defaults() { return {512, 1024, 3072, 1}; }

  void describe(Signature &s) const {
    s.summary("gated feed-forward layer of a transformer");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("inner", "columns of the gate and of what it scales");
    s.doc("unit",
          "what wd multiplies is kept in units of this, for 8-bit types");
    s.argument("x", {tokens, hidden});
    weightArgument<T>(s, "wg", hidden, inner);
    weightArgument<T>(s, "wu", hidden, inner);
    weightArgument<T>(s, "wd", inner, hidden);
    s.argument("y", {tokens, hidden});
    s.flops(6.0 * tokens * hidden * inner);
    s.tokens(tokens);
  }

  void operator()(In<T, 2> x, In<T, 2> wg, In<T, 2> wu, In<T, 2> wd,
                  Out<Product<T>, 2> y) const {
    require(unit > 0, "unit is not positive",
            "give 1 to keep what wd multiplies as it is");
    if constexpr (BlockedProduct<T>::bytes > 1)
      if (fitsOnChip()) {
        auto rows = load(x);
        auto gate = silu(matmul_nn(rows, load(wg)));
        auto h = cast<T>(gate * matmul_nn(rows, load(wu)));
        store(y, matmul_nn(h, load(wd)));
        return;
      }
    NormMlp<T> blocks{tokens, hidden, inner, false, false, 0};
    blocks.unit = unit;
    blocks(x, In<Product<T>, 1>({}), wg, wu, wd, y);
  }

  /// The weights do, in 160 KiB of each of 128 partitions, or there are so few
  /// tokens that reading the weights takes most of the time.
  bool fitsOnChip() const {
    const std::int64_t bytes =
        3L * hidden * inner * isa::sizeInBytes(T::dtype) / 128;
    return bytes <= 160 * 1024 || tokens <= 256;
  }

  double kept(double value) const; // In reference.h.
  void reference(Doubles x, Doubles wg, Doubles wu, Doubles wd,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_KERNEL_H

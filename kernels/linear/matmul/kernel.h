//===- kernel.h - Matrix product ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_KERNEL_H
#define KILN_KERNELS_LINEAR_MATMUL_KERNEL_H

#include "linear/blocked_product.h"

namespace kiln::kernels {

/// c[M, N] = a[M, K] b[K, N].
template <class T> struct Matmul {
  BOOST_HANA_DEFINE_STRUCT(Matmul, (int, m), (int, k), (int, n));

  static Matmul defaults() { return {512, 512, 512}; }

  void describe(Signature &s) const {
    s.summary("c = a b");
    s.doc("m", "rows of a and c");
    s.doc("k", "columns of a, rows of b");
    s.doc("n", "columns of b and c");
    s.argument("a", {m, k});
    s.argument("b", {k, n});
    s.argument("c", {m, n});
    s.flops(2.0 * m * k * n);
  }

  void operator()(In<T, 2> a, In<T, 2> b, Out<Product<T>, 2> c) const {
    BlockedProduct<T>{a, b, In<Product<T>, 1>({}), false, c}.run();
  }

  void reference(Doubles a, Doubles b, Doubles c) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_KERNEL_H

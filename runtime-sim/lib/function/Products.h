//===- Products.h - Matrix products that run together -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor engine mostly runs one product after the other. Some of them may
// wait for the next: then threads meet once for all of them, operands that
// follow each other are widened once, and sums of many products into one place
// stay in the caches. Every place of an output still takes its products in
// their order, with the same operations, so waiting shows in no bit.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_PRODUCTS_H
#define KILN_SIM_LIB_FUNCTION_PRODUCTS_H

#include "Rows.h"

#include "../Pool.h"

#include <vector>

namespace kiln::sim {

class Products {
public:
  using Shape = Kernels::ProductShape;
  struct Operands {
    Kernels::Rows stationary; ///< m columns.
    Kernels::Rows moving;     ///< n columns.
    float *out = nullptr;
    bool accumulate = false;
  };

  /// `pool` may be null.
  Products(const Kernels &kernels, Pool *pool)
      : kernels(kernels), pool(pool), panels(pool ? pool->size() : 1) {}

  /// A product that the next `settle` makes, or one of the next calls. Until
  /// then its operands must stay as they are, and nobody may look at its
  /// output; of those that wait, none has another's output as operand.
  void add(const Operands &product, const Shape &shape);
  /// Makes those that wait.
  void settle() {
    if (!waiting.empty())
      make();
  }

private:
  void make();
  bool mayJoin(const Operands &product, const Shape &other) const;

  const Kernels &kernels;
  Pool *pool;
  std::vector<Operands> waiting;
  Shape shape; ///< Of all that wait.
  Buffer packing;
  std::vector<Buffer> panels; ///< One for each thread of the pool.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_PRODUCTS_H

//===- Products.h - Matrix products that run together -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor engine mostly runs one product after the other. Products are
// queued: then threads synchronise once for all of them, and operands are
// packed and widened once for all users. Every place of an output still takes
// its products in their order, with the same operations, so waiting shows in no
// bit.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_PRODUCTS_H
#define KILN_SIM_LIB_FUNCTION_PRODUCTS_H

#include "Buffer.h"
#include "ProductOrder.h"

#include "../Pool.h"

#include <vector>

namespace kiln::sim {

class Products {
public:
  using Shape = Kernels::ProductShape;
  using Operands = ProductOperands;

  /// `pool` may be null.
  Products(const Kernels &kernels, Pool *pool)
      : kernels(kernels), pool(pool), desks(pool ? pool->size() : 1) {}

  /// Queues a product, which the next `settle` or one of the next calls
  /// computes. Until then its operands must not change, and its output must not
  /// be read; of those that wait, none has another's output as operand.
  void add(const Operands &product, const Shape &shape);
  /// Computes the queued ones.
  void settle() {
    if (!waiting.empty())
      make();
  }

private:
  class Work;

  void make();
  bool mayJoin(const Operands &product, const Shape &other) const;

  const Kernels &kernels;
  Pool *pool;
  std::vector<Operands> waiting;
  std::vector<const float *> outputs; ///< Of those, each once.
  Shape shape;                        ///< Of all that wait.
  ProductOrder order;
  Buffer packing;
  /// What one thread of the pool works with.
  struct Desk {
    Buffer panel;
    std::vector<Kernels::Product> products;
  };
  std::vector<Desk> desks;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_PRODUCTS_H

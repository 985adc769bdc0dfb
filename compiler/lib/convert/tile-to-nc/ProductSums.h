//===- ProductSums.h - Sums of products that PSUM adds up -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_PRODUCTSUMS_H
#define KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_PRODUCTSUMS_H

#include "Plan.h"

#include "kiln/compiler/dialect/tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace kiln::compiler {

/// Additions of products that nothing else reads. The tensor engine adds a
/// product to what is in PSUM as it writes: such a sum is one accumulation
/// group, and the additions cost nothing.
class ProductSums {
public:
  /// A product adds to the banks of those before it.
  struct Sum {
    tile::BinaryOp whole;                       ///< Its value is the sum.
    llvm::SmallVector<tile::MatmulOp> products; ///< In program order.
  };

  ProductSums(mlir::func::FuncOp function, const BufferPlan &plan);

  /// The sum that a product or an addition is part of, if PSUM holds it.
  const Sum *sumOf(mlir::Operation *part) const {
    return sumByPart.lookup(part);
  }

private:
  bool collect(tile::BinaryOp whole, Sum &sum,
               llvm::SmallVectorImpl<mlir::Operation *> &parts) const;
  bool fits(const Sum &sum) const;

  const BufferPlan &plan;
  std::deque<Sum> sums;
  llvm::DenseMap<mlir::Operation *, const Sum *> sumByPart;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_PRODUCTSUMS_H

//===- ProductOrder.h - The order of products that run together -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products into one output keep their order; others may be reordered, so that
// an operand, once packed or widened, serves as many products as possible while
// it is in the caches.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_PRODUCTORDER_H
#define KILN_SIM_LIB_FUNCTION_PRODUCTORDER_H

#include "../kernels/Kernels.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kiln::sim {

/// A product as instructions give it, its operands not packed.
struct ProductOperands {
  Kernels::Rows stationary; ///< m columns.
  Kernels::Rows moving;     ///< n columns.
  float *out = nullptr;
  bool accumulate = false;
};

class ProductOrder {
public:
  struct Step {
    std::uint32_t product;
    std::uint32_t pack; ///< Which of its group.
  };
  /// Steps that run with what is packed for them.
  struct Group {
    std::span<const Step> steps;
    /// Products whose stationary operands are packed.
    std::span<const std::uint32_t> packs;
  };

  /// Orders these anew; no group packs more than `mostPacks`, which is not 0.
  void find(std::span<const ProductOperands> products, std::size_t mostPacks);

  std::size_t numGroups() const { return ends.size(); }
  Group group(std::size_t index) const;

private:
  /// Where a group ends.
  struct End {
    std::size_t step, pack;
  };
  /// Products into one output that are not in a group yet.
  struct Chain {
    const float *out;
    std::uint32_t first, last;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void link(std::span<const ProductOperands> products);
  /// The chain to go on with, or null if the group is full.
  Chain *choose(bool hasRoom);

  std::vector<Step> steps;
  std::vector<std::uint32_t> packs;
  std::vector<End> ends;

  std::vector<Chain> chains;
  std::vector<std::uint32_t> next; ///< By product: that of its chain.
  /// By product: the first one with the same operand.
  std::vector<std::uint32_t> stationary, moving;
  /// By first product with the operand: which pack of the group, or none.
  std::vector<std::uint32_t> packOf;
  std::uint32_t lastMoving = none;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_PRODUCTORDER_H

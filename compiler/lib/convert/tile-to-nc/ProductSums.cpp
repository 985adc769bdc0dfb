//===- ProductSums.cpp - Sums of products that PSUM adds up ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductSums.h"

#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/tile/PsumShare.h"
#include "kiln/isa/dtype.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr int64_t columnsOfBank = isa::psumBankSums;
/// Products of others that may start while a sum waits for its last one.
static constexpr int64_t maxProductsBetween = 3;

ProductSums::ProductSums(func::FuncOp function, const BufferPlan &plan)
    : plan(plan) {
  SmallVector<BinaryOp> additions;
  function.walk<WalkOrder::PreOrder>([&](BinaryOp op) {
    if (op.getOp() == isa::AluOp::add)
      additions.push_back(op);
  });
  // Those that are not part of a longer sum come first.
  for (BinaryOp whole : llvm::reverse(additions)) {
    Sum sum;
    SmallVector<Operation *> parts;
    if (sumByPart.contains(whole) || !collect(whole, sum, parts) || !fits(sum))
      continue;
    sums.push_back(std::move(sum));
    for (Operation *part : parts)
      sumByPart[part] = &sums.back();
  }
}

/// Additions associate to the left: the right operand of each is a product, the
/// left one the sum so far.
bool ProductSums::collect(BinaryOp whole, Sum &sum,
                          SmallVectorImpl<Operation *> &parts) const {
  const TileType type = tensorOf(whole.getResult());
  // Nothing else sees a part, and it has the shape and type of a bank.
  auto isPart = [&](Operation *op) {
    if (!op || op->getBlock() != whole->getBlock() || nc::isPromised(op))
      return false;
    Value value = op->getResult(0);
    return value.hasOneUse() && !plan.destinationOf(value) &&
           tensorOf(value).getElementType().isF32() &&
           tensorOf(value).getShape() == type.getShape();
  };
  if (type.getRank() != 2 || nc::isPromised(whole))
    return false;
  sum.whole = whole;
  parts.push_back(whole);
  for (BinaryOp addition = whole;;) {
    auto product = addition.getRhs().getDefiningOp<MatmulOp>();
    if (!isPart(product))
      return false;
    sum.products.push_back(product);
    parts.push_back(product);
    Operation *before = addition.getLhs().getDefiningOp();
    if (!isPart(before))
      return false;
    parts.push_back(before);
    if (auto first = dyn_cast<MatmulOp>(before)) {
      sum.products.push_back(first);
      break;
    }
    addition = dyn_cast<BinaryOp>(before);
    if (!addition || addition.getOp() != isa::AluOp::add)
      return false;
  }
  std::reverse(sum.products.begin(), sum.products.end());
  return llvm::is_sorted(sum.products, [](MatmulOp a, MatmulOp b) {
    return a->isBeforeInBlock(b);
  });
}

/// Its banks are taken from the first product to the last one.
bool ProductSums::fits(const Sum &sum) const {
  BinaryOp whole = sum.whole;
  const TileType type = tensorOf(whole.getResult());
  const int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  const int64_t banks = llvm::divideCeil(rows, isa::maxPartitions) *
                        llvm::divideCeil(columns, columnsOfBank);
  MatmulOp first = sum.products.front(), last = sum.products.back();
  const int64_t started =
      plan.productsBefore(last) - plan.productsBefore(first) + 1;
  const auto own = static_cast<int64_t>(sum.products.size());
  return banks <= banksOfSum && started - own <= maxProductsBetween;
}

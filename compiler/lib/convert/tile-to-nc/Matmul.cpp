//===- Matmul.cpp - Products on the tensor engine -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/compiler/dialect/nc/Blame.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/tile/PsumShare.h"
#include "kiln/machine/dma_plan.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

namespace {
constexpr int64_t maxColumns = isa::psumBankSums;
} // namespace

/// Of an accumulation group: the contraction in pieces of 128 rows.
void Lowering::product(const Ref &to, const Factors &factors, int64_t firstRow,
                       int64_t rows, int64_t firstColumn, int64_t columnCount,
                       bool accumulate) {
  Value dst = view(to);
  const Ref stationary = columns(factors.a, firstRow, rows),
            moving = columns(factors.b, firstColumn, columnCount);
  if (factors.aScales)
    return scaledProduct(
        dst, stationary, columns(*factors.aScales, firstRow, rows), moving,
        columns(*factors.bScales, firstColumn, columnCount), accumulate);
  for (Part part : contractionOf(stationary, moving)) {
    SmallVector<NamedAttribute> attributes;
    if (accumulate)
      attributes.push_back(flag("accumulate", true));
    accumulate = true;
    const bool isPair = part.slots == 2 || !part.starts.empty();
    if (isPair)
      attributes.push_back(builder.getNamedAttr(
          "perf_mode",
          nc::PerformanceModeAttr::get(builder.getContext(),
                                       isa::PerformanceMode::double_row)));
    // The pair is a dimension of its own, even if the columns continue it.
    const auto shown = [&](const Ref &factor) {
      if (!part.starts.empty())
        part.sizes = {2, factor.sizes.back()};
      return view(factor, part, /*merge=*/!isPair);
    };
    const Value left = shown(stationary), right = shown(moving);
    emit("nc_matmul", {dst, left, right}, attributes);
  }
}

/// Pieces of 128 rows, or pairs of them where each element of the array holds
/// two: then a partition has a row of either piece. Both operands are paired in
/// the same way, so a product multiplies the same rows.
SmallVector<Part> Lowering::contractionOf(const Ref &a, const Ref &b) const {
  SmallVector<Part> parts = slotsOf(a.rows);
  if (a.sizes.size() == 2) {
    // Each partition holds two rows, or two pairs of them.
    SmallVector<Part> pairs;
    for (const Part &part : parts)
      for (int64_t first = 0; first < a.sizes[0]; first += 2) {
        pairs.push_back(part);
        pairs.back().starts = {first, 0};
      }
    return pairs;
  }
  const auto isSmallFloat = [](const Ref &ref) {
    return ref.element().isFloat() && ref.elementBytes() == 1;
  };
  const bool isPaired = target.generation != isa::Generation::v2 &&
                        isSmallFloat(a) && isSmallFloat(b);
  for (size_t i = 0; isPaired && i + 1 < parts.size(); ++i) {
    const Part pair{parts[i].slot, 2, isa::maxPartitions, {}, {}};
    if (parts[i + 1].rows != isa::maxPartitions ||
        !fits(a, pair, /*merge=*/false) || !fits(b, pair, /*merge=*/false))
      continue;
    parts[i] = pair;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return parts;
}

LogicalResult Lowering::lowerMatmul(MatmulOp op) {
  if (!op.getTransposeA() || op.getTransposeB())
    return op.emitError() << Code{"KILN-C011", "", ": "} << Culprit::kiln
                          << "contraction is not on rows of both "
                             "operands: run tile-orient before tile-to-nc";
  // The stationary and the moving operand start at the first partition.
  auto operand = [&](Value value) {
    Ref ref = toSbuf(value);
    if (ref.row % isa::maxPartitions != 0) {
      Ref moved = allocate(tensorOf(value), nc::Space::sbuf);
      dma(moved, ref);
      ref = moved;
    }
    return ref;
  };
  Factors factors{operand(op.getA()), operand(op.getB()), {}, {}};
  if (op.getAScales()) {
    factors.aScales = scalesOf(op.getAScales());
    factors.bScales = scalesOf(op.getBScales());
  }
  Type a = factors.a.element(), b = factors.b.element();
  if (a != b && (a.isF32() || b.isF32()))
    return op.emitError() << Code{"KILN-C012", "", ": "}
                          << "the tensor engine does not multiply " << a
                          << " with " << b
                          << ": run tile-legalize before tile-to-nc";
  if (const ProductSums::Sum *sum = sums.sumOf(op)) {
    const bool isFirst = sum->products.front() == op;
    if (isFirst)
      startedSums[sum] = allocateSum(*sum);
    for (const Bank &bank : startedSums[sum].banks)
      product(bank.ref, factors, bank.row, bank.ref.rows, bank.column,
              bank.ref.free(), /*accumulate=*/!isFirst);
    return success();
  }
  if (staysInPsum(op)) {
    const TileType type = tensorOf(op.getResult());
    const int64_t rows = type.getDimSize(0), width = type.getDimSize(1);
    Ref psum = allocate({rows, width}, builder.getF32Type(), nc::Space::psum);
    for (int64_t column = 0; column < width; column += maxColumns) {
      const int64_t count = std::min(maxColumns, width - column);
      product(columns(psum, column, count), factors, 0, rows, column, count);
    }
    remember(op.getResult(), std::move(psum), /*ownsMemory=*/true);
    return success();
  }
  const Ref &to = destination(op.getResult());
  TileType type = tensorOf(op.getResult());
  // A row for all partitions: if one number fills the stationary operand, all
  // rows of the result are the same, and those of one part hold for the others.
  // In a loop, the parts would wait for that product, while the tensor engine
  // has time beside other engines.
  if (op.getA().getDefiningOp<FillOp>() &&
      llvm::isa<func::FuncOp>(op->getParentOp())) {
    for (int64_t column = 0; column < type.getDimSize(1);
         column += maxColumns) {
      Bank bank = allocateBank(type, 0, column);
      const Ref all = bank.ref;
      product(all, factors, 0, all.rows, column, all.free());
      for (const Part &part : slotsOf(type.getDimSize(0))) {
        bank.row = part.slot * isa::maxPartitions;
        bank.ref = rowsOf(all, 0, part.rows);
        copy(bankOf(to, bank), bank.ref);
      }
    }
    return success();
  }
  for (const Part &part : slotsOf(type.getDimSize(0)))
    for (int64_t column = 0; column < type.getDimSize(1);
         column += maxColumns) {
      Bank bank = allocateBank(type, part.slot * isa::maxPartitions, column);
      product(bank.ref, factors, bank.row, bank.ref.rows, bank.column,
              bank.ref.free());
      copy(bankOf(to, bank), bank.ref);
    }
  return success();
}

/// The banks hold the sum once its last product is complete.
LogicalResult Lowering::lowerSumOfProducts(const ProductSums::Sum &sum) {
  auto found = startedSums.find(&sum);
  SumInPsum started = std::move(found->second);
  startedSums.erase(found);
  Value result = BinaryOp(sum.whole).getResult();
  if (started.whole) {
    remember(result, std::move(*started.whole), /*ownsMemory=*/true);
    return success();
  }
  const Ref &to = destination(result);
  for (const Bank &bank : started.banks)
    copy(bankOf(to, bank), bank.ref);
  return success();
}

/// Small results that are used soon and by engines.
bool Lowering::staysInPsum(Operation *op) const {
  Value result = op->getResult(0);
  TileType type = tensorOf(result);
  Operation *last = plan.lastUse(result);
  const bool isProduct = mlir::isa<MatmulOp>(op);
  const int64_t own = isProduct ? 1 : 0;
  const int64_t banks = llvm::divideCeil(type.getDimSize(1), maxColumns);
  bool soon = last && banks * (plan.productsBefore(last) -
                               plan.productsBefore(op) - own + 1) <=
                          banksOfSum;
  bool sameBlock = llvm::all_of(op->getUsers(), [&](Operation *user) {
    return user->getBlock() == op->getBlock();
  });
  // If transposes of loads also go through PSUM, there is no room for wide
  // ones.
  const int64_t mostOwn = machine::transposesByDma(target) ? 2 : 1;
  return type.getDimSize(0) <= isa::maxPartitions && banks <= mostOwn &&
         type.getElementType().isF32() && soon && sameBlock &&
         !plan.destinationOf(result);
}

Lowering::Bank Lowering::allocateBank(TileType type, int64_t row,
                                      int64_t column) {
  const int64_t rows =
      std::min<int64_t>(isa::maxPartitions, type.getDimSize(0) - row);
  const int64_t count = std::min(maxColumns, type.getDimSize(1) - column);
  return {allocate({rows, count}, builder.getF32Type(), nc::Space::psum), row,
          column};
}

Lowering::SumInPsum Lowering::allocateSum(const ProductSums::Sum &sum) {
  BinaryOp whole = sum.whole;
  const TileType type = tensorOf(whole.getResult());
  const int64_t rows = type.getDimSize(0), width = type.getDimSize(1);
  SumInPsum made;
  if (staysInPsum(whole))
    made.whole = allocate({rows, width}, builder.getF32Type(), nc::Space::psum);
  for (int64_t row = 0; row < rows; row += isa::maxPartitions)
    for (int64_t column = 0; column < width; column += maxColumns) {
      const int64_t count = std::min(maxColumns, width - column);
      made.banks.push_back(
          made.whole ? Bank{columns(*made.whole, column, count), 0, column}
                     : allocateBank(type, row, column));
    }
  return made;
}

/// What goes through the bank, of all.
Ref Lowering::bankOf(const Ref &all, const Bank &bank) {
  return columns(rowsOf(all, bank.row, bank.ref.rows), bank.column,
                 bank.ref.free());
}

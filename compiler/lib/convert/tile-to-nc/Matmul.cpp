//===- Matmul.cpp - Products on the tensor engine -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/compiler/dialect/nc/Code.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

namespace {
constexpr int64_t maxColumns = 512; ///< f32 elements of a PSUM bank.
/// Products that may start while a result waits in PSUM: with double
/// buffering that leaves banks for the others.
constexpr int64_t maxProductsInFlight = 3;
} // namespace

/// One accumulation group: the contraction in pieces of 128 rows.
void Lowering::product(const Ref &to, const Ref &a, const Ref &b,
                       int64_t firstRow, int64_t rows, int64_t firstColumn,
                       int64_t columnCount) {
  Value dst = view(to);
  for (const Part &part : slotsOf(a.rows)) {
    SmallVector<NamedAttribute> attributes;
    if (part.slot != 0)
      attributes.push_back(flag("accumulate", true));
    emit("nc_matmul",
         {dst, view(columns(a, firstRow, rows), part),
          view(columns(b, firstColumn, columnCount), part)},
         attributes);
  }
}

LogicalResult Lowering::lowerMatmul(MatmulOp op) {
  if (!op.getTransposeA() || op.getTransposeB())
    return op.emitError() << Code{"KILN-C011", "", ": "}
                          << "contraction is not on rows of both "
                             "operands: run tile-orient before tile-to-nc";
  // The stationary and the moving operand start at the first partition.
  auto operand = [&](Value value) {
    Ref ref = toSbuf(value);
    if (ref.row % 128 != 0) {
      Ref moved = allocate(tensorOf(value), nc::Space::sbuf);
      dma(moved, ref);
      ref = moved;
    }
    return ref;
  };
  Ref a = operand(op.getA()), b = operand(op.getB());
  if (a.element() != b.element() &&
      (a.element().isF32() || b.element().isF32()))
    return op.emitError() << Code{"KILN-C012", "", ": "}
                          << "the tensor engine does not multiply "
                          << a.element() << " with " << b.element()
                          << ": run tile-legalize before tile-to-nc";
  TileType type = tensorOf(op.getResult());
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  auto f32 = builder.getF32Type();

  // Small results that are used soon and by engines stay in PSUM.
  Operation *last = plan.lastUse(op.getResult());
  bool soon = last && plan.productsBefore(last) - plan.productsBefore(op) - 1 <=
                          maxProductsInFlight;
  bool sameBlock = llvm::all_of(op->getUsers(), [&](Operation *user) {
    return user->getBlock() == op->getBlock();
  });
  if (m <= 128 && n <= maxColumns && type.getElementType().isF32() && soon &&
      sameBlock && !plan.destinationOf(op.getResult())) {
    Ref psum = allocate({m, n}, f32, nc::Space::psum);
    product(psum, a, b, 0, m, 0, n);
    remember(op.getResult(), std::move(psum), /*ownsMemory=*/true);
    return success();
  }
  const Ref &to = destination(op.getResult());
  for (const Part &part : slotsOf(m))
    for (int64_t column = 0; column < n; column += maxColumns) {
      int64_t count = std::min(maxColumns, n - column);
      Ref psum = allocate({part.rows, count}, f32, nc::Space::psum);
      product(psum, a, b, part.slot * 128, part.rows, column, count);
      copy(columns(rowsOf(to, part.slot * 128, part.rows), column, count),
           psum);
    }
  return success();
}

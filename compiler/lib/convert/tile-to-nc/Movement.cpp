//===- Movement.cpp - Loads, stores, assignments, transposes --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/machine/dma_plan.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// Bytes from which a transfer is worth its own descriptors and place in a
/// queue.
static constexpr int64_t leastPiece = 128 * 1024;

/// A product that contracts the rows of the tile, or of columns of it.
static bool isContracted(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    return mlir::isa<MatmulOp>(user) ||
           (mlir::isa<SliceOp>(user) && isContracted(user->getResult(0)));
  });
}

/// A transfer that runs once is split into pieces of its rows, if its producer
/// or a user handles only some of them. In a loop, the iteration before or
/// after hides the whole.
void Lowering::dmaPieces(const Ref &to, const Ref &from, bool hasPieces) {
  const Ref &tile = to.space == nc::Space::hbm ? from : to;
  int64_t rows = to.rows;
  if (hasPieces && builder.getBlock() == &function.getBody().front() &&
      tile.row % isa::maxPartitions == 0)
    rows = llvm::divideCeil(leastPiece, isa::maxPartitions * tile.free() *
                                            tile.elementBytes()) *
           isa::maxPartitions;
  for (int64_t first = 0; first < to.rows; first += rows) {
    const int64_t count = std::min(rows, to.rows - first);
    dma(rowsOf(to, first, count), rowsOf(from, first, count));
  }
}

/// Products start with the first piece.
LogicalResult Lowering::lowerLoad(LoadOp op) {
  if (loadScales(op))
    return success();
  dmaPieces(destination(op.getResult()),
            hbm(op.getBase(), op.getResult(), op.getIndices(), op.getOffset(),
                op.getSizes(), op.getStrides()),
            isContracted(op.getResult()));
  return success();
}

LogicalResult Lowering::lowerLoadTransposed(LoadTransposedOp op) {
  Ref from = hbm(op.getBase(), op.getResult(), op.getIndices(), op.getOffset(),
                 op.getSizes(), op.getStrides());
  Ref to = destination(op.getResult());
  if (to.sizes.size() == 2) {
    const int64_t group = to.sizes.back();
    from = seenWhole(from, group);
    to = seenWhole(to, group);
  }
  // The transposing DMA moves elements of 2 and 4 bytes.
  if (machine::transposesByDma(target) && from.elementBytes() != 1) {
    for (const Part &part : slotsOf(to.rows)) {
      const Ref block =
          columns(from, part.slot * isa::maxPartitions, part.rows);
      for (int64_t first = 0; first < from.rows; first += maxDimSize) {
        const int64_t count = std::min(maxDimSize, from.rows - first);
        const Ref piece = rowsOf(block, first, count);
        Part place = part;
        if (count != from.rows) {
          place.starts = {first};
          place.sizes = {count};
        }
        emit("dma_transpose",
             {view(to, place),
              view(piece, {0, 1, count, {}, {}}, /*merge=*/false)},
             {});
      }
    }
    return success();
  }
  Ref straight = allocate(op.getSizes(), from.element(), nc::Space::sbuf);
  dma(straight, from);
  transpose(to, straight);
  return success();
}

/// `group` bytes as one element: of a row [C] in HBM, or of [R, group] on chip.
Ref Lowering::seenWhole(Ref ref, int64_t group) {
  if (ref.sizes.size() == 2) {
    ref.sizes.pop_back();
    ref.strides.pop_back();
    ref.strides.back() /= group;
  } else {
    ref.sizes.back() /= group;
  }
  ref.rowStride /= group;
  ref.slotStride /= group;
  ref.offset = AffineMap::get(ref.offset.getNumDims(), 0,
                              ref.offset.getResult(0).floorDiv(group));
  ref.seenAs = builder.getIntegerType(static_cast<unsigned>(8 * group),
                                      /*isSigned=*/false);
  return ref;
}

LogicalResult Lowering::lowerStore(StoreOp op) {
  Ref to = hbm(op.getBase(), op.getValue(), op.getIndices(), op.getOffset(),
               op.getSizes(), op.getStrides());
  if (auto it = spread.find(op.getValue()); it != spread.end()) {
    moveScales(Ref(it->second), to, /*isToRows=*/true);
    return success();
  }
  Ref from = refOf(op.getValue());
  if (from.space == nc::Space::psum)
    from = op.getValue().getDefiningOp<MatmulOp>() ? toSbuf(op.getValue())
                                                   : inSbuf(from);
  // A result with more than 128 rows is complete 128 rows at a time.
  dmaPieces(to, from, !op.getValue().getDefiningOp<LoadOp>());
  return success();
}

LogicalResult Lowering::lowerAssign(AssignOp op) {
  if (plan.isForwarded(op))
    return success();
  if (auto declare = op.getBase().getDefiningOp<DeclareOp>())
    if (failed(lowerDeclare(declare)))
      return failure();
  Ref to = window(op.getBase(), op.getValue(), op.getIndices(),
                  static_cast<int64_t>(op.getRow()), op.getOffset(),
                  op.getSizes(), op.getStrides());
  if (std::optional<double> value = splatOf(op.getValue()))
    memset(to, *value);
  else
    copy(to, refOf(op.getValue()));
  return success();
}

LogicalResult Lowering::lowerRead(ReadOp op) {
  Ref from = window(op.getBase(), op.getResult(), op.getIndices(),
                    static_cast<int64_t>(op.getRow()), op.getOffset(),
                    op.getSizes(), op.getStrides());
  if (op.getResult().use_empty())
    return success();
  if (plan.aliases(op)) {
    from.source = nc::notesAt(op.getLoc());
    remember(op.getResult(), std::move(from), /*ownsMemory=*/false);
    return success();
  }
  copy(destination(op.getResult()), from);
  return success();
}

LogicalResult Lowering::lowerSlice(SliceOp op) {
  if (spread.contains(op.getBase()) && sliceScales(op))
    return success();
  Ref base = refOf(op.getBase());
  // Strides count elements of the dense tile.
  if (!base.isDense()) {
    Ref dense = allocate(tensorOf(op.getBase()), nc::Space::sbuf);
    copy(dense, base);
    base = dense;
  }
  remember(
      op.getResult(),
      sliceOf(base, op, static_cast<int64_t>(op.getRow()), op.getSizes()[0]),
      /*ownsMemory=*/false);
  return success();
}

/// The columns of the slice, and `rows` rows of `base` from `row`.
Ref Lowering::sliceOf(const Ref &base, SliceOp op, int64_t row, int64_t rows) {
  Ref ref = base;
  ref.rows = rows;
  ref.row += row;
  ref.sizes.assign(op.getSizes().begin() + 1, op.getSizes().end());
  ref.strides.assign(op.getStrides().begin() + 1, op.getStrides().end());
  AffineMap extra = op.getOffset();
  unsigned dims = base.offset.getNumDims();
  ref.offset =
      AffineMap::get(dims + extra.getNumDims(), 0,
                     base.offset.getResult(0) + extra.getResult(0).shiftDims(
                                                    extra.getNumDims(), dims));
  ref.indices.append(op.getIndices().begin(), op.getIndices().end());
  return ref;
}

/// The producer of the input has written it there, unless it has other uses.
LogicalResult Lowering::lowerAppend(AppendOp op) {
  if (lowered.contains(op.getResult()))
    return success();
  const Ref from = refOf(op.getInput());
  const Ref whole = makeAppended(op);
  copy(columns(whole, 0, tensorOf(op.getInput()).getDimSize(1)), from);
  return success();
}

/// By the Vector engine, in blocks of 32 by 32, bit for bit.
void Lowering::transposeSmall(const Ref &to, const Ref &from) {
  for (int64_t row = 0; row < from.rows; row += 32)
    for (int64_t column = 0; column < to.rows; column += 32) {
      int64_t rows = std::min<int64_t>(32, from.rows - row);
      int64_t count = std::min<int64_t>(32, to.rows - column);
      emit("nc_transpose",
           {view(columns(rowsOf(to, column, count), row, rows)),
            view(columns(rowsOf(from, row, rows), column, count))},
           {onEngine(isa::Engine::vector)});
    }
}

/// By the tensor engine, in blocks of 128 by 128, through PSUM: as many blocks
/// as fit a bank are evacuated by one copy.
void Lowering::transpose(const Ref &to, const Ref &input) {
  Ref from = inSbuf(aligned(input));
  // The tensor engine of trn1 makes a product with an identity, which takes
  // floats, and an infinity or a NaN would spread over a row of the result. For
  // types of 16 bits that is the language's exception: the Vector engine takes
  // many times as long.
  Type element = from.element();
  if (target.generation == isa::Generation::v2 && !element.isBF16() &&
      !element.isF16())
    return transposeSmall(to, from);
  int64_t bytes = from.elementBytes();
  int64_t bank = isa::psumBankBytes / bytes;
  int64_t wide = bank / isa::maxPartitions *
                 isa::maxPartitions; // columns of the result that fit a bank
  auto blocks = [&](const Ref &psum, int64_t slot, int64_t lanes, int64_t first,
                    int64_t count) {
    for (int64_t done = 0; done < count; done += isa::maxPartitions) {
      int64_t rows = std::min<int64_t>(isa::maxPartitions, count - done);
      Ref source = columns(rowsOf(from, first + done, rows),
                           slot * isa::maxPartitions, lanes);
      emit("nc_transpose", {view(columns(psum, done, rows)), view(source)}, {});
    }
  };
  int64_t columnsOut = from.rows;
  if (to.slots() > 1 && columnsOut % isa::maxPartitions == 0 &&
      to.rows % isa::maxPartitions == 0 && to.slots() * columnsOut <= bank) {
    // Several slots in one bank, one copy for all of them.
    Ref psum = allocate({to.rows, columnsOut}, from.element(), nc::Space::psum);
    for (const Part &part : slotsOf(to.rows))
      blocks(rowsOf(psum, part.slot * isa::maxPartitions, part.rows), part.slot,
             part.rows, 0, columnsOut);
    copy(to, psum);
    return;
  }
  for (const Part &part : slotsOf(to.rows))
    for (int64_t first = 0; first < columnsOut; first += wide) {
      int64_t count = std::min(wide, columnsOut - first);
      Ref psum = allocate({part.rows, count}, from.element(), nc::Space::psum);
      blocks(psum, part.slot, part.rows, first, count);
      copy(columns(rowsOf(to, part.slot * isa::maxPartitions, part.rows), first,
                   count),
           psum);
    }
}

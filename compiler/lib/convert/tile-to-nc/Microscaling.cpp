//===- Microscaling.cpp - Packed floats with shared scales ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four rows of a tile share an element of a packed type, eight packed rows a
// row of scales. The tensor engine reads the scales of 32 partitions from four
// of them: scales are spread over the rows of what they belong to.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

namespace {
using isa::packedRows;
using isa::rowsOfScale;
constexpr int64_t quadrant = 32; ///< Packed rows whose scales lie together.
constexpr int64_t scalesTogether = quadrant / rowsOfScale;
constexpr int64_t slotRows = isa::maxPartitions,
                  slotScales = slotRows / rowsOfScale;
} // namespace

/// Rows from the first row of scales of that many packed rows to the last.
static int64_t spanOf(int64_t rows) { return rows - quadrant + scalesTogether; }

/// For the scales of a tile, the rows of what they belong to.
Ref Lowering::allocateScales(TileType type) {
  return allocate({type.getDimSize(0) * rowsOfScale, type.getDimSize(1)},
                  type.getElementType(), nc::Space::sbuf);
}

/// Between scales as the tensor engine reads them and a tile of [K / 32, N].
void Lowering::moveScales(const Ref &spread, const Ref &rows, bool isToRows) {
  const auto move = [&](const Ref &some, const Ref &those) {
    const Value a = view(some), b = view(those);
    emit("dma_copy", isToRows ? ArrayRef{b, a} : ArrayRef{a, b}, {});
  };
  // Those of the same quadrant of all whole slots, if they are far apart.
  int64_t done = 0;
  const int64_t slots = rows.rows / slotScales;
  // On chip, slots that follow one another are one extent.
  const int64_t most = maxDimSize / rows.free();
  if (rows.space == nc::Space::hbm && spread.row % slotRows == 0 && most > 0 &&
      spread.slotStride <= maxStride)
    while (done < slots * slotScales) {
      const int64_t count = std::min(most, slots - done / slotScales);
      for (int64_t q = 0; q < slotRows / quadrant; ++q) {
        Ref some =
            rowsOf(spread, done * rowsOfScale + q * quadrant, scalesTogether);
        some.sizes.insert(some.sizes.begin(), count);
        some.strides.insert(some.strides.begin(), spread.slotStride);
        Ref those = rowsOf(rows, done + q * scalesTogether, scalesTogether);
        those.sizes.insert(those.sizes.begin(), count);
        those.strides.insert(those.strides.begin(),
                             slotScales * rows.rowStride);
        move(some, those);
      }
      done += count * slotScales;
    }
  for (; done < rows.rows; done += scalesTogether) {
    const int64_t count = std::min(scalesTogether, rows.rows - done);
    const Ref some = rowsOf(spread, done * rowsOfScale, count),
              those = rowsOf(rows, done, count);
    if (isToRows)
      dma(those, some);
    else
      dma(some, those);
  }
}

/// What only products read as scales is loaded to where they read it.
bool Lowering::loadScales(LoadOp op) {
  const TileType type = tensorOf(op.getResult());
  if (!mlir::isa<Float8E8M0FNUType>(type.getElementType()) ||
      type.getRank() != 2 || type.getDimSize(0) % scalesTogether != 0)
    return false;
  SmallVector<Value> values{op.getResult()};
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      if (auto slice = dyn_cast<SliceOp>(use.getOwner()))
        values.push_back(slice.getResult());
      else if (!mlir::isa<MatmulOp>(use.getOwner()))
        return false;
    }
  const Ref from = hbm(op.getBase(), op.getResult(), op.getIndices(),
                       op.getOffset(), op.getSizes(), op.getStrides());
  moveScales(spread[op.getResult()] = allocateScales(type), from,
             /*isToRows=*/false);
  return true;
}

/// A window of spread scales is one, too, if its rows start with a quadrant.
bool Lowering::sliceScales(SliceOp op) {
  const auto row = static_cast<int64_t>(op.getRow());
  if (op.getSizes().size() != 2 || row % scalesTogether != 0 ||
      op.getStrides()[0] != 1)
    return false;
  spread[op.getResult()] =
      sliceOf(rowsOf(spread[op.getBase()], row * rowsOfScale,
                     op.getSizes()[0] * rowsOfScale),
              op, /*row=*/0, op.getSizes()[0] * rowsOfScale);
  return true;
}

/// Scales as the tensor engine reads them.
Ref Lowering::scalesOf(Value scales) {
  auto it = spread.find(scales);
  if (it != spread.end() && it->second.row % slotRows == 0)
    return it->second;
  const Ref rows = refOf(scales);
  const Ref made = allocateScales(tensorOf(scales));
  moveScales(made, inSbuf(rows), /*isToRows=*/false);
  return made;
}

/// Scales as a tile of their own rows, for users that are not products.
Ref Lowering::inRows(Value scales) {
  const Ref from = spread[scales];
  const Ref to = allocate(tensorOf(scales), nc::Space::sbuf);
  moveScales(from, to, /*isToRows=*/true);
  return to;
}

void Lowering::scaledProduct(Value dst, const Ref &a, const Ref &aScales,
                             const Ref &b, const Ref &bScales,
                             bool accumulate) {
  for (const Part &part : slotsOf(a.rows)) {
    SmallVector<NamedAttribute> attributes;
    if (accumulate || part.slot != 0)
      attributes.push_back(flag("accumulate", true));
    Part shared = part;
    shared.rows = spanOf(part.rows);
    emit("nc_matmul_mx",
         {dst, view(a, part), view(b, part), view(aScales, shared),
          view(bScales, shared)},
         attributes);
  }
}

LogicalResult Lowering::lowerQuantize(QuantizeOp op) {
  const Ref from = inSbuf(aligned(toSbuf(op.getInput())));
  const Ref data = destination(op.getData());
  const Ref scales = allocateScales(tensorOf(op.getScales()));
  spread[op.getScales()] = scales;
  if (op.getTurned())
    quantizeTurned(data, scales, from);
  else
    quantizeColumns(data, scales, from);
  return success();
}

/// From [K / 4, 4, N]: the four rows of an element lie on its partition, one
/// behind the other.
void Lowering::quantizeColumns(const Ref &data, const Ref &scales,
                               const Ref &from) {
  const int64_t count = data.free();
  const int64_t wide = maxSbufElements / packedRows;
  for (const Part &part : slotsOf(data.rows))
    for (int64_t first = 0; first < count; first += wide) {
      const int64_t some = std::min(wide, count - first);
      Ref four = from;
      four.sizes = {some, packedRows};
      four.strides = {from.strides[1], from.strides[0]};
      four.offset = plus(from.offset, first * from.strides[1]);
      Part shared = part;
      shared.rows = spanOf(part.rows);
      emit("quantize_mx",
           {view(columns(data, first, some), part), view(four, part),
            view(columns(scales, first, some), shared)},
           {});
    }
}

/// From [N, K]: the tensor engine brings each fourth column to the partition of
/// its element. The copy out of PSUM puts the four side by side.
void Lowering::quantizeTurned(const Ref &data, const Ref &scales,
                              const Ref &from) {
  const int64_t wide = isa::psumBankBytes / (from.elementBytes() * packedRows);
  for (const Part &part : slotsOf(data.rows))
    for (int64_t first = 0; first < from.rows; first += wide) {
      const int64_t some = std::min(wide, from.rows - first);
      // Each row of PSUM that is written starts with a slot of four bytes.
      const int64_t apart = llvm::alignTo(some, 2);
      const Ref psum = allocate({part.rows, packedRows, apart}, from.element(),
                                nc::Space::psum);
      for (int64_t done = 0; done < some; done += slotRows) {
        const int64_t rows = std::min(slotRows, some - done);
        for (int64_t q = 0; q < packedRows; ++q) {
          Ref turned = psum, source = rowsOf(from, first + done, rows);
          turned.sizes = {rows};
          turned.strides = {1};
          turned.offset = plus(psum.offset, q * apart + done);
          source.sizes = {part.rows};
          source.offset =
              plus(source.offset,
                   (part.slot * slotRows * packedRows + q) * from.strides[0]);
          source.strides = {packedRows * from.strides[0]};
          emit("nc_transpose", {view(turned), view(source)}, {});
        }
      }
      const Ref staged = allocate({part.rows, some, packedRows}, from.element(),
                                  nc::Space::sbuf);
      Ref to = staged, turned = psum;
      to.sizes = turned.sizes = {packedRows, some};
      to.strides = {1, packedRows};
      copy(to, turned);
      Part shared = part;
      shared.rows = spanOf(part.rows);
      emit("quantize_mx",
           {view(columns(data, first, some), part), view(staged),
            view(columns(scales, first, some), shared)},
           {});
    }
}

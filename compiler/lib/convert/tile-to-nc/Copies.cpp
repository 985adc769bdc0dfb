//===- Copies.cpp - Moving rows between any two places -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// Engines start at a quarter of the partitions with up to 32 rows, at the
/// third also with 64, at the first with any number.
static int64_t rowsFrom(int64_t start) {
  return start == 0        ? isa::maxPartitions
         : start == 64     ? 64
         : start % 32 == 0 ? 32
                           : 0;
}

/// A tile of several slots starts at the first partition.
static bool isAligned(const Ref &ref) {
  int64_t start = ref.row % isa::maxPartitions;
  return start == 0 || ref.rows <= rowsFrom(start);
}

static Part wholeOf(const Ref &ref) {
  Part part;
  part.slots = 1;
  part.rows = ref.rows;
  return part;
}

/// A buffer in SBUF with as many rows, and the columns and type of `ref`.
Ref Lowering::bufferLike(const Ref &ref, int64_t rows, Type element) {
  SmallVector<int64_t> shape{rows};
  shape.append(ref.sizes);
  return allocate(shape, element ? element : ref.element(), nc::Space::sbuf);
}

/// Any rows to any rows: by DMA, in runs that do not leave their slots.
void Lowering::dma(const Ref &to, const Ref &from) {
  auto start = [](const Ref &ref) {
    return ref.space == nc::Space::hbm ? 0 : ref.row % isa::maxPartitions;
  };
  if (start(to) == 0 && start(from) == 0) {
    for (const Part &part : partsOf({&to, &from}))
      emit("dma_copy", {view(to, part), view(from, part)}, {});
    return;
  }
  for (int64_t done = 0; done < to.rows;) {
    int64_t run = to.rows - done;
    for (const Ref *ref : {&to, &from})
      if (ref->space != nc::Space::hbm)
        run = std::min(run, isa::maxPartitions -
                                (ref->row + done) % isa::maxPartitions);
    Ref target = rowsOf(to, done, run), source = rowsOf(from, done, run);
    for (const Part &part : partsOf({&target, &source}))
      emit("dma_copy", {view(target, part), view(source, part)}, {});
    done += run;
  }
}

/// By an engine, with conversion: rows that it can start at.
void Lowering::engineCopy(const Ref &to, const Ref &from) {
  for (const Part &part : partsOf({&to, &from}))
    emit("tensor_copy", {view(to, part), view(from, part)}, {});
}

/// On chip, converting.
void Lowering::copy(const Ref &to, const Ref &from) {
  if (isAligned(to) && isAligned(from))
    return engineCopy(to, from);
  Ref source = inSbuf(from);
  if (source.element() != to.element()) {
    Ref converted = bufferLike(source, source.rows, to.element());
    engineCopy(converted, aligned(source));
    source = converted;
  }
  place(to, source);
}

/// Rows of SBUF to rows of the same type that no engine can start at.
void Lowering::place(const Ref &to, const Ref &from) {
  if (to.space != nc::Space::psum)
    return dma(to, from);
  // DMA cannot access PSUM. An engine writes from the start of the quarter:
  // rows there that precede the wanted ones are written back.
  forEachSlot(to, [&](const Ref &run, int64_t done) {
    int64_t first = run.row % isa::maxPartitions, quarter = first / 32 * 32;
    Ref whole = quarterOn(run);
    Ref staged = bufferLike(run, first + run.rows);
    if (first != quarter)
      engineCopy(rowsOf(staged, quarter, first - quarter),
                 rowsOf(whole, 0, first - quarter));
    dma(rowsOf(staged, first, run.rows), rowsOf(from, done, run.rows));
    forEachStart(whole, [&](const Ref &rows, int64_t offset) {
      engineCopy(rows, rowsOf(staged, quarter + offset, rows.rows));
    });
  });
}

/// Calls use(rows, first) for the rows of each slot.
void Lowering::forEachSlot(const Ref &ref, RowsUse use) {
  for (int64_t done = 0; done < ref.rows;) {
    int64_t run =
        std::min(ref.rows - done,
                 isa::maxPartitions - (ref.row + done) % isa::maxPartitions);
    use(rowsOf(ref, done, run), done);
    done += run;
  }
}

/// The rows of one slot, from the quarter in which they start.
Ref Lowering::quarterOn(const Ref &ref) {
  int64_t before = ref.row % 32;
  return rowsOf(ref, -before, ref.rows + before);
}

/// Calls use(rows, first) for runs that an engine can take, of rows that start
/// at a quarter.
void Lowering::forEachStart(const Ref &ref, RowsUse use) {
  for (int64_t done = 0; done < ref.rows;) {
    int64_t run = std::min(ref.rows - done,
                           rowsFrom((ref.row + done) % isa::maxPartitions));
    use(rowsOf(ref, done, run), done);
    done += run;
  }
}

void Lowering::memset(const Ref &to, double value) {
  if (!isAligned(to)) {
    Ref constant = bufferLike(to, to.rows);
    memset(constant, value);
    return place(to, constant);
  }
  // An integer that fp32 cannot represent: its upper bits, then the low eight.
  if (to.element().isInteger(32) && value != static_cast<float>(value)) {
    auto whole = static_cast<int64_t>(value);
    memset(to, static_cast<double>(whole & ~int64_t(255)));
    auto low = static_cast<int32_t>(whole & 255);
    for (const Part &part : partsOf({&to}))
      emit("tensor_scalar", {view(to, part), view(to, part)},
           {choice("op0", isa::AluOp::bitwise_or),
            builder.getNamedAttr("operand0_value",
                                 builder.getI32IntegerAttr(low))});
    return;
  }
  for (const Part &part : partsOf({&to}))
    emit("memset", {view(to, part)}, {number("value", value)});
}

/// The same rows in SBUF, on any partitions.
Ref Lowering::inSbuf(Ref ref) {
  if (ref.space == nc::Space::sbuf)
    return ref;
  if (isAligned(ref)) {
    Ref result = bufferLike(ref, ref.rows);
    engineCopy(result, ref);
    return result;
  }
  // From the start of the quarter, each row to its own partition. The writer of
  // a row also wrote the rows between it and the start of its quarter.
  SmallVector<Ref> runs;
  forEachSlot(ref, [&](const Ref &run, int64_t) {
    int64_t first = run.row % isa::maxPartitions, quarter = first / 32 * 32;
    Ref copied = bufferLike(run, first + run.rows);
    forEachStart(quarterOn(run), [&](const Ref &rows, int64_t offset) {
      engineCopy(rowsOf(copied, quarter + offset, rows.rows), rows);
    });
    runs.push_back(rowsOf(copied, first, run.rows));
  });
  if (runs.size() == 1)
    return runs.front();
  Ref result = bufferLike(ref, ref.rows);
  int64_t done = 0;
  for (const Ref &run : runs) {
    dma(rowsOf(result, done, run.rows), run);
    done += run.rows;
  }
  return result;
}

/// The same rows where an engine can start.
Ref Lowering::aligned(Ref ref) {
  if (isAligned(ref))
    return ref;
  Ref source = inSbuf(std::move(ref));
  if (isAligned(source))
    return source;
  Ref result = bufferLike(source, source.rows);
  dma(result, source);
  return result;
}

/// For operands that only SBUF can hold. A product is copied once per block.
Ref Lowering::toSbuf(Value tile) {
  Ref ref = refOf(tile);
  if (ref.space == nc::Space::sbuf || !tile.getDefiningOp<MatmulOp>())
    return aligned(inSbuf(std::move(ref)));
  auto &copies = lowered.find(tile)->second->copies;
  auto it = copies.find(builder.getBlock());
  if (it == copies.end())
    it = copies.insert({builder.getBlock(), aligned(inSbuf(std::move(ref)))})
             .first;
  return it->second;
}

/// The first of `from`'s rows on every row of `to`, bit for bit: a pattern
/// that shows the row once for each partition, by DMA.
void Lowering::repeatRow(const Ref &to, const Ref &from) {
  Ref row = inSbuf(from);
  // As many rows at once as the pattern has elements for.
  int64_t most = row.sizes.size() < isa::maxFreeDims
                     ? std::max<int64_t>(1, maxDimSize / row.free())
                     : 1;
  forEachSlot(to, [&](const Ref &slot, int64_t) {
    for (int64_t done = 0; done < slot.rows; done += most) {
      int64_t count = std::min(most, slot.rows - done);
      Ref target = rowsOf(slot, done, count);
      Ref source = row;
      source.sizes.insert(source.sizes.begin(), count);
      source.strides.insert(source.strides.begin(), 0);
      if (count > 1) {
        emit("dma_copy", {view(target, wholeOf(target)), view(source)}, {});
        continue;
      }
      for (const Part &part : partsOf({&target, &row}))
        emit("dma_copy", {view(target, part), view(row, part)}, {});
    }
  });
}

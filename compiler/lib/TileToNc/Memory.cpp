//===- Memory.cpp - Buffers, windows and the views of instructions --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

bool Ref::isDense() const {
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != step)
      return false;
    step *= sizes[i];
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Ref Lowering::allocate(ArrayRef<int64_t> shape, Type element, nc::Space space) {
  Ref ref;
  ref.rows = shape[0];
  ref.sizes.assign(shape.begin() + 1, shape.end());
  auto strides = denseStrides(shape, true);
  ref.strides.assign(strides.begin() + 1, strides.end());
  ref.offset = zeroOffset(builder.getContext());
  ref.slotStride = ref.free();
  auto type = MemRefType::get({std::min<int64_t>(ref.rows, isa::maxPartitions),
                               ref.slots() * ref.free()},
                              element, MemRefLayoutAttrInterface(),
                              nc::SpaceAttr::get(builder.getContext(), space));
  ref.base = nc::AllocOp::create(builder, location, type);
  return ref;
}

Ref Lowering::allocate(TileType type, nc::Space space) {
  return allocate(type.getShape(), type.getElementType(), space);
}

Ref Lowering::refOf(Value tile) {
  auto it = refs.find(tile);
  if (it != refs.end())
    return it->second;
  // A constant gets memory only where an instruction wants it as a tile.
  TileType type = tensorOf(tile);
  Ref ref = allocate(type, nc::Space::sbuf);
  memset(ref, splatOf(tile).value_or(0.0));
  return ref;
}

/// The window that the value is assigned to, or a buffer of its own.
Ref Lowering::destination(Value result) {
  Ref ref;
  if (AssignOp assign = plan.destinationOf(result)) {
    if (auto declare = assign.getBase().getDefiningOp<DeclareOp>())
      (void)lowerDeclare(declare);
    ref = window(assign.getBase(), assign.getIndices(),
                 static_cast<int64_t>(assign.getRow()), assign.getOffset(),
                 assign.getSizes(), assign.getStrides());
  } else {
    ref = allocate(tensorOf(result), nc::Space::sbuf);
  }
  refs[result] = ref;
  return ref;
}

Ref Lowering::hbm(Value base, OperandRange indices, AffineMap offset,
                  ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  Ref ref;
  ref.base = base;
  ref.rows = sizes[0];
  ref.rowStride = strides[0];
  ref.sizes.assign(sizes.begin() + 1, sizes.end());
  ref.strides.assign(strides.begin() + 1, strides.end());
  ref.offset = offset;
  ref.indices.assign(indices.begin(), indices.end());
  return ref;
}

/// A view of a buffer whose alloc is already made.
Ref Lowering::window(Value base, OperandRange indices, int64_t row,
                     AffineMap offset, ArrayRef<int64_t> sizes,
                     ArrayRef<int64_t> strides) {
  Ref ref = refs.lookup(base);
  ref.rows = sizes[0];
  ref.row += row;
  ref.sizes.assign(sizes.begin() + 1, sizes.end());
  ref.strides.assign(strides.begin() + 1, strides.end());
  // Buffers are dense, so their own offset is zero.
  ref.offset = offset;
  ref.indices.assign(indices.begin(), indices.end());
  return ref;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static AffineMap plus(AffineMap map, int64_t amount) {
  if (amount == 0)
    return map;
  return AffineMap::get(map.getNumDims(), 0, map.getResult(0) + amount);
}

/// Columns of a two-dimensional tile.
Ref Lowering::columns(const Ref &ref, int64_t first, int64_t count) {
  Ref result = ref;
  result.offset = plus(ref.offset, first * ref.strides.back());
  result.sizes.back() = count;
  return result;
}

Ref Lowering::rowsOf(const Ref &ref, int64_t first, int64_t count) {
  Ref result = ref;
  result.rows = count;
  if (ref.space() == nc::Space::hbm)
    result.offset = plus(ref.offset, first * ref.rowStride);
  else
    result.row += first;
  return result;
}

SmallVector<Part> Lowering::partsOf(int64_t rows, bool eachSlot) {
  SmallVector<Part> parts;
  int64_t full = rows / 128;
  if (eachSlot)
    for (int64_t slot = 0; slot < full; ++slot)
      parts.push_back({slot, 1, 128});
  else if (full)
    parts.push_back({0, full, 128});
  if (rows % 128)
    parts.push_back({full, 1, rows % 128});
  return parts;
}

/// Drops extents of 1 and merges dimensions that continue each other.
static void simplify(SmallVectorImpl<int64_t> &sizes,
                     SmallVectorImpl<int64_t> &strides, size_t keep) {
  SmallVector<int64_t> outSizes(sizes.begin(), sizes.begin() + keep);
  SmallVector<int64_t> outStrides(strides.begin(), strides.begin() + keep);
  for (size_t i = keep; i < sizes.size(); ++i) {
    if (sizes[i] == 1)
      continue;
    if (outSizes.size() > keep && outStrides.back() == strides[i] * sizes[i]) {
      outSizes.back() *= sizes[i];
      outStrides.back() = strides[i];
      continue;
    }
    outSizes.push_back(sizes[i]);
    outStrides.push_back(strides[i]);
  }
  if (outSizes.size() == keep) {
    outSizes.push_back(1);
    outStrides.push_back(1);
  }
  sizes.assign(outSizes);
  strides.assign(outStrides);
}

Value Lowering::view(const Ref &ref, const Part &part, bool merge) {
  bool onChip = ref.space() != nc::Space::hbm;
  int64_t row = ref.row + part.slot * 128;
  SmallVector<int64_t> sizes{part.rows}, strides{onChip ? 1 : ref.rowStride};
  if (part.slots > 1) {
    sizes.push_back(part.slots);
    strides.push_back(onChip ? ref.slotStride : 128 * ref.rowStride);
  }
  sizes.append(ref.sizes);
  strides.append(ref.strides);
  if (merge)
    simplify(sizes, strides, 1);
  int64_t start =
      onChip ? (row / 128) * ref.slotStride : part.slot * 128 * ref.rowStride;
  const int64_t firstRow = onChip ? row % 128 : 0;
  AffineMap offset = plus(ref.offset, start);
  nc::ViewOp &last = lastViews[ref.base];
  if (!last || last->getBlock() != builder.getBlock() ||
      static_cast<int64_t>(last.getRow()) != firstRow ||
      last.getOffset() != offset || last.getSizes() != ArrayRef(sizes) ||
      last.getStrides() != ArrayRef(strides) ||
      !llvm::equal(last.getIndices(), ref.indices))
    last = nc::ViewOp::create(builder, location, ref.base, ref.indices,
                              firstRow, offset, sizes, strides);
  return last.getView();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Engines start at quarters or halves of the partitions, and a tile of
/// several slots at the first partition.
static bool isAligned(const Ref &ref) {
  int64_t start = ref.row % 128;
  if (start == 0)
    return true;
  int64_t step = ref.rows <= 32 ? 32 : ref.rows <= 64 ? 64 : 128;
  return start % step == 0 && start + ref.rows <= 128;
}

/// Any rows to any rows: by DMA, in runs that stay inside their slots.
void Lowering::dma(const Ref &to, const Ref &from) {
  auto start = [](const Ref &ref) {
    return ref.space() == nc::Space::hbm ? 0 : ref.row % 128;
  };
  if (start(to) == 0 && start(from) == 0) {
    for (const Part &part : partsOf(to.rows))
      emit("dma_copy", {view(to, part), view(from, part)}, {});
    return;
  }
  for (int64_t done = 0; done < to.rows;) {
    int64_t run = to.rows - done;
    for (const Ref *ref : {&to, &from})
      if (ref->space() != nc::Space::hbm)
        run = std::min(run, 128 - (ref->row + done) % 128);
    Part whole{0, 1, run};
    emit("dma_copy",
         {view(rowsOf(to, done, run), whole),
          view(rowsOf(from, done, run), whole)},
         {});
    done += run;
  }
}

/// On chip, converting.
void Lowering::copy(const Ref &to, const Ref &from) {
  if (!isAligned(to) || !isAligned(from)) {
    Ref source = inSbuf(from);
    if (source.element() != to.element()) {
      SmallVector<int64_t> shape{from.rows};
      shape.append(from.sizes);
      Ref converted = allocate(shape, to.element(), nc::Space::sbuf);
      copy(converted, aligned(source));
      source = converted;
    }
    dma(to, source);
    return;
  }
  for (const Part &part : partsOf(to.rows))
    emit("tensor_copy", {view(to, part), view(from, part)}, {});
}

void Lowering::memset(const Ref &to, double value) {
  if (!isAligned(to)) {
    SmallVector<int64_t> shape{to.rows};
    shape.append(to.sizes);
    Ref constant = allocate(shape, to.element(), nc::Space::sbuf);
    memset(constant, value);
    dma(to, constant);
    return;
  }
  // An integer that fp32 does not hold: its upper bits, then the low eight.
  if (to.element().isInteger(32) && value != static_cast<float>(value)) {
    auto whole = static_cast<int64_t>(value);
    memset(to, static_cast<double>(whole & ~int64_t(255)));
    auto low = static_cast<int32_t>(whole & 255);
    for (const Part &part : partsOf(to.rows))
      emit("tensor_scalar", {view(to, part), view(to, part)},
           {text("op0", "bitwise_or"),
            builder.getNamedAttr("operand0_value",
                                 builder.getI32IntegerAttr(low))});
    return;
  }
  for (const Part &part : partsOf(to.rows))
    emit("memset", {view(to, part)}, {number("value", value)});
}

Ref Lowering::inSbuf(const Ref &ref) {
  if (ref.space() == nc::Space::sbuf)
    return ref;
  SmallVector<int64_t> shape{ref.rows};
  shape.append(ref.sizes);
  Ref result = allocate(shape, ref.element(), nc::Space::sbuf);
  copy(result, ref);
  return result;
}

Ref Lowering::aligned(const Ref &ref) {
  if (isAligned(ref))
    return ref;
  SmallVector<int64_t> shape{ref.rows};
  shape.append(ref.sizes);
  Ref result = allocate(shape, ref.element(), nc::Space::sbuf);
  dma(result, ref);
  return result;
}

/// For operands that only SBUF can hold. A product is copied once a block.
Ref Lowering::toSbuf(Value tile) {
  Ref ref = aligned(refOf(tile));
  if (ref.space() == nc::Space::sbuf)
    return ref;
  if (!tile.getDefiningOp<MatmulOp>())
    return inSbuf(ref);
  auto [it, isNew] = copies.try_emplace({tile, builder.getBlock()});
  if (isNew) {
    Ref made = inSbuf(ref);
    copies[{tile, builder.getBlock()}] = made;
    return made;
  }
  return it->second;
}

/// Operands of the operation that are values, and those that may be absent.
static void countOperandGroups(StringRef mnemonic, unsigned &groups,
                               unsigned &optional) {
  auto opcode =
      isa::parseOpcode(std::string_view(mnemonic.data(), mnemonic.size()));
  for (const isa::OperandInfo &operand : isa::info(*opcode).operands) {
    groups += isa::isValue(operand.kind);
    optional += isa::isOptionalValue(operand.kind);
  }
}

Operation *Lowering::emit(StringRef mnemonic, ArrayRef<Value> operands,
                          ArrayRef<NamedAttribute> attributes) {
  OperationState state(location, ("nc." + mnemonic).str());
  SmallVector<int32_t> present;
  for (Value operand : operands) {
    present.push_back(operand ? 1 : 0);
    if (operand)
      state.addOperands(operand);
  }
  state.addAttributes(attributes);
  unsigned groups = 0, optional = 0;
  countOperandGroups(mnemonic, groups, optional);
  present.resize(groups, 0);
  if (optional > 1)
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(present));
  return builder.create(state);
}

//===- Memory.cpp - Buffers, windows and the views of instructions --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/compiler/dialect/nc/Create.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Promises.h"

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
  ref.offset = zeroOffset.getValue();
  ref.slotStride = ref.free();
  MemRefType type = bufferType({std::min<int64_t>(ref.rows, isa::maxPartitions),
                                ref.slots() * ref.free()},
                               element, space);
  nc::AllocOp::Properties properties;
  properties.ring = one;
  auto alloc = make<nc::AllocOp>(allocName, plain, type, {}, properties);
  nc::setMemoryScope(alloc, nc::memoryScopeAt(location));
  ref.base = alloc;
  ref.space = space;
  return ref;
}

MemRefType Lowering::bufferType(ArrayRef<int64_t> shape, Type element,
                                nc::Space space) {
  for (MemRefType known : bufferTypes)
    if (known && known.getShape() == shape &&
        known.getElementType() == element && nc::spaceOf(known) == space)
      return known;
  return bufferTypes[nextBufferType++ % bufferTypes.size()] =
             MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                             nc::SpaceAttr::get(builder.getContext(), space));
}

Ref Lowering::allocate(TileType type, nc::Space space) {
  return allocate(type.getShape(), type.getElementType(), space);
}

Ref Lowering::refOf(Value tile) {
  auto it = lowered.find(tile);
  if (it != lowered.end())
    return it->second->ref;
  if (spread.contains(tile))
    return inRows(tile);
  // A constant gets memory only where an instruction wants it as a tile.
  TileType type = tensorOf(tile);
  Ref ref = allocate(type, nc::Space::sbuf);
  memset(ref, splatOf(tile).value_or(0.0));
  return ref;
}

/// A buffer of its own, whose last column is there already.
const Ref &Lowering::makeAppended(AppendOp op) {
  const TileType type = tensorOf(op.getResult());
  const Ref whole = allocate(type, nc::Space::sbuf);
  memset(columns(whole, type.getDimSize(1) - 1, 1),
         op.getValue().convertToDouble());
  return remember(op.getResult(), whole, /*ownsMemory=*/true);
}

/// The window that the value is assigned to, or that a column is appended to,
/// or a buffer of its own.
const Ref &Lowering::destination(Value result) {
  AssignOp assign = plan.destinationOf(result);
  if (!assign && result.hasOneUse())
    if (auto append = dyn_cast<AppendOp>(*result.user_begin());
        append && append->getBlock() == result.getParentBlock()) {
      Ref window =
          columns(makeAppended(append), 0, tensorOf(result).getDimSize(1));
      return remember(result, std::move(window), /*ownsMemory=*/false);
    }
  if (!assign)
    return remember(result, allocate(tensorOf(result), nc::Space::sbuf),
                    /*ownsMemory=*/true);
  if (auto declare = assign.getBase().getDefiningOp<DeclareOp>())
    (void)lowerDeclare(declare);
  Ref ref = window(assign.getBase(), assign.getValue(), assign.getIndices(),
                   static_cast<int64_t>(assign.getRow()), assign.getOffset(),
                   assign.getSizes(), assign.getStrides());
  ref.source = nc::notesAt(assign.getLoc());
  return remember(result, std::move(ref), /*ownsMemory=*/false);
}

/// Valid as long as the value.
const Ref &Lowering::remember(Value tile, Ref ref, bool ownsMemory) {
  auto &entry = lowered[tile];
  entry = std::make_unique<Lowered>(
      Lowered{std::move(ref), ownsMemory, /*copies=*/{}});
  return entry->ref;
}

/// Its bytes as elements of the tile that is moved: all but the slots of the
/// memory counts these.
static Ref seenAs(Ref ref, Value tile) {
  const Type element = tensorOf(tile).getElementType();
  if (!ref.base || element == ref.element())
    return ref;
  const int64_t bytes = ref.slotStride * ref.elementBytes();
  ref.seenAs = element;
  ref.slotStride = bytes / ref.elementBytes();
  return ref;
}

Ref Lowering::hbm(Value base, Value tile, OperandRange indices,
                  AffineMap offset, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> strides) {
  Ref ref;
  ref.base = base;
  ref.space = *nc::spaceOf(cast<MemRefType>(base.getType()));
  ref.rows = sizes[0];
  ref.rowStride = strides[0];
  ref.sizes.assign(sizes.begin() + 1, sizes.end());
  ref.strides.assign(strides.begin() + 1, strides.end());
  ref.offset = offset;
  ref.indices.assign(indices.begin(), indices.end());
  return seenAs(std::move(ref), tile);
}

/// A view of a buffer whose alloc is already made.
Ref Lowering::window(Value base, Value tile, OperandRange indices, int64_t row,
                     AffineMap offset, ArrayRef<int64_t> sizes,
                     ArrayRef<int64_t> strides) {
  auto it = lowered.find(base);
  Ref ref = it == lowered.end() ? Ref() : it->second->ref;
  ref.rows = sizes[0];
  ref.row += row;
  ref.sizes.assign(sizes.begin() + 1, sizes.end());
  ref.strides.assign(strides.begin() + 1, strides.end());
  // Buffers are dense, so their own offset is zero.
  ref.offset = offset;
  ref.indices.assign(indices.begin(), indices.end());
  return seenAs(std::move(ref), tile);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

AffineMap kiln::compiler::plus(AffineMap map, int64_t amount) {
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
  if (ref.space == nc::Space::hbm)
    result.offset = plus(ref.offset, first * ref.rowStride);
  else
    result.row += first;
  return result;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Operation *Lowering::modelOf(StringRef mnemonic, uint32_t present) {
  SmallVector<Model, 1> &known = models[mnemonic];
  for (Model &model : known)
    if (model.present == present)
      return *model.op;
  OperationState state(plain, nc::operationName(mnemonic));
  nc::addOperandGroups(state, mnemonic, present);
  known.push_back(
      {present, OwningOpRef<Operation *>(Operation::create(state))});
  return *known.back().op;
}

void Lowering::emit(StringRef mnemonic, ArrayRef<Value> operands,
                    ArrayRef<NamedAttribute> attributes) {
  uint32_t present = 0;
  SmallVector<Value> values;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand) {
      present |= uint32_t(1) << i;
      values.push_back(operand);
    }
  Operation *model = modelOf(mnemonic, present);
  Operation *op = Operation::create(
      location, model->getName(), TypeRange(), values, noAttributes,
      model->getPropertiesStorage(), BlockRange(), /*numRegions=*/0);
  for (NamedAttribute attribute : attributes)
    op->setAttr(attribute.getName(), attribute.getValue());
  nc::adoptPromises(op);
  builder.insert(op);
}

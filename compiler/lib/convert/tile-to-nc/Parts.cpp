//===- Parts.cpp - What one instruction takes of a tile ------------------===//
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

/// Drops extents of 1 and merges dimensions that continue each other.
static void simplify(SmallVectorImpl<int64_t> &sizes,
                     SmallVectorImpl<int64_t> &strides, size_t keep) {
  size_t count = keep;
  for (size_t i = keep; i < sizes.size(); ++i) {
    if (sizes[i] == 1)
      continue;
    if (count > keep && strides[count - 1] == strides[i] * sizes[i]) {
      sizes[count - 1] *= sizes[i];
      strides[count - 1] = strides[i];
      continue;
    }
    sizes[count] = sizes[i];
    strides[count++] = strides[i];
  }
  sizes.truncate(count);
  strides.truncate(count);
  if (count == keep) {
    sizes.push_back(1);
    strides.push_back(1);
  }
}

namespace {
/// What a view of one part shows.
struct Window {
  int64_t firstRow = 0;
  AffineMap offset;
  SmallVector<int64_t> sizes, strides;
};
} // namespace

static Window windowOf(const Ref &ref, const Part &part, bool merge) {
  Window window;
  bool onChip = ref.space != nc::Space::hbm;
  int64_t row = ref.row + part.slot * isa::maxPartitions;
  window.sizes.push_back(part.rows);
  window.strides.push_back(onChip ? 1 : ref.rowStride);
  if (part.slots > 1) {
    window.sizes.push_back(part.slots);
    window.strides.push_back(onChip ? ref.slotStride
                                    : isa::maxPartitions * ref.rowStride);
  }
  int64_t start = onChip ? (row / isa::maxPartitions) * ref.slotStride
                         : part.slot * isa::maxPartitions * ref.rowStride;
  // One value per row goes with every part of the columns.
  bool isPart = !part.sizes.empty() && ref.free() != 1;
  ArrayRef<int64_t> free = isPart ? ArrayRef(part.sizes) : ArrayRef(ref.sizes);
  window.sizes.append(free.begin(), free.end());
  window.strides.append(ref.strides);
  for (size_t i = 0; isPart && i < ref.strides.size(); ++i)
    start += part.starts[i] * ref.strides[i];
  if (merge)
    simplify(window.sizes, window.strides, 1);
  window.firstRow = onChip ? row % isa::maxPartitions : 0;
  window.offset = plus(ref.offset, start);
  return window;
}

bool Lowering::fits(const Ref &ref, const Part &part, bool merge) {
  if (ref.space == nc::Space::hbm)
    return true;
  Window window = windowOf(ref, part, merge);
  int64_t elements = 1;
  for (size_t i = 1; i < window.sizes.size(); ++i) {
    elements *= window.sizes[i];
    if (window.sizes[i] > maxDimSize ||
        (window.sizes[i] > 1 && std::abs(window.strides[i]) > maxStride))
      return false;
  }
  return window.sizes.size() <= isa::maxFreeDims + 1 &&
         elements <=
             (ref.space == nc::Space::psum ? maxPsumElements : maxSbufElements);
}

/// Two halves: of the slots, else of the outermost free dimension. False if
/// there is one element.
static bool halve(const Part &part, ArrayRef<int64_t> free,
                  SmallVectorImpl<Part> &halves) {
  Part first = part, second = part;
  if (part.slots > 1) {
    first.slots = part.slots / 2;
    second.slot += first.slots;
    second.slots -= first.slots;
  } else {
    if (part.sizes.empty()) {
      first.starts.assign(free.size(), 0);
      first.sizes.assign(free.begin(), free.end());
    }
    auto *dim = llvm::find_if(first.sizes, [](int64_t n) { return n > 1; });
    if (dim == first.sizes.end())
      return false;
    auto i = static_cast<size_t>(dim - first.sizes.begin());
    int64_t half = first.sizes[i] / 2;
    second = first;
    first.sizes[i] = half;
    second.starts[i] += half;
    second.sizes[i] -= half;
  }
  halves.append({first, second});
  return true;
}

SmallVector<Part> Lowering::slotsOf(int64_t rows) {
  SmallVector<Part> slots;
  for (int64_t slot = 0; slot < rows / isa::maxPartitions; ++slot)
    slots.push_back({slot, 1, isa::maxPartitions, {}, {}});
  if (rows % isa::maxPartitions)
    slots.push_back(
        {rows / isa::maxPartitions, 1, rows % isa::maxPartitions, {}, {}});
  return slots;
}

SmallVector<Part> Lowering::partsOf(ArrayRef<const Ref *> operands,
                                    bool eachSlot, bool merge) const {
  const Ref &widest = **std::max_element(
      operands.begin(), operands.end(),
      [](const Ref *a, const Ref *b) { return a->free() < b->free(); });
  SmallVector<Part> todo, parts;
  int64_t rows = operands.front()->rows, full = rows / isa::maxPartitions;
  if (eachSlot || inSlots) {
    todo = slotsOf(rows);
  } else {
    if (full)
      todo.push_back({0, full, isa::maxPartitions, {}, {}});
    if (rows % isa::maxPartitions)
      todo.push_back({full, 1, rows % isa::maxPartitions, {}, {}});
  }
  std::reverse(todo.begin(), todo.end());
  while (!todo.empty()) {
    Part part = todo.pop_back_val();
    SmallVector<Part, 2> halves;
    auto shows = [&](const Ref *ref) { return fits(*ref, part, merge); };
    if (llvm::all_of(operands, shows) || !halve(part, widest.sizes, halves)) {
      parts.push_back(part);
      continue;
    }
    todo.push_back(halves[1]);
    todo.push_back(halves[0]);
  }
  return parts;
}

Lowering::ViewForm Lowering::viewForm(nc::Space space, Type element,
                                      ArrayRef<int64_t> sizes,
                                      ArrayRef<int64_t> strides) {
  for (const ViewForm &known : viewForms)
    if (known.type && known.sizes.asArrayRef() == sizes &&
        known.strides.asArrayRef() == strides &&
        known.type.getElementType() == element &&
        known.type.getSpace() == space)
      return known;
  return viewForms[nextViewForm++ % viewForms.size()] = {
             nc::ViewType::get(builder.getContext(), sizes, element, space),
             builder.getDenseI64ArrayAttr(sizes),
             builder.getDenseI64ArrayAttr(strides)};
}

Value Lowering::view(const Ref &ref, const Part &part, bool merge) {
  Window window = windowOf(ref, part, merge);
  nc::ViewOp &last = lastViews[ref.base];
  if (!last || last->getBlock() != builder.getBlock() ||
      last.getView().getType().getElementType() != ref.element() ||
      static_cast<int64_t>(last.getRow()) != window.firstRow ||
      last.getOffset() != window.offset ||
      last.getSizes() != ArrayRef(window.sizes) ||
      last.getStrides() != ArrayRef(window.strides) ||
      nc::notesAt(last.getLoc()) != ref.source ||
      !llvm::equal(last.getIndices(), ref.indices)) {
    const ViewForm form =
        viewForm(ref.space, ref.element(), window.sizes, window.strides);
    nc::ViewOp::Properties properties;
    properties.row = window.firstRow == 0
                         ? zero
                         : builder.getI64IntegerAttr(window.firstRow);
    properties.offset = window.offset == zeroOffset.getValue()
                            ? zeroOffset
                            : AffineMapAttr::get(window.offset);
    properties.sizes = form.sizes;
    properties.strides = form.strides;
    SmallVector<Value, 4> operands{ref.base};
    llvm::append_range(operands, ref.indices);
    last = make<nc::ViewOp>(
        viewName, ref.source ? nc::withNotes(plain, ref.source) : plain,
        form.type, operands, properties);
  }
  return last.getView();
}

//===- SourceOrder.cpp - Whom an operation stands for ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/SourceOrder.h"

#include "kiln/compiler/dialect/nc/Promises.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

/// Where the notes of an operation are. A view may access memory for an
/// operation other than the instruction that has it as an operand.
static bool onLocation(Operation *op) {
  return llvm::isa<ViewOp>(op) || op->getName().getDialectNamespace() == "tile";
}

/// The notes at a location, as a dictionary.
static NamedAttrList listOf(Location location) {
  Attribute metadata = metadataOf(location);
  if (auto promises = dyn_cast_if_present<DictionaryAttr>(metadata))
    return NamedAttrList(promises);
  NamedAttrList list;
  if (metadata)
    list.set(sourceAttrName, metadata);
  return list;
}

static void setNote(Operation *op, StringRef name, Attribute value) {
  if (!onLocation(op))
    return op->setDiscardableAttr(name, value);
  NamedAttrList list = listOf(op->getLoc());
  list.set(name, value);
  op->setLoc(withPromises(placeOf(op->getLoc()),
                          list.getDictionary(op->getContext()).getValue()));
}

SmallVector<int64_t, 1> kiln::compiler::nc::numbersOf(Attribute notes) {
  if (auto list = dyn_cast_if_present<DictionaryAttr>(notes))
    notes = list.get(sourceAttrName);
  if (auto one = dyn_cast_if_present<IntegerAttr>(notes))
    return {one.getInt()};
  if (auto several = dyn_cast_if_present<DenseI64ArrayAttr>(notes))
    return SmallVector<int64_t, 1>(several.asArrayRef());
  return {};
}

SmallVector<int64_t, 1> kiln::compiler::nc::numbersOf(Operation *op) {
  if (onLocation(op))
    return numbersOf(metadataOf(op->getLoc()));
  if (auto instruction = dyn_cast<NcInstruction>(op))
    if (int64_t number = instruction.getSourceNumber(); number >= 0)
      return {number};
  return numbersOf(op->getDiscardableAttr(sourceAttrName));
}

DenseI64ArrayAttr kiln::compiler::nc::turnsOf(Attribute notes) {
  auto list = dyn_cast_if_present<DictionaryAttr>(notes);
  return list ? list.getAs<DenseI64ArrayAttr>(turnsAttrName)
              : DenseI64ArrayAttr();
}

DenseI64ArrayAttr kiln::compiler::nc::turnsOf(Operation *op) {
  return onLocation(op) ? turnsOf(metadataOf(op->getLoc()))
                        : dyn_cast_if_present<DenseI64ArrayAttr>(
                              op->getDiscardableAttr(turnsAttrName));
}

void kiln::compiler::nc::setNumber(Operation *op, int64_t number) {
  auto instruction = dyn_cast<NcInstruction>(op);
  if (!instruction)
    return op->setDiscardableAttr(
        sourceAttrName, Builder(op->getContext()).getI64IntegerAttr(number));
  instruction.setSourceNumber(number);
  if (!op->getDiscardableAttrDictionary().empty())
    op->removeDiscardableAttr(sourceAttrName);
}

void kiln::compiler::nc::noteTurn(Operation *root, Operation *loop,
                                  bool absolute, int64_t first, int64_t last) {
  SmallVector<int64_t, 1> number = numbersOf(loop);
  if (number.empty())
    return;
  root->walk([&](Operation *op) {
    // Inside another loop the numbers of that loop count; it has no iteration
    // itself.
    if (op->getNumRegions() != 0 || !isNoted(op))
      return;
    SmallVector<int64_t, 4> turns;
    if (DenseI64ArrayAttr known = turnsOf(op))
      turns.assign(known.asArrayRef().begin(), known.asArrayRef().end());
    bool found = false;
    for (size_t i = 0; i + 3 < turns.size(); i += 4) {
      if (turns[i] != number.front())
        continue;
      found = true;
      if (turns[i + 1])
        continue; // Wherever the copy runs.
      turns[i + 1] = absolute;
      turns[i + 2] += first;
      turns[i + 3] += last;
    }
    if (!found)
      turns.append({number.front(), int64_t(absolute), first, last});
    setNote(op, turnsAttrName, DenseI64ArrayAttr::get(op->getContext(), turns));
  });
}

void kiln::compiler::nc::noteMerged(Operation *op, Operation *merged) {
  SmallVector<int64_t, 1> numbers = numbersOf(op), others = numbersOf(merged);
  if (numbers.empty() || others.empty())
    return;
  llvm::append_range(numbers, others);
  if (auto instruction = dyn_cast<NcInstruction>(op))
    instruction.setSourceNumber(-1);
  setNote(op, sourceAttrName,
          DenseI64ArrayAttr::get(op->getContext(), numbers));
}

void kiln::compiler::nc::removeSourceNotes(func::FuncOp func) {
  func->removeAttr(orderRecordAttrName);
  func.walk([](Operation *op) {
    // All at once: each removal makes a dictionary.
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    auto isNote = [](NamedAttribute attribute) {
      return isSourceNote(attribute.getName()) ||
             attribute.getName() == writtenFirstAttrName;
    };
    if (llvm::any_of(attributes, isNote)) {
      SmallVector<NamedAttribute> kept(attributes.begin(), attributes.end());
      llvm::erase_if(kept, isNote);
      op->setDiscardableAttrs(kept);
    }
    if (auto instruction = dyn_cast<NcInstruction>(op))
      instruction.setSourceNumber(-1);
    if (notesAt(op->getLoc()))
      op->setLoc(placeOf(op->getLoc()));
  });
}

Attribute kiln::compiler::nc::notesAt(Location location) {
  Attribute metadata = metadataOf(location);
  auto promises = dyn_cast_if_present<DictionaryAttr>(metadata);
  if (!promises)
    return metadata;
  if (!promises.get(sourceAttrName))
    return Attribute();
  SmallVector<NamedAttribute, 2> notes;
  for (NamedAttribute promise : promises)
    if (isSourceNote(promise.getName()))
      notes.push_back(promise);
  return DictionaryAttr::get(location.getContext(), notes);
}

Location kiln::compiler::nc::withNotes(Location location, Attribute notes) {
  location = placeOf(location);
  if (!notes)
    return location;
  return FusedLoc::get(location.getContext(), {location}, notes);
}

//===- SourceOrder.cpp - Whom an operation stands for ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/SourceOrder.h"

#include "kiln/compiler/Nc/Promises.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

/// Where the notes of an operation are.
static bool onLocation(Operation *op) {
  return op->getName().getDialectNamespace() == "tile";
}

static Attribute noteOf(Operation *op, StringRef name) {
  if (!onLocation(op))
    return op->getDiscardableAttr(name);
  DictionaryAttr promises = promisesOf(op->getLoc());
  return promises ? promises.get(name) : Attribute();
}

static void setNote(Operation *op, StringRef name, Attribute value) {
  if (!onLocation(op))
    return op->setDiscardableAttr(name, value);
  NamedAttrList promises;
  Location place = op->getLoc();
  if (DictionaryAttr known = promisesOf(place)) {
    promises.append(known.begin(), known.end());
    place = cast<FusedLoc>(place).getLocations().front();
  }
  promises.set(name, value);
  op->setLoc(
      withPromises(place, promises.getDictionary(op->getContext()).getValue()));
}

Attribute kiln::compiler::nc::sourceOf(Operation *op) {
  return noteOf(op, sourceAttrName);
}

DenseI64ArrayAttr kiln::compiler::nc::turnsOf(Operation *op) {
  return dyn_cast_if_present<DenseI64ArrayAttr>(noteOf(op, turnsAttrName));
}

SmallVector<int64_t, 1> kiln::compiler::nc::numbersOf(Attribute source) {
  if (auto one = dyn_cast_if_present<IntegerAttr>(source))
    return {one.getInt()};
  if (auto several = dyn_cast_if_present<DenseI64ArrayAttr>(source))
    return SmallVector<int64_t, 1>(several.asArrayRef());
  return {};
}

void kiln::compiler::nc::noteTurn(Operation *root, Operation *loop,
                                  bool absolute, int64_t first, int64_t last) {
  SmallVector<int64_t, 1> number = numbersOf(sourceOf(loop));
  if (number.empty())
    return;
  root->walk([&](Operation *op) {
    // Inside another loop the numbers of that one count; it has no turn itself.
    if (op->getNumRegions() != 0 || !sourceOf(op))
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
  Attribute source = sourceOf(op);
  if (!source || !sourceOf(merged))
    return;
  SmallVector<int64_t, 1> numbers = numbersOf(source);
  llvm::append_range(numbers, numbersOf(sourceOf(merged)));
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
    if (notesAt(op->getLoc()))
      op->setLoc(withNotes(op->getLoc(), DictionaryAttr()));
  });
}

DictionaryAttr kiln::compiler::nc::notesAt(Location location) {
  DictionaryAttr promises = promisesOf(location);
  if (!promises || !promises.get(sourceAttrName))
    return DictionaryAttr();
  SmallVector<NamedAttribute, 2> notes;
  for (NamedAttribute promise : promises)
    if (isSourceNote(promise.getName()))
      notes.push_back(promise);
  return DictionaryAttr::get(location.getContext(), notes);
}

Location kiln::compiler::nc::withNotes(Location location,
                                       DictionaryAttr notes) {
  if (promisesOf(location))
    location = cast<FusedLoc>(location).getLocations().front();
  return withPromises(location,
                      notes ? notes.getValue() : ArrayRef<NamedAttribute>());
}

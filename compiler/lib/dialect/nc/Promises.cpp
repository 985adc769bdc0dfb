//===- Promises.cpp - What the program promises about order --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Promises.h"

#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/nc/Urgency.h"

using namespace mlir;
using namespace kiln::compiler;

Location nc::withPromises(Location location,
                          ArrayRef<NamedAttribute> promises) {
  if (promises.empty())
    return location;
  MLIRContext *context = location.getContext();
  return FusedLoc::get(context, {location},
                       DictionaryAttr::get(context, promises));
}

Location nc::withWishes(Location where, Location from, Attribute notes) {
  DictionaryAttr promises = promisesOf(from);
  NamedAttrList kept;
  for (StringRef name : {StringRef(withinAttrName), StringRef(urgencyAttrName)})
    if (Attribute wish = promises ? promises.get(name) : Attribute())
      kept.set(name, wish);
  if (kept.empty())
    return withNotes(where, notes);
  if (auto several = dyn_cast_if_present<DictionaryAttr>(notes))
    kept.append(several.getValue());
  else if (notes)
    kept.set(sourceAttrName, notes);
  MLIRContext *context = where.getContext();
  return withPromises(placeOf(where), kept.getDictionary(context).getValue());
}

Attribute nc::metadataOf(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && llvm::isa_and_present<DictionaryAttr, IntegerAttr>(
                      fused.getMetadata())
             ? fused.getMetadata()
             : Attribute();
}

Location nc::placeOf(Location location) {
  return metadataOf(location) ? cast<FusedLoc>(location).getLocations().front()
                              : location;
}

DictionaryAttr nc::promisesOf(Location location) {
  return dyn_cast_if_present<DictionaryAttr>(metadataOf(location));
}

bool nc::isPromised(Operation *op) {
  DictionaryAttr promises = promisesOf(op->getLoc());
  // An operation may move with its memory scope and its urgency.
  return promises && llvm::any_of(promises, [](NamedAttribute promise) {
           return !isSourceNote(promise.getName()) &&
                  promise.getName() != withinAttrName &&
                  promise.getName() != urgencyAttrName;
         });
}

void nc::adoptPromises(Operation *instruction) {
  Attribute metadata = metadataOf(instruction->getLoc());
  if (!metadata)
    return;
  SmallVector<int64_t, 1> numbers = numbersOf(metadata);
  if (numbers.size() == 1)
    setNumber(instruction, numbers.front());
  if (auto promises = dyn_cast<DictionaryAttr>(metadata))
    for (NamedAttribute promise : promises)
      if (numbers.size() != 1 || promise.getName() != sourceAttrName)
        instruction->setDiscardableAttr(promise.getName(), promise.getValue());
  instruction->setLoc(placeOf(instruction->getLoc()));
}

SmallVector<nc::OrderEdge> nc::orderEdges(func::FuncOp func) {
  SmallVector<OrderEdge> edges;
  auto flat = func->getAttrOfType<DenseI64ArrayAttr>(orderEdgesAttrName);
  for (int64_t i = 0; flat && i + 1 < flat.size(); i += 2)
    edges.push_back({flat[i], flat[i + 1]});
  return edges;
}

std::optional<int64_t> nc::labelOf(Operation *op) {
  auto label =
      dyn_cast_if_present<IntegerAttr>(op->getDiscardableAttr(labelAttrName));
  return label ? std::optional(label.getInt()) : std::nullopt;
}

bool nc::hasUserTokens(Operation *op) {
  return op->getDiscardableAttr(userWaitsAttrName) ||
         op->getDiscardableAttr(userSignalsAttrName);
}

std::optional<nc::OrderedPlace> nc::orderedPlace(Operation *op) {
  auto flat = dyn_cast_if_present<DenseI64ArrayAttr>(
      op->getDiscardableAttr(orderedAttrName));
  if (!flat || flat.size() != 2)
    return std::nullopt;
  return OrderedPlace{flat[0], flat[1]};
}

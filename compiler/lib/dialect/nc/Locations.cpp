//===- Locations.cpp - Places of the user's source in the IR --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Locations.h"

using namespace mlir;
using namespace kiln;
namespace isa = kiln::isa;

compiler::PlaceNames compiler::namesOf(Location location) {
  for (;;) {
    if (auto fused = dyn_cast<FusedLoc>(location)) {
      if (fused.getLocations().empty())
        return {};
      location = fused.getLocations().front();
    } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
      location = call.getCallee();
    } else if (auto name = dyn_cast<NameLoc>(location)) {
      auto [scopes, rest] = name.getName().getValue().split('#');
      auto [user, operation] = rest.split('#');
      return {scopes, user, operation};
    } else {
      return {};
    }
  }
}

std::string compiler::placeText(const PlaceNames &names) {
  std::string text = names.scopes.str();
  if (!names.name.empty() || !names.operation.empty())
    text += ("#" + names.name).str();
  if (!names.operation.empty())
    text += ("#" + names.operation).str();
  return text;
}

isa::SourceLocation compiler::sourceLocation(Location location) {
  isa::SourceLocation place;
  for (;;) {
    if (auto fused = dyn_cast<FusedLoc>(location)) {
      if (fused.getLocations().empty())
        return place;
      location = fused.getLocations().front();
    } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
      location = call.getCallee();
    } else if (auto name = dyn_cast<NameLoc>(location)) {
      const PlaceNames names = namesOf(location);
      place.scopes = names.scopes.str();
      place.name = names.name.str();
      location = name.getChildLoc();
    } else {
      break;
    }
  }
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    place.file = file.getFilename().str();
    place.line = file.getLine();
    place.column = file.getColumn();
  }
  return place;
}

std::optional<Location> compiler::callerOf(Location location) {
  for (;;) {
    if (auto fused = dyn_cast<FusedLoc>(location)) {
      if (fused.getLocations().empty())
        return std::nullopt;
      location = fused.getLocations().front();
    } else if (auto name = dyn_cast<NameLoc>(location)) {
      location = name.getChildLoc();
    } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
      return call.getCaller();
    } else {
      return std::nullopt;
    }
  }
}

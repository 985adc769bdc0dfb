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
      auto [scopes, user] = name.getName().getValue().split('#');
      place.scopes = scopes.str();
      place.name = user.str();
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

//===- Locations.cpp - Places of the user's source in the IR --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Locations.h"

#include "kiln/isa/source_loops.h"

#include "llvm/ADT/STLExtras.h"

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
      auto [user, more] = rest.split('#');
      auto [operation, loops] = more.split('#');
      return {scopes, user, operation, loops};
    } else {
      return {};
    }
  }
}

std::string compiler::placeText(const PlaceNames &names) {
  std::string text = names.scopes.str();
  unsigned missing = 0; // Parts that are empty so far.
  for (StringRef part : {names.name, names.operation, names.loops}) {
    ++missing;
    if (part.empty())
      continue;
    text.append(missing, '#');
    text += part;
    missing = 0;
  }
  return text;
}

Location compiler::inTurn(Location location, uint32_t depth, uint64_t turn) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<Location> all(fused.getLocations());
    if (all.empty())
      return location;
    all.front() = inTurn(all.front(), depth, turn);
    return FusedLoc::get(location.getContext(), all, fused.getMetadata());
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(inTurn(call.getCallee(), depth, turn),
                            call.getCaller());
  auto name = dyn_cast<NameLoc>(location);
  if (!name)
    return location;
  PlaceNames names = namesOf(location);
  std::vector<isa::SourceLoop> loops =
      isa::sourceLoopsFrom(std::string_view(names.loops));
  auto own = llvm::find_if(
      loops, [&](const isa::SourceLoop &loop) { return loop.depth == depth; });
  if (own == loops.end() || turn >= own->trips)
    return location;
  own->turn = turn;
  const std::string text = isa::textOf(loops);
  names.loops = text;
  return NameLoc::get(StringAttr::get(location.getContext(), placeText(names)),
                      name.getChildLoc());
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

std::string compiler::fileAndLine(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place || place.getFilename().empty())
    return "";
  StringRef file = place.getFilename().getValue();
  return (file.substr(file.rfind('/') + 1) + ":" + Twine(place.getLine()))
      .str();
}

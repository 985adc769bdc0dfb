//===- MemoryScopes.cpp - Where the user wants memory to lie --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/MemoryScopes.h"

#include "kiln/compiler/dialect/nc/Promises.h"

using namespace mlir;

namespace kiln::compiler::nc {

static constexpr StringRef nameOf(Space space) {
  return space == Space::psum ? "psum" : "sbuf";
}

NamedAttribute memoryLimit(MLIRContext *context, Space space,
                           const MemoryLimit &limit) {
  Builder builder(context);
  const auto number = [&](StringRef name, uint64_t value) {
    return builder.getNamedAttr(
        name, builder.getI64IntegerAttr(static_cast<int64_t>(value)));
  };
  return builder.getNamedAttr(
      nameOf(space),
      builder.getDictionaryAttr(
          {number("begin", limit.begin), number("end", limit.end),
           builder.getNamedAttr("name", builder.getStringAttr(limit.name))}));
}

std::optional<MemoryLimit> limitOf(AllocOp alloc) {
  auto scope = alloc->getAttrOfType<DictionaryAttr>(withinAttrName);
  auto limit = scope ? scope.getAs<DictionaryAttr>(nameOf(alloc.getSpace()))
                     : DictionaryAttr();
  if (!limit || alloc.getSpace() == Space::hbm)
    return std::nullopt;
  auto begin = limit.getAs<IntegerAttr>("begin");
  auto end = limit.getAs<IntegerAttr>("end");
  auto name = limit.getAs<StringAttr>("name");
  if (!begin || !end || !name)
    return std::nullopt;
  return MemoryLimit{name.getValue(), static_cast<uint64_t>(begin.getInt()),
                     static_cast<uint64_t>(end.getInt())};
}

Attribute memoryScopeOf(Operation *op) {
  return op->getDiscardableAttr(withinAttrName);
}

Attribute memoryScopeAt(Location location) {
  DictionaryAttr promises = promisesOf(location);
  return promises ? promises.get(withinAttrName) : Attribute();
}

bool usesMemoryScope(Operation *op) {
  return op
      ->walk([](AllocOp alloc) {
        return limitOf(alloc) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void setMemoryScope(AllocOp alloc, Attribute scope) {
  if (scope)
    alloc->setDiscardableAttr(withinAttrName, scope);
}

} // namespace kiln::compiler::nc

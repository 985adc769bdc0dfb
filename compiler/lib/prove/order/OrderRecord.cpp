//===- OrderRecord.cpp - What nc-note-order has noted ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/prove/OrderRecord.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kiln::compiler::nc;

Attribute OrderRecord::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<int64_t> flat;
  for (const Loop &loop : loops)
    flat.append({loop.number, loop.trips, loop.begin});
  SmallVector<NamedAttribute> fields{
      builder.getNamedAttr("loops", builder.getDenseI64ArrayAttr(flat)),
      builder.getNamedAttr("parents", builder.getDenseI64ArrayAttr(parents)),
      builder.getNamedAttr("writes", builder.getDenseI64ArrayAttr(writes))};
  if (allMemory)
    fields.push_back(builder.getNamedAttr("all_memory", builder.getUnitAttr()));
  return builder.getDictionaryAttr(fields);
}

std::optional<OrderRecord> OrderRecord::fromAttribute(Attribute attribute) {
  auto fields = dyn_cast_if_present<DictionaryAttr>(attribute);
  if (!fields)
    return std::nullopt;
  auto list = [&](StringRef name) {
    auto array = fields.getAs<DenseI64ArrayAttr>(name);
    return array ? array.asArrayRef() : ArrayRef<int64_t>();
  };
  OrderRecord record;
  record.parents = list("parents").vec();
  record.writes = list("writes").vec();
  ArrayRef<int64_t> flat = list("loops");
  for (size_t i = 0; i + 2 < flat.size(); i += 3)
    record.loops.push_back({flat[i], flat[i + 1], flat[i + 2]});
  record.allMemory = fields.contains("all_memory");
  auto size = static_cast<int64_t>(record.parents.size());
  if (record.writes.size() != record.parents.size())
    return std::nullopt;
  for (auto [number, parent] : llvm::enumerate(record.parents))
    if (parent < none || parent >= static_cast<int64_t>(number))
      return std::nullopt;
  for (const Loop &loop : record.loops)
    if (loop.number < 0 || loop.number >= size)
      return std::nullopt;
  return record;
}

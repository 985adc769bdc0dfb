//===- ModuleTables.cpp - Tensors, locations and facts of a module -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTables.h"

#include "kiln/isa/callers.h"
#include "kiln/isa/shapes.h"
#include "kiln/isa/source_loops.h"
#include "kiln/isa/target_file.h"
#include "kiln/isa/tile_operations.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Locations.h"

#include <map>
#include <set>
#include <tuple>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
namespace isa = kiln::isa;

LocationTable::LocationTable(isa::Module &module) : module(module) {
  const isa::Callers callers(module);
  const isa::TileOperations operations(module);
  const isa::SourceLoops loops(module);
  for (std::uint32_t i = 0; i < module.locations.size(); ++i) {
    const std::vector<std::uint32_t> calls = callers.of(i);
    numbers.try_emplace(keyOf(module.locations[i],
                              calls.empty() ? 0 : calls.front(),
                              operations.of(i), isa::textOf(loops.of(i))),
                        i);
  }
}

LocationTable::Key LocationTable::keyOf(const isa::SourceLocation &place,
                                        std::uint32_t caller,
                                        std::string operation,
                                        std::string loops) {
  return {place.file, place.line, place.column,         place.scopes,
          place.name, caller,     std::move(operation), std::move(loops)};
}

std::uint32_t LocationTable::numberOf(Location location) {
  if (auto it = known.find(location); it != known.end())
    return it->second;
  std::uint32_t caller = 0;
  if (const std::optional<Location> call = callerOf(location))
    caller = numberOf(*call);
  isa::SourceLocation place = sourceLocation(location);
  const PlaceNames names = namesOf(location);
  const std::string operation = names.operation.str(),
                    loops = names.loops.str();
  auto [entry, fresh] =
      numbers.try_emplace(keyOf(place, caller, operation, loops),
                          static_cast<std::uint32_t>(module.locations.size()));
  if (fresh) {
    module.locations.push_back(std::move(place));
    if (caller != 0)
      isa::noteCaller(module, entry->second, caller);
    if (!operation.empty())
      isa::noteTileOperation(module, entry->second, operation);
    if (!loops.empty())
      isa::noteSourceLoops(module, entry->second, loops);
  }
  return known[location] = entry->second;
}

namespace {
/// The bytes that a pinned buffer covers, with all its slots.
struct PinnedPlace {
  nc::AllocOp alloc;
  nc::Space space;
  int64_t row, rowEnd, begin, end;

  explicit PinnedPlace(nc::AllocOp alloc)
      : alloc(alloc), row(static_cast<int64_t>(*alloc.getPartition())),
        begin(static_cast<int64_t>(*alloc.getByte())) {
    auto type = cast<MemRefType>(alloc.getMemory().getType());
    space = nc::spaceOf(type).value_or(nc::Space::sbuf);
    rowEnd = row + type.getDimSize(0);
    end = begin + static_cast<int64_t>(alloc.getRing()) *
                      static_cast<int64_t>(alloc.getSlotBytes().value_or(0));
  }
};
} // namespace

/// A user who pins two buffers to one place may want to read one through the
/// other.
static llvm::DenseSet<Operation *>
sharedPlaces(std::vector<PinnedPlace> places) {
  llvm::DenseSet<Operation *> shared;
  llvm::stable_sort(places, [](const PinnedPlace &a, const PinnedPlace &b) {
    return a.begin < b.begin;
  });
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t k = i + 1; k < places.size() && places[k].begin < places[i].end;
         ++k)
      if (places[i].space == places[k].space &&
          places[i].row < places[k].rowEnd && places[k].row < places[i].rowEnd)
        for (Operation *alloc : {places[i].alloc, places[k].alloc})
          shared.insert(alloc);
  return shared;
}

llvm::DenseMap<Value, std::uint16_t>
compiler::numberBuffers(func::FuncOp func, isa::Module &module) {
  SmallVector<nc::AllocOp> allocs;
  std::vector<PinnedPlace> pinned;
  func.walk<WalkOrder::PreOrder>([&](nc::AllocOp alloc) {
    if (!alloc.getByte() || !alloc.getPartition())
      return; // In HBM.
    allocs.push_back(alloc);
    if (alloc.getPinByte())
      pinned.emplace_back(alloc);
  });
  const llvm::DenseSet<Operation *> shared = sharedPlaces(std::move(pinned));
  llvm::DenseMap<Value, std::uint16_t> numbers;
  LocationTable table(module);
  std::size_t numbered = 0;
  for (nc::AllocOp alloc : allocs) {
    if (shared.contains(alloc))
      continue;
    // When the numbers run out, they start again: two buffers that are so far
    // apart in the program do not live at the same time.
    numbers[alloc.getMemory()] =
        static_cast<std::uint16_t>(1 + numbered++ % isa::maxBuffers);
    if (numbered <= isa::maxBuffers)
      module.buffers.push_back(table.numberOf(alloc.getLoc()));
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static std::vector<std::uint8_t> bytesOf(DenseElementsAttr value,
                                         std::uint64_t size) {
  ArrayRef<char> raw = value.getRawData();
  std::vector<std::uint8_t> bytes(raw.begin(), raw.end());
  size_t element = bytes.size();
  while (value.isSplat() && bytes.size() < size)
    bytes.push_back(bytes[bytes.size() - element]);
  return bytes;
}

static LogicalResult describeArgument(func::FuncOp func, unsigned index,
                                      isa::Tensor &tensor) {
  auto name =
      func.getArgAttrOfType<StringAttr>(index, nc::argumentNameAttrName);
  tensor.name = name ? name.str() : "arg" + std::to_string(index);
  const Attribute given = func.getArgAttr(index, nc::argumentKindAttrName);
  auto kind = dyn_cast_if_present<nc::ArgumentKindAttr>(given);
  if (given && !kind)
    return func.emitError()
           << Code{"KILN-C108"} << "argument '" << tensor.name
           << "' has nc.kind = " << compiler::found(debugString(given))
           << ", expected "
           << compiler::allowed(
                  "#nc.kind<input>, #nc.kind<output>, #nc.kind<inout>");
  tensor.kind =
      kind ? isa::tensorKind(kind.getValue()) : isa::TensorKind::input;
  return success();
}

LogicalResult compiler::addTensors(func::FuncOp func,
                                   const nc::TensorNumbers &tensors,
                                   isa::Module &module) {
  std::set<std::string> names;
  for (Value value : tensors.values()) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || nc::spaceOf(type) != nc::Space::hbm ||
        !nc::dtypeOf(type.getElementType()) || !type.hasStaticShape())
      return func.emitError() << Code{"KILN-C108"}
                              << "arguments must be HBM tensors, memref<.., "
                                 "#nc.space<hbm>>; found "
                              << value.getType();
    isa::Tensor tensor;
    tensor.dtype = *nc::dtypeOf(type.getElementType());
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (failed(describeArgument(func, argument.getArgNumber(), tensor)))
        return failure();
    } else {
      auto alloc = value.getDefiningOp<nc::AllocOp>();
      tensor.name = alloc.getLabel().value_or("scratch").str();
      tensor.kind = alloc.getShared() ? isa::TensorKind::shared
                                      : isa::TensorKind::internal;
      if (auto elements =
              dyn_cast_or_null<DenseElementsAttr>(alloc.getValueAttr())) {
        tensor.kind = isa::TensorKind::constant;
        tensor.bytes = bytesOf(elements, tensor.sizeInBytes());
      }
    }
    std::string base = tensor.name;
    for (unsigned i = 1; !names.insert(tensor.name).second; ++i)
      tensor.name = base + "." + std::to_string(i);
    module.tensors.push_back(std::move(tensor));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static std::string textOf(Attribute attr) {
  if (auto text = dyn_cast<StringAttr>(attr))
    return text.str();
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return llvm::toString(integer.getValue(), 10, /*Signed=*/true);
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

void compiler::addFacts(func::FuncOp func, isa::Module &module) {
  module.facts["kiln.version"] = KILN_VERSION;
  isa::noteTarget(module, nc::targetOf(func));
  if (int64_t cores = nc::numberAround(func, nc::coresAttrName, 1); cores > 1) {
    module.facts["core"] =
        std::to_string(nc::numberAround(func, nc::coreAttrName, 0));
    module.facts["cores"] = std::to_string(cores);
  }
  // A Program that declares none has 0: then those executed count.
  if (auto flops = func->getAttrOfType<IntegerAttr>(nc::flopsAttrName);
      flops && !flops.getValue().isZero())
    module.facts["model_flops"] = textOf(flops);
  if (Attribute tokens = func->getAttr(nc::tokensAttrName))
    module.facts["model_tokens"] = textOf(tokens);
  if (auto facts = func->getAttrOfType<DictionaryAttr>(nc::factsAttrName))
    for (NamedAttribute fact : facts)
      module.facts[fact.getName().str()] = textOf(fact.getValue());
  if (auto parameters =
          func->getAttrOfType<DictionaryAttr>(nc::parametersAttrName))
    for (NamedAttribute parameter : parameters)
      module.facts["param." + parameter.getName().str()] =
          textOf(parameter.getValue());
  for (StringRef name :
       {nc::sbufPeakAttrName, nc::psumPeakAttrName, nc::semaphoresAttrName})
    if (Attribute value = func->getAttr(name))
      module.facts[name.split('.').second.str()] = textOf(value);
}

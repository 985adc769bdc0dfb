//===- Import.cpp - Structure: function, loops, attributes, locations -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeadPromises.h"
#include "Importer.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using program::OpKind;

void kiln::compiler::registerImportDialects(DialectRegistry &registry) {
  registry.insert<nc::NcDialect, tile::TileDialect, affine::AffineDialect,
                  arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
}

OwningOpRef<ModuleOp>
kiln::compiler::importProgram(const program::Program &program,
                              MLIRContext &context, const isa::Target *target) {
  return Importer(program, context).run(target);
}

//===----------------------------------------------------------------------===//
// Attributes and locations
//===----------------------------------------------------------------------===//

const program::Attribute *Importer::find(const Op &op, StringRef name) {
  // There are few: to make a string of the name takes longer.
  for (const auto &[key, attribute] : op.attributes)
    if (name == key)
      return &attribute;
  return nullptr;
}

int64_t Importer::integer(const Op &op, StringRef name, int64_t init) {
  const program::Attribute *attribute = find(op, name);
  const int64_t *value = attribute ? std::get_if<int64_t>(attribute) : nullptr;
  return value ? *value : init;
}

double Importer::number(const Op &op, StringRef name, double init) {
  const program::Attribute *attribute = find(op, name);
  if (!attribute)
    return init;
  if (const double *value = std::get_if<double>(attribute))
    return *value;
  return static_cast<double>(integer(op, name, static_cast<int64_t>(init)));
}

StringRef Importer::text(const Op &op, StringRef name) {
  const program::Attribute *attribute = find(op, name);
  const std::string *value =
      attribute ? std::get_if<std::string>(attribute) : nullptr;
  return value ? StringRef(*value) : StringRef();
}

Location Importer::locate(const Op &op) {
  if (op.location >= program.locations.size())
    return builder.getUnknownLoc();
  // Most operations have no name, and a line of the user's makes many.
  LocationAttr &known = places[op.location];
  if (known && op.name.empty())
    return known;
  const program::Location &where = program.locations[op.location];
  Location place =
      FileLineColLoc::get(&context, where.file, where.line, /*column=*/0);
  std::string scopes = where.scopes;
  if (!op.name.empty())
    scopes += "#" + op.name;
  if (!scopes.empty())
    place = NameLoc::get(builder.getStringAttr(scopes), place);
  if (op.name.empty())
    known = place;
  return place;
}

/// With what the program promises of the order of `op`.
Location Importer::locateAndPromise(const Op &op) {
  SmallVector<NamedAttribute> promises;
  if (const program::Attribute *label = find(op, "label"))
    if (const auto *number = std::get_if<int64_t>(label))
      promises.push_back(builder.getNamedAttr(
          nc::labelAttrName, builder.getI64IntegerAttr(*number)));
  if (const program::Attribute *ordered = find(op, "ordered"))
    if (const auto *place = std::get_if<std::vector<int64_t>>(ordered))
      promises.push_back(builder.getNamedAttr(
          nc::orderedAttrName, builder.getDenseI64ArrayAttr(*place)));
  return nc::withPromises(locate(op), promises);
}

void Importer::promiseEdges(const Op &op) {
  if (const program::Attribute *after = find(op, "after"))
    if (const auto *labels = std::get_if<std::vector<int64_t>>(after))
      for (int64_t earlier : *labels) {
        orderEdges.push_back(integer(op, "label"));
        orderEdges.push_back(earlier);
      }
}

InFlightDiagnostic Importer::error(StringRef code, const Twine &text) {
  return emitError(location) << Code{code, "", ": "} << text;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> Importer::run(const isa::Target *target) {
  for (StringRef name : {"nc", "tile", "affine", "arith", "func", "scf"})
    if (!context.getOrLoadDialect(name)) {
      emitError(location) << Code{"KILN-P100", "", ": "} << "dialect '" << name
                          << "' is not registered in this context";
      return nullptr;
    }
  values.resize(program.values.size());
  places.resize(program.locations.size());
  expressions.resize(program.indices.size());
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  if (target)
    (*module)->setAttr(nc::targetAttrName,
                       nc::TargetAttr::get(&context, *target));
  if (program.cores > 1) {
    (*module)->setAttr(nc::coreAttrName,
                       builder.getI64IntegerAttr(program.core));
    (*module)->setAttr(nc::coresAttrName,
                       builder.getI64IntegerAttr(program.cores));
  }
  builder.setInsertionPointToEnd(module->getBody());

  auto memoryOf = [&](Id id) {
    const program::Value &value = program.values[id];
    return nc::memoryType(&context, value.shape, value.dtype, nc::Space::hbm);
  };
  SmallVector<Type> types;
  for (const program::Argument &argument : program.arguments) {
    if (argument.value >= program.values.size()) {
      error("KILN-P101", "argument refers to value %" + Twine(argument.value) +
                             ", the program has " +
                             Twine(program.values.size()));
      return nullptr;
    }
    types.push_back(memoryOf(argument.value));
  }
  auto function =
      func::FuncOp::create(builder, location, program.kernel,
                           builder.getFunctionType(types, TypeRange()));
  function->setAttr(nc::flopsAttrName,
                    builder.getI64IntegerAttr(program.flops));
  SmallVector<NamedAttribute> parameters;
  for (const program::Parameter &parameter : program.parameters)
    parameters.push_back(builder.getNamedAttr(
        parameter.name, builder.getStringAttr(parameter.value)));
  function->setAttr(nc::parametersAttrName,
                    builder.getDictionaryAttr(parameters));
  Block *entry = function.addEntryBlock();
  static constexpr StringRef kinds[] = {"input", "output", "inout"};
  for (auto [i, argument] : llvm::enumerate(program.arguments)) {
    values[argument.value] = entry->getArgument(i);
    function.setArgAttr(
        i, nc::argumentNameAttrName,
        builder.getStringAttr(program.values[argument.value].name));
    function.setArgAttr(
        i, nc::argumentKindAttrName,
        builder.getStringAttr(kinds[static_cast<size_t>(argument.kind)]));
  }
  builder.setInsertionPointToEnd(entry);
  for (Id id = 0; id < program.values.size(); ++id)
    if (program.values[id].kind == program::ValueKind::tensor && !values[id]) {
      auto alloc = nc::AllocOp::create(builder, location, memoryOf(id),
                                       program.values[id].name);
      alloc.setShared(program.values[id].shared);
      values[id] = alloc;
    }
  if (failed(importBody(program.body)))
    return nullptr;
  if (SmallVector<int64_t> edges = edgesOfLive(program, orderEdges);
      !edges.empty())
    function->setAttr(nc::orderEdgesAttrName,
                      builder.getDenseI64ArrayAttr(edges));
  if (!program.semaphores.empty()) {
    SmallVector<StringRef> names(program.semaphores.begin(),
                                 program.semaphores.end());
    function->setAttr(nc::userSemaphoresAttrName,
                      builder.getStrArrayAttr(names));
  }
  func::ReturnOp::create(builder, builder.getUnknownLoc());
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

LogicalResult Importer::importBody(const std::vector<Op> &body) {
  const size_t visible = loops.size();
  for (const Op &op : body) {
    location = locateAndPromise(op);
    promiseEdges(op);
    if (failed(importOp(op)))
      return failure();
    // Equal tile operations are one, unless something is promised of them.
    Block *block = builder.getInsertionBlock();
    auto next = builder.getInsertionPoint();
    if (auto promises = nc::promisesOf(location);
        promises && next != block->begin())
      for (NamedAttribute promise : promises)
        std::prev(next)->setAttr(promise.getName(), promise.getValue());
  }
  loops.resize(visible); // Registers live until the end of their block.
  return success();
}

/// Does it compute with its elements, or only move them?
static bool computes(const program::Op &op) {
  switch (op.kind) {
  case OpKind::unary:
  case OpKind::binary:
  case OpKind::scalar:
  case OpKind::compare:
  case OpKind::select:
  case OpKind::keep:
  case OpKind::reduce:
  case OpKind::matmul:
    return true;
  case OpKind::apply: {
    const auto found = op.attributes.find("mnemonic");
    const auto *name = found == op.attributes.end()
                           ? nullptr
                           : std::get_if<std::string>(&found->second);
    const auto opcode = name ? isa::parseOpcode(*name) : std::nullopt;
    return opcode && !isa::info(*opcode).movesBits;
  }
  default:
    return false;
  }
}

/// Engines before trn3 take f8e4m3fn apart only to convert it.
LogicalResult Importer::checkTypes(const Op &op) {
  const auto isRefused = [&](Id id) {
    return id < program.values.size() &&
           program.values[id].dtype == isa::DType::f8e4m3fn;
  };
  if (!isRefused(op.result) && llvm::none_of(op.operands, [&](const View &v) {
        return isRefused(v.value);
      }))
    return success();
  const isa::Target target = nc::targetOf(builder.getBlock()->getParentOp());
  if (target.generation >= isa::Generation::v4 || !computes(op))
    return success();
  return error("KILN-C176",
               "an operation computes with elements of f8e4m3fn, which " +
                   Twine(StringRef(target.name.view())) +
                   " only moves and converts; cast them to f32 first and the "
                   "result back, take f8e4m3, which holds up to 240, or "
                   "compile for trn3");
}

LogicalResult Importer::importOp(const Op &op) {
  if (op.result != program::none && op.result >= values.size())
    return error("KILN-P101", "result %" + Twine(op.result) +
                                  " does not exist, the program has " +
                                  Twine(values.size()) + " values");
  if (failed(checkTypes(op)) || failed(checkNumbers(op)))
    return failure();
  switch (op.kind) {
  case OpKind::loop:
    return importLoop(op);
  case OpKind::instruction:
    return failed(importInstruction(op)) ? failure() : addTokens(op);
  case OpKind::apply:
    return importApply(op);
  case OpKind::declare:
  case OpKind::assign:
  case OpKind::load:
  case OpKind::loadTransposed:
  case OpKind::store:
    return importMemory(op);
  case OpKind::keep:
    return importKeep(op);
  default:
    return importTile(op);
  }
}

LogicalResult Importer::importLoop(const Op &op) {
  auto limit = [&](StringRef name) -> Value {
    const program::Attribute *attribute = find(op, name);
    if (attribute)
      if (const auto *index = std::get_if<program::IndexRef>(attribute))
        return bound(index->index);
    return arith::ConstantIndexOp::create(builder, location, integer(op, name));
  };
  int64_t step = integer(op, "step", 1);
  if (step < 1)
    return error("KILN-P102",
                 "loop step is " + Twine(step) + ", it must be at least 1");
  Value begin = limit("begin"), end = limit("end");
  if (!begin || !end)
    return failure();
  // Its condition is the last operation of the body.
  if (!op.body.empty() && text(op.body.back(), "mnemonic") == "while")
    end = nc::WhileEntryOp::create(builder, location, builder.getIndexType(),
                                   end);
  Value by = arith::ConstantIndexOp::create(builder, location, step);
  auto loop = scf::ForOp::create(builder, location, begin, end, by);
  if (op.result != program::none)
    values[op.result] = loop.getInductionVar();
  loops.emplace_back(op.result, loop.getInductionVar());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  LogicalResult result = importBody(op.body);
  loops.pop_back();
  return result;
}

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
#include "kiln/compiler/dialect/nc/Locations.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Urgency.h"
#include "kiln/isa/described.h"
#include "kiln/isa/info.h"
#include "kiln/isa/scopes.h"
#include "kiln/program_visit.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

#include <charconv>

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
// Locations
//===----------------------------------------------------------------------===//

/// What the user calls an operation on tiles; empty for any other.
static std::string tileOperationOf(const program::Op &op) {
  return std::visit(
      [&]<class T>(const T &made) -> std::string {
        if constexpr (std::is_same_v<T, program::Declare> ||
                      std::is_same_v<T, program::Loop> ||
                      std::is_same_v<T, program::Instruction>)
          return "";
        else if constexpr (std::is_same_v<T, program::Apply>)
          return made.mnemonic;
        else if constexpr (std::is_same_v<T, program::Reduce>)
          return "reduce_" + std::string(isa::name(made.op));
        else if constexpr (std::is_same_v<T, program::Binary> ||
                           std::is_same_v<T, program::Scalar>)
          return std::string(name(made.op));
        else if constexpr (std::is_same_v<T, program::Unary> ||
                           std::is_same_v<T, program::Compare>)
          return std::string(isa::name(made.op));
        else
          return std::string(T::name);
      },
      op.operation);
}

Location Importer::locate(const Op &op) {
  if (op.location >= program.locations.size())
    return builder.getUnknownLoc();
  std::string operation = tileOperationOf(op);
  // `exp(x) + exp(y)`: the second one is "exp.2". More of them come from a line
  // that a C++ loop unrolls; telling those apart would cost one location each.
  constexpr unsigned toldApart = 8;
  if (!operation.empty())
    if (const unsigned n = ++timesOf[op.location][operation]; n > 1)
      operation += n > toldApart ? ".more" : "." + std::to_string(n);
  // Most operations have no name, and a line of the user's makes many.
  // The same line may be in another loop of that name.
  LocationAttr &known =
      places[op.location]
            [sourceLoops.empty() ? operation : operation + '#' + sourceLoops];
  if (known && op.name.empty())
    return known;
  const program::Location &where = program.locations[op.location];
  Location place =
      FileLineColLoc::get(&context, where.file, where.line, /*column=*/0);
  const std::string names =
      placeText({where.scopes, op.name, operation, sourceLoops});
  if (!names.empty())
    place = NameLoc::get(builder.getStringAttr(names), place);
  if (!where.callers.empty()) {
    SmallVector<Location> calls;
    for (const program::CallSite &call : where.callers)
      calls.push_back(FileLineColLoc::get(&context, call.file, call.line, 0));
    place = CallSiteLoc::get(place, ArrayRef<Location>(calls));
  }
  if (op.name.empty())
    known = place;
  return place;
}

/// The first line of the kernel's body: messages about the whole kernel point
/// there.
Location Importer::startOfBody() {
  for (const std::vector<Op> *body = &program.body; !body->empty();
       body = &body->front().body) {
    const Id id = body->front().location;
    if (id >= program.locations.size())
      continue;
    const program::Location &first = program.locations[id];
    const bool isCalled = !first.callers.empty();
    return FileLineColLoc::get(
        &context, isCalled ? first.callers.back().file : first.file,
        isCalled ? first.callers.back().line : first.line, /*column=*/0);
  }
  return location;
}

/// In bytes of each partition.
void Importer::importMemoryScopes() {
  for (const program::MemoryScope &scope : program.memoryScopes) {
    SmallVector<NamedAttribute> limits;
    const auto add = [&](nc::Space space, const auto &limit, uint64_t unit) {
      if (limit)
        limits.push_back(nc::memoryLimit(
            &context, space,
            {limit->name, static_cast<uint64_t>(limit->begin) * unit,
             static_cast<uint64_t>(limit->end) * unit}));
    };
    add(nc::Space::sbuf, scope.sbuf, 1);
    add(nc::Space::psum, scope.psum, isa::psumBankBytes);
    memoryScopes.push_back(builder.getDictionaryAttr(limits));
  }
}

/// With what the program says of the order and the memory of `op`.
Location Importer::locateAndPromise(const Op &op) {
  SmallVector<NamedAttribute> promises;
  if (op.order.label)
    promises.push_back(builder.getNamedAttr(
        nc::labelAttrName, builder.getI64IntegerAttr(*op.order.label)));
  if (const auto &place = op.order.ordered)
    promises.push_back(builder.getNamedAttr(
        nc::orderedAttrName,
        builder.getDenseI64ArrayAttr({place->scope, place->number})));
  if (op.order.urgency)
    promises.push_back(builder.getNamedAttr(
        nc::urgencyAttrName, builder.getI64IntegerAttr(*op.order.urgency)));
  if (op.order.within)
    promises.push_back(builder.getNamedAttr(
        nc::withinAttrName,
        memoryScopes[static_cast<size_t>(*op.order.within)]));
  return nc::withPromises(locate(op), promises);
}

void Importer::promiseEdges(const Op &op) {
  for (int64_t earlier : op.order.after) {
    orderEdges.push_back(op.order.label.value_or(0));
    orderEdges.push_back(earlier);
  }
}

InFlightDiagnostic Importer::error(StringRef code, const Twine &text) {
  return emitError(location) << Code{code, "", ": "} << text;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// What the kernel says about itself, for the module.
static SmallVector<NamedAttribute> factsOf(const program::Program &program,
                                           Builder &builder) {
  SmallVector<NamedAttribute> facts;
  if (program.hasParts)
    facts.push_back(builder.getNamedAttr(
        StringRef(isa::partsFact), builder.getStringAttr("outermost scopes")));
  for (const program::Argument &argument : program.arguments)
    if (argument.deviation != 1) {
      char text[40];
      const char *end =
          std::to_chars(text, text + sizeof text, argument.deviation).ptr;
      facts.push_back(builder.getNamedAttr(
          StringRef(isa::randomFact).str() +
              program.values[argument.value].name,
          builder.getStringAttr(StringRef(text, end - text))));
    }
  return facts;
}

OwningOpRef<ModuleOp> Importer::run(const isa::Target *target) {
  for (StringRef name : {"nc", "tile", "affine", "arith", "func", "scf"})
    if (!context.getOrLoadDialect(name)) {
      emitError(location) << Code{"KILN-P100", "", ": "} << "dialect '" << name
                          << "' is not registered in this context";
      return nullptr;
    }
  const isa::Generation generation =
      target ? target->generation : isa::Generation::v3;
  if (program.generation && *program.generation != generation) {
    error("KILN-P108",
          "the kernel asked for its target when it was recorded, for "
          "generation " +
              Twine(static_cast<unsigned>(*program.generation)) +
              "; it cannot be compiled for generation " +
              Twine(static_cast<unsigned>(generation)));
    return nullptr;
  }
  values.resize(program.values.size());
  places.resize(program.locations.size());
  timesOf.resize(program.locations.size());
  expressions.resize(program.indices.size());
  importMemoryScopes();
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
      func::FuncOp::create(builder, startOfBody(), program.kernel,
                           builder.getFunctionType(types, TypeRange()));
  function->setAttr(nc::flopsAttrName,
                    builder.getI64IntegerAttr(program.flops));
  if (program.tokens > 0)
    function->setAttr(nc::tokensAttrName,
                      builder.getI64IntegerAttr(program.tokens));
  if (SmallVector<NamedAttribute> facts = factsOf(program, builder);
      !facts.empty())
    function->setAttr(nc::factsAttrName, builder.getDictionaryAttr(facts));
  SmallVector<NamedAttribute> parameters;
  for (const program::Parameter &parameter : program.parameters)
    parameters.push_back(builder.getNamedAttr(
        parameter.name, builder.getStringAttr(parameter.value)));
  function->setAttr(nc::parametersAttrName,
                    builder.getDictionaryAttr(parameters));
  Block *entry = function.addEntryBlock();
  for (auto [i, argument] : llvm::enumerate(program.arguments)) {
    values[argument.value] = entry->getArgument(i);
    function.setArgAttr(
        i, nc::argumentNameAttrName,
        builder.getStringAttr(program.values[argument.value].name));
    function.setArgAttr(i, nc::argumentKindAttrName,
                        nc::ArgumentKindAttr::get(&context, argument.kind));
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
    // Equal tile operations become one, unless they have promises.
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

/// True if it computes with its elements and does not only move them.
static bool computes(const program::Op &op) {
  switch (op.kind()) {
  case OpKind::unary:
  case OpKind::binary:
  case OpKind::scalar:
  case OpKind::compare:
  case OpKind::select:
  case OpKind::keep:
  case OpKind::reduce:
  case OpKind::matmul:
  case OpKind::quantize:
    return true;
  case OpKind::apply: {
    const auto opcode = isa::parseOpcode(op.mnemonic());
    return opcode && !isa::info(*opcode).movesBits;
  }
  default:
    return false;
  }
}

/// What the target does not support: MX floats, and arithmetic with f8e4m3fn.
LogicalResult Importer::checkTypes(const Op &op) {
  constexpr isa::DType refused = isa::DType::f8e4m3fn;
  const bool makesIt = op.result < program.values.size() &&
                       program.values[op.result].dtype == refused;
  const isa::Target target = nc::targetOf(builder.getBlock()->getParentOp());
  const auto *product = op.getIf<program::Matmul>();
  const bool multipliesMx =
      target.takes_mx &&
      isa::info(isa::Opcode::NcMatmulMx).isOn(target.generation);
  if (!multipliesMx &&
      (op.getIf<program::Quantize>() || (product && product->aScales)))
    return error("KILN-C179",
                 "floats with a scale for 32 rows need MX formats, which " +
                     Twine(StringRef(target.name.view())) +
                     " does not have; use quantize_rows or quantize_all of "
                     "f8e4m3, or compile for trn3");
  if (!makesIt &&
      !anyView(op, [&](const View &view) { return view.dtype == refused; }))
    return success();
  if (target.takes_fp8_fn || !computes(op))
    return success();
  return error("KILN-C176",
               "an operation computes with elements of f8e4m3fn, which " +
                   Twine(StringRef(target.name.view())) +
                   " only moves and converts; cast them to f32 first and the "
                   "result back, use f8e4m3, which holds up to 240, or "
                   "compile for trn3");
}

LogicalResult Importer::importOp(const Op &op) {
  if (op.result != program::none && op.result >= values.size())
    return error("KILN-P101", "result %" + Twine(op.result) +
                                  " does not exist, the program has " +
                                  Twine(values.size()) + " values");
  if (op.call() && failed(checkCall(op)))
    return failure();
  if (failed(checkTypes(op)) || failed(checkNumbers(op)))
    return failure();
  if (const auto *loop = op.getIf<program::Loop>())
    return importLoop(op, *loop);
  if (const auto *call = op.getIf<program::Instruction>())
    return failed(importInstruction(op, *call)) ? failure() : addTokens(op);
  if (const auto *call = op.getIf<program::Apply>())
    return importApply(op, *call);
  return importTile(op);
}

/// What is imported next is in this loop. Its name is the next scope.
void Importer::noteSourceLoop(const Op &op, scf::ForOp loop) {
  const std::optional<uint64_t> trips = nc::constantTrips(loop);
  if (!trips || op.location >= program.locations.size())
    return;
  const std::string &scopes = program.locations[op.location].scopes;
  if (!sourceLoops.empty())
    sourceLoops += ',';
  sourceLoops += std::to_string(isa::splitScopes(scopes).size()) + '=' +
                 std::to_string(*trips);
}

LogicalResult Importer::importLoop(const Op &op, const program::Loop &given) {
  if (given.step < 1)
    return error("KILN-P102", "loop step is " + Twine(given.step) +
                                  ", it must be at least 1");
  Value begin = bound(given.begin.index), end = bound(given.end.index);
  if (!begin || !end)
    return failure();
  // Its condition is the last operation of the body.
  if (!op.body.empty() && op.body.back().mnemonic() == "while")
    end = nc::WhileEntryOp::create(builder, location, builder.getIndexType(),
                                   end);
  Value by = arith::ConstantIndexOp::create(builder, location, given.step);
  auto loop = scf::ForOp::create(builder, location, begin, end, by);
  if (op.result != program::none)
    values[op.result] = loop.getInductionVar();
  loops.emplace_back(op.result, loop.getInductionVar());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  const size_t around = sourceLoops.size();
  noteSourceLoop(op, loop);
  LogicalResult result = importBody(op.body);
  sourceLoops.resize(around);
  loops.pop_back();
  return result;
}

//===- ImportInstruction.cpp - Instruction-level calls --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction set's table says what each operand of a mnemonic is, so one
// function imports them all.

#include "Importer.h"

#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/program_names.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using isa::OperandKind;

static const isa::InstructionInfo *findInstruction(StringRef mnemonic) {
  for (const isa::InstructionInfo &entry : isa::instructionTable)
    if (!entry.isControl &&
        mnemonic == StringRef(entry.mnemonic.data(), entry.mnemonic.size()))
      return &entry;
  return nullptr;
}

static bool isView(OperandKind kind) {
  return isa::isValue(kind) && kind != OperandKind::RegOrInt;
}

/// Instructions read memory: a tile that one names is assigned to a buffer,
/// which its producer then writes directly.
Value Importer::memoryOfTile(Id id) {
  Value &buffer = tileBuffers[{id, builder.getInsertionBlock()}];
  if (buffer)
    return buffer;
  auto type = tile::tensorOf(values[id]);
  auto space = nc::SpaceAttr::get(&context, nc::Space::sbuf);
  buffer = tile::DeclareOp::create(
      builder, location,
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), space),
      IntegerAttr(), IntegerAttr(), IntegerAttr(), StringAttr());
  tile::AssignOp::create(builder, location, buffer, values[id], ValueRange(),
                         uint64_t(0), tile::zeroOffset(&context),
                         type.getShape(),
                         tile::denseStrides(type.getShape(), true));
  return buffer;
}

/// An operand of an instruction, or null after an error.
Value Importer::instructionView(const View &view, bool byIndex) {
  Value known = view.value < values.size() ? values[view.value] : Value();
  bool isTile = known && mlir::isa<RankedTensorType>(known.getType());
  Value base = isTile ? memoryOfTile(view.value) : memory(view);
  std::optional<Offset> at = offset(view.offset);
  if (!base || !at)
    return Value();
  bool inHbm = nc::spaceOf(mlir::cast<MemRefType>(base.getType()))
                   .value_or(nc::Space::hbm) == nc::Space::hbm;
  return nc::ViewOp::create(builder, location, base, at->operands, view.row,
                            at->map, view.sizes, view.strides, byIndex && inHbm)
      .getView();
}

/// Is it at a place that is known while recording?
bool Importer::isFixed(const View &view) {
  std::optional<Offset> at = offset(view.offset);
  return at && at->map.isConstant();
}

LogicalResult Importer::importRegisterLoad(const Op &op) {
  if (op.operands.size() != 1 || op.result == program::none)
    return error("KILN-P111", "'register_load' has one operand and a result");
  Value source = instructionView(op.operands.front());
  if (!source)
    return failure();
  Value loaded =
      nc::RegisterLoadOp::create(builder, location, builder.getIndexType(),
                                 source, IntegerAttr(), nc::EngineAttr());
  values[op.result] = loaded;
  loops.emplace_back(op.result, loaded);
  return success();
}

LogicalResult Importer::importRegisterStore(const Op &op) {
  const program::Attribute *field = find(op, "src");
  const auto *index = field ? std::get_if<program::IndexRef>(field) : nullptr;
  if (op.operands.size() != 1 || !index)
    return error("KILN-P111",
                 "'register_store' has one operand and an index 'src'");
  Value target = instructionView(op.operands.front());
  std::optional<AffineExpr> expr = affine(index->index);
  if (!target || !expr)
    return failure();
  nc::EngineAttr engine;
  if (failed(chosenEngine(op, engine)))
    return failure();
  nc::RegisterStoreOp::create(builder, location, target, applied(*expr),
                              engine);
  return success();
}

/// Lists of ranks are one list, with -1 between them.
ArrayAttr Importer::rankLists(const program::Attribute *field) {
  SmallVector<SmallVector<int32_t>> lists(1);
  const auto *flat = field ? std::get_if<std::vector<int64_t>>(field) : nullptr;
  for (int64_t number : flat ? ArrayRef<int64_t>(*flat) : ArrayRef<int64_t>())
    if (number < 0)
      lists.emplace_back();
    else
      lists.back().push_back(static_cast<int32_t>(number));
  SmallVector<Attribute> attributes;
  for (const SmallVector<int32_t> &list : lists)
    attributes.push_back(builder.getDenseI32ArrayAttr(list));
  return builder.getArrayAttr(attributes);
}

LogicalResult Importer::importRankRegister(const Op &op) {
  if (!op.operands.empty() || op.result == program::none)
    return error("KILN-P111",
                 "'" + text(op, "mnemonic") + "' has no operand and a result");
  Value rank;
  if (text(op, "mnemonic") == "rank_id") {
    rank = nc::RankIdOp::create(builder, location, builder.getIndexType());
  } else {
    const program::Attribute *field = find(op, "iteration_id");
    const auto *index = field ? std::get_if<program::IndexRef>(field) : nullptr;
    std::optional<AffineExpr> step =
        index ? affine(index->index) : std::nullopt;
    if (!step)
      return index ? failure()
                   : error("KILN-P111", "'" + text(op, "mnemonic") +
                                            "' needs an index 'iteration_id'");
    rank = nc::RingRankOp::create(
        builder, location, builder.getIndexType(), applied(*step),
        rankLists(find(op, "replica_group")),
        static_cast<uint32_t>(integer(op, "channel_id")));
  }
  values[op.result] = rank;
  loops.emplace_back(op.result, rank);
  return success();
}

LogicalResult Importer::importSemaphore(const Op &op) {
  StringRef name = text(op, "engine");
  auto engine = isa::parseEngine({name.data(), name.size()});
  if (!engine)
    return error("KILN-P111",
                 "'semaphore' must be in the stream of an engine, found '" +
                     name + "'");
  nc::SemaphoreOp::create(builder, location, *engine);
  return success();
}

/// Waits and signals of the user's, on the instruction made last.
LogicalResult Importer::addTokens(const Op &op) {
  for (auto [key, name] :
       {std::pair<StringRef, StringRef>{"waits", nc::userWaitsAttrName},
        {"signals", nc::userSignalsAttrName}}) {
    const program::Attribute *field = find(op, key);
    const auto *tokens =
        field ? std::get_if<std::vector<int64_t>>(field) : nullptr;
    if (!tokens)
      continue;
    if (op.result != program::none)
      return error("KILN-P111", "'" + text(op, "mnemonic") +
                                    "' has a result, so it cannot have tokens: "
                                    "every stream runs a copy of it");
    SmallVector<Attribute> list;
    for (size_t i = 0; i + 1 < tokens->size(); i += 2)
      list.push_back(nc::TokenAttr::getChecked(
          [&] { return error("KILN-P120", "'" + key + "': "); }, &context,
          (*tokens)[i], (*tokens)[i + 1]));
    if (llvm::is_contained(list, Attribute()))
      return failure();
    std::prev(builder.getInsertionPoint())
        ->setAttr(name, builder.getArrayAttr(list));
  }
  return success();
}

/// The engine that the program chose, if it did.
LogicalResult Importer::chosenEngine(const Op &op, nc::EngineAttr &engine) {
  StringRef name = text(op, "engine");
  if (name.empty())
    return success();
  auto known = isa::parseEngine({name.data(), name.size()});
  if (!known)
    return error("KILN-P120", "operand 'engine' of '" + text(op, "mnemonic") +
                                  "' has no enumerator '" + name + "'");
  engine = nc::EngineAttr::get(&context, *known);
  return success();
}

/// The instruction of an operation, with the names of its view operands; null
/// after an error.
const isa::InstructionInfo *
Importer::instructionOf(const Op &op, SmallVectorImpl<StringRef> &names) {
  StringRef mnemonic = text(op, "mnemonic");
  const isa::InstructionInfo *info = findInstruction(mnemonic);
  if (!info) {
    error("KILN-P110", "no instruction is called '" + mnemonic + "'");
    return nullptr;
  }
  // `operands` names the view operands, in order, separated by commas.
  text(op, "operands").split(names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef &name : names)
    name = name.trim();
  if (names.size() == op.operands.size())
    return info;
  error("KILN-P111", "'" + mnemonic + "' names " + Twine(names.size()) +
                         " operands and has " + Twine(op.operands.size()));
  return nullptr;
}

/// The attributes of one operand that is no view here.
LogicalResult Importer::addField(const Op &op, const isa::OperandInfo &operand,
                                 NamedAttrList &attributes) {
  StringRef name(operand.name.data(), operand.name.size());
  const program::Attribute *field = find(op, name);
  if (!field)
    return success();
  auto i32 = [&](StringRef key) {
    attributes.set(key, builder.getI32IntegerAttr(
                            static_cast<int32_t>(integer(op, name))));
  };
  auto f32 = [&](StringRef key) {
    attributes.set(
        key, builder.getF32FloatAttr(static_cast<float>(number(op, name))));
  };
  const auto *list = std::get_if<std::vector<int64_t>>(field);
  switch (operand.kind) {
  case OperandKind::ScalarOrTile:
  case OperandKind::OptionalScalarOrTile: {
    // A bitwise operator takes the integer as it is, others a float.
    bool takesBits = false;
    for (const char *key : {"op", "op0", "op1"})
      if (auto parsed = isa::parse<isa::AluOp>(text(op, key).str()))
        takesBits |= isa::isBitwise(*parsed);
    if (takesBits && std::holds_alternative<std::int64_t>(*field))
      i32((name + "_value").str());
    else
      f32((name + "_value").str());
    break;
  }
  case OperandKind::Enum:
  case OperandKind::OptionalEnum: {
    StringRef spelling = text(op, name);
    Attribute value = nc::enumAttribute(&context, operand.enumName,
                                        {spelling.data(), spelling.size()});
    if (!value)
      return error("KILN-P120", "operand '" + name + "' of '" +
                                    text(op, "mnemonic") +
                                    "' has no enumerator '" + spelling + "'");
    attributes.set(name, value);
    break;
  }
  case OperandKind::Flag:
    attributes.set(name, builder.getBoolAttr(integer(op, name) != 0));
    break;
  case OperandKind::RankLists:
    attributes.set(name, rankLists(field));
    break;
  case OperandKind::OptionalPair:
  case OperandKind::IntList:
  case OperandKind::Lanes:
    if (list)
      attributes.set(name, builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                               list->begin(), list->end())));
    break;
  case OperandKind::Int:
  case OperandKind::OptionalInt:
  case OperandKind::RegOrInt:
    i32(name);
    break;
  case OperandKind::Float:
    f32(name);
    break;
  case OperandKind::Index:
    // [step, size] pairs, one list.
    if (list) {
      SmallVector<int64_t> steps, sizes;
      for (size_t i = 0; i + 1 < list->size(); i += 2) {
        steps.push_back((*list)[i]);
        sizes.push_back((*list)[i + 1]);
      }
      attributes.set((name + "_steps").str(),
                     builder.getDenseI64ArrayAttr(steps));
      attributes.set((name + "_sizes").str(),
                     builder.getDenseI64ArrayAttr(sizes));
    }
    break;
  default:
    break;
  }
  return success();
}

/// The tiles of one operand, which a list names once for each entry.
LogicalResult Importer::addViews(const Op &op, const isa::OperandInfo &operand,
                                 ArrayRef<StringRef> names,
                                 SmallVectorImpl<Value> &values) {
  StringRef name(operand.name.data(), operand.name.size());
  for (auto [index, entry] : llvm::enumerate(names)) {
    if (entry != name)
      continue;
    if (!values.empty() && operand.kind != OperandKind::MemoryList)
      return error("KILN-P111", "'" + text(op, "mnemonic") +
                                    "' has two operands '" + name + "'");
    bool byIndex = llvm::any_of(
        program::indexedOperands(op),
        [position = index](auto pair) { return pair.indexed == position; });
    values.push_back(instructionView(op.operands[index], byIndex));
    if (!values.back())
      return failure();
    // On chip an index adds to the address, in HBM it takes its place.
    const View &view = op.operands[index];
    if (byIndex && !isFixed(view) &&
        program.values[view.value].kind == program::ValueKind::tensor)
      return error(
          "KILN-C177",
          "'" + name + "' of '" + text(op, "mnemonic") +
              "' is addressed by an index, and also by a register or the "
              "counter of a loop; a transfer can follow only one of them: use "
              "a C++ for loop, or add the offset to the index");
  }
  return success();
}

LogicalResult Importer::importWhile(const Op &op) {
  const program::Attribute *field = find(op, "condition");
  const auto *index = field ? std::get_if<program::IndexRef>(field) : nullptr;
  if (!index || !op.operands.empty() ||
      !mlir::isa<scf::ForOp>(builder.getInsertionBlock()->getParentOp()))
    return error("KILN-P111",
                 "'while' must be in a loop and have an index 'condition'");
  Value condition = bound(index->index);
  if (!condition)
    return failure();
  nc::WhileOp::create(builder, location, condition);
  return success();
}

LogicalResult Importer::importInstruction(const Op &op) {
  StringRef mnemonic = text(op, "mnemonic");
  if (mnemonic == "semaphore")
    return importSemaphore(op);
  if (mnemonic == "while")
    return importWhile(op);
  if (mnemonic == "register_load")
    return importRegisterLoad(op);
  if (mnemonic == "register_store")
    return importRegisterStore(op);
  if (program::setsRegister({mnemonic.data(), mnemonic.size()}))
    return importRankRegister(op);
  SmallVector<StringRef> names;
  const isa::InstructionInfo *info = instructionOf(op, names);
  if (!info)
    return failure();
  OperationState state(location, ("nc." + mnemonic).str());
  NamedAttrList attributes;
  SmallVector<int32_t> segments;
  unsigned optionals = 0;
  for (const isa::OperandInfo &operand : info->operands) {
    StringRef name(operand.name.data(), operand.name.size());
    const program::Attribute *field = find(op, name);
    bool given = field != nullptr;
    optionals += isa::isOptionalValue(operand.kind);
    if (isView(operand.kind)) {
      SmallVector<Value> values;
      if (failed(addViews(op, operand, names, values)))
        return failure();
      segments.push_back(static_cast<int32_t>(values.size()));
      state.addOperands(values);
      if (!values.empty())
        continue;
      given &= isa::isOptionalValue(operand.kind);
    } else if (operand.kind == OperandKind::RegOrInt) {
      const auto *index =
          field ? std::get_if<program::IndexRef>(field) : nullptr;
      segments.push_back(index != nullptr);
      if (index) {
        std::optional<AffineExpr> expr = affine(index->index);
        if (!expr)
          return failure();
        state.addOperands(applied(*expr));
        continue;
      }
    }
    if (!given && operand.isRequired())
      return error("KILN-P111",
                   "'" + mnemonic + "' needs operand '" + name + "'");
    if (failed(addField(op, operand, attributes)))
      return failure();
  }
  nc::EngineAttr engine;
  if (failed(chosenEngine(op, engine)))
    return failure();
  if (engine) {
    attributes.set("engine", engine);
    attributes.set(nc::userEngineAttrName, engine);
  }
  if (optionals > 1)
    attributes.set("operandSegmentSizes",
                   builder.getDenseI32ArrayAttr(segments));
  state.addAttributes(attributes);
  if (auto made = dyn_cast<nc::NcInstruction>(builder.create(state)))
    nc::warnOfWideIntegers(made);
  return success();
}

/// An instruction on tiles: what is its destination is the result.
LogicalResult Importer::importApply(const Op &op) {
  SmallVector<StringRef> names;
  const isa::InstructionInfo *info = instructionOf(op, names);
  if (!info || op.result == program::none)
    return failure();
  SmallVector<Value> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    inputs.push_back(operand(op, i));
    if (!inputs.back())
      return failure();
  }
  NamedAttrList fields;
  for (const isa::OperandInfo &operand : info->operands)
    if (failed(addField(op, operand, fields)))
      return failure();
  nc::EngineAttr engine;
  if (failed(chosenEngine(op, engine)))
    return failure();
  if (engine)
    fields.set("engine", engine);
  values[op.result] = tile::ApplyOp::create(
      builder, location, resultType(op), text(op, "mnemonic"), inputs,
      builder.getStrArrayAttr(names), fields.getDictionary(&context));
  return success();
}

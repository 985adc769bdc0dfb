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

#include "kiln/compiler/Nc/Promises.h"
#include "kiln/compiler/Nc/Registers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

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
Value Importer::instructionView(const View &view) {
  Value known = view.value < values.size() ? values[view.value] : Value();
  bool isTile = known && mlir::isa<RankedTensorType>(known.getType());
  Value base = isTile ? memoryOfTile(view.value) : memory(view);
  std::optional<Offset> at = offset(view.offset);
  if (!base || !at)
    return Value();
  return nc::ViewOp::create(builder, location, base, at->operands, view.row,
                            at->map, view.sizes, view.strides)
      .getView();
}

LogicalResult Importer::importRegisterLoad(const Op &op) {
  if (op.operands.size() != 1 || op.result == program::none)
    return error("KILN-P111", "'register_load' has one operand and a result");
  Value source = instructionView(op.operands.front());
  if (!source)
    return failure();
  Value loaded =
      nc::RegisterLoadOp::create(builder, location, builder.getIndexType(),
                                 source, IntegerAttr(), StringAttr());
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
  StringAttr engine;
  if (!text(op, "engine").empty())
    engine = builder.getStringAttr(text(op, "engine"));
  nc::RegisterStoreOp::create(builder, location, target, applied(*expr),
                              engine);
  return success();
}

LogicalResult Importer::importSemaphore(const Op &op) {
  StringRef engine = text(op, "engine");
  if (!isa::parseEngine({engine.data(), engine.size()}))
    return error("KILN-P111", "'semaphore' stands in the stream of an engine, "
                              "found '" +
                                  engine + "'");
  nc::SemaphoreOp::create(builder, location, engine);
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
                                    "' has a result and so no tokens: every "
                                    "stream runs a copy of it");
    std::prev(builder.getInsertionPoint())
        ->setAttr(name, builder.getDenseI64ArrayAttr(*tokens));
  }
  return success();
}

LogicalResult Importer::importInstruction(const Op &op) {
  StringRef mnemonic = text(op, "mnemonic");
  if (mnemonic == "semaphore")
    return importSemaphore(op);
  if (mnemonic == "register_load")
    return importRegisterLoad(op);
  if (mnemonic == "register_store")
    return importRegisterStore(op);
  const isa::InstructionInfo *info = findInstruction(mnemonic);
  if (!info)
    return error("KILN-P110", "no instruction is called '" + mnemonic + "'");
  // `operands` names the view operands, in order, separated by commas.
  SmallVector<StringRef> names;
  text(op, "operands").split(names, ',', -1, /*KeepEmpty=*/false);
  if (names.size() != op.operands.size())
    return error("KILN-P111", "'" + mnemonic + "' names " +
                                  Twine(names.size()) + " operands and has " +
                                  Twine(op.operands.size()));
  for (StringRef &name : names)
    name = name.trim();

  // Does one of its operators work on the bits of integers?
  bool takesBits = false;
  for (const char *name : {"op", "op0", "op1"})
    if (auto parsed = isa::parse<isa::AluOp>(text(op, name).str()))
      takesBits |= isa::isBitwise(*parsed);

  OperationState state(location, ("nc." + mnemonic).str());
  SmallVector<int32_t> segments;
  unsigned optionals = 0;
  auto addView = [&](const View &view) -> LogicalResult {
    Value made = instructionView(view);
    if (!made)
      return failure();
    state.addOperands(made);
    return success();
  };
  for (const isa::OperandInfo &operand : info->operands) {
    StringRef name(operand.name.data(), operand.name.size());
    const program::Attribute *field = find(op, name);
    if (isView(operand.kind)) {
      bool optional = operand.kind != OperandKind::Tile &&
                      operand.kind != OperandKind::Memory;
      optionals += optional;
      // A list names its operand once for each entry.
      int32_t given = 0;
      for (auto [index, entry] : llvm::enumerate(names))
        if (entry == name) {
          ++given;
          if (failed(addView(op.operands[index])))
            return failure();
        }
      if (given > 1 && operand.kind != OperandKind::MemoryList)
        return error("KILN-P111",
                     "'" + mnemonic + "' has two operands '" + name + "'");
      segments.push_back(given);
      if (given > 0)
        continue;
      if (!optional)
        return error("KILN-P111",
                     "'" + mnemonic + "' needs operand '" + name + "'");
      // A bitwise operator takes the integer as it is, others a float.
      if (field && std::holds_alternative<std::int64_t>(*field) && takesBits)
        state.addAttribute(
            (name + "_value").str(),
            builder.getI32IntegerAttr(static_cast<int32_t>(integer(op, name))));
      else if (field)
        state.addAttribute(
            (name + "_value").str(),
            builder.getF32FloatAttr(static_cast<float>(number(op, name))));
      continue;
    }
    switch (operand.kind) {
    case OperandKind::RegOrInt: {
      ++optionals;
      const auto *index =
          field ? std::get_if<program::IndexRef>(field) : nullptr;
      segments.push_back(index != nullptr);
      if (index) {
        std::optional<AffineExpr> expr = affine(index->index);
        if (!expr)
          return failure();
        state.addOperands(applied(*expr));
      } else if (field) {
        state.addAttribute(name, builder.getI32IntegerAttr(
                                     static_cast<int32_t>(integer(op, name))));
      }
      break;
    }
    case OperandKind::Enum:
    case OperandKind::OptionalEnum:
      if (field)
        state.addAttribute(name, builder.getStringAttr(text(op, name)));
      break;
    case OperandKind::Flag:
      if (field)
        state.addAttribute(name, builder.getBoolAttr(integer(op, name) != 0));
      break;
    case OperandKind::OptionalPair:
    case OperandKind::Lanes:
      if (field)
        if (const auto *list = std::get_if<std::vector<int64_t>>(field))
          state.addAttribute(
              name, builder.getDenseI32ArrayAttr(
                        SmallVector<int32_t>(list->begin(), list->end())));
      break;
    case OperandKind::Int:
    case OperandKind::OptionalInt:
      if (field)
        state.addAttribute(name, builder.getI32IntegerAttr(
                                     static_cast<int32_t>(integer(op, name))));
      break;
    case OperandKind::Float:
      if (field)
        state.addAttribute(name, builder.getF32FloatAttr(
                                     static_cast<float>(number(op, name))));
      break;
    case OperandKind::Index:
      // [step, size] pairs, one list.
      if (field)
        if (const auto *list = std::get_if<std::vector<int64_t>>(field)) {
          SmallVector<int64_t> steps, sizes;
          for (size_t i = 0; i + 1 < list->size(); i += 2) {
            steps.push_back((*list)[i]);
            sizes.push_back((*list)[i + 1]);
          }
          state.addAttribute((name + "_steps").str(),
                             builder.getDenseI64ArrayAttr(steps));
          state.addAttribute((name + "_sizes").str(),
                             builder.getDenseI64ArrayAttr(sizes));
        }
      break;
    default:
      break;
    }
    if (!field && operand.isRequired())
      return error("KILN-P111",
                   "'" + mnemonic + "' needs operand '" + name + "'");
  }
  if (!text(op, "engine").empty()) {
    state.addAttribute("engine", builder.getStringAttr(text(op, "engine")));
    state.addAttribute(nc::userEngineAttrName,
                       builder.getStringAttr(text(op, "engine")));
  }
  if (optionals > 1)
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(segments));
  builder.create(state);
  return success();
}

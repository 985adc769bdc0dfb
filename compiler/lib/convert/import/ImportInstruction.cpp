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

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Create.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/program_check.h"
#include "kiln/program_names.h"
#include "kiln/program_visit.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using isa::OperandForm;
using isa::OperandKind;

const program::Attribute *Importer::find(const InstructionCall &call,
                                         StringRef name) {
  const auto found = call.more.find(std::string_view(name.data(), name.size()));
  return found == call.more.end() ? nullptr : &found->second;
}

int64_t Importer::integer(const InstructionCall &call, StringRef name,
                          int64_t init) {
  const program::Attribute *field = find(call, name);
  const int64_t *value = field ? std::get_if<int64_t>(field) : nullptr;
  return value ? *value : init;
}

double Importer::number(const InstructionCall &call, StringRef name,
                        double init) {
  const program::Attribute *field = find(call, name);
  if (!field)
    return init;
  if (const auto *value = std::get_if<program::Real>(field))
    return *value;
  return static_cast<double>(integer(call, name, static_cast<int64_t>(init)));
}

StringRef Importer::text(const InstructionCall &call, StringRef name) {
  const program::Attribute *field = find(call, name);
  const auto *value = field ? std::get_if<std::string>(field) : nullptr;
  return value ? StringRef(*value) : StringRef();
}

static bool isView(OperandKind kind) {
  return isa::isValue(kind) && kind != OperandKind::RegOrInt;
}

/// Instructions read memory: a tile operand is assigned to a buffer, which its
/// producer then writes directly.
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
  const nc::Space space = nc::spaceOf(mlir::cast<MemRefType>(base.getType()))
                              .value_or(nc::Space::hbm);
  auto type = nc::ViewType::get(&context, view.sizes,
                                nc::elementType(&context, view.dtype), space);
  return nc::ViewOp::create(builder, location, type, base, at->operands,
                            static_cast<uint64_t>(view.row), at->map,
                            view.sizes, view.strides,
                            byIndex && space == nc::Space::hbm)
      .getView();
}

/// True if its place is known while recording.
bool Importer::isFixed(const View &view) {
  std::optional<Offset> at = offset(view.offset);
  return at && at->map.isConstant();
}

/// Lists of ranks form one list, with -1 between them.
ArrayAttr Importer::rankLists(const std::vector<int64_t> *flat) {
  SmallVector<SmallVector<int32_t>> lists(1);
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

/// Waits and signals of the user's, on the instruction made last.
LogicalResult Importer::addTokens(const Op &op) {
  auto add = [&](StringRef key, const std::vector<program::Tokens> &tokens,
                 StringRef name) -> LogicalResult {
    if (tokens.empty())
      return success();
    if (op.result != program::none) {
      const std::string_view mnemonic = op.mnemonic();
      return error("KILN-P111",
                   "'" + StringRef(mnemonic.data(), mnemonic.size()) +
                       "' has a result, so it cannot have tokens: every "
                       "stream runs a copy of it");
    }
    SmallVector<Attribute> list;
    for (const auto &[semaphore, count] : tokens)
      list.push_back(nc::TokenAttr::getChecked(
          [&] { return error("KILN-P120", "'" + key + "': "); }, &context,
          semaphore, count));
    if (llvm::is_contained(list, Attribute()))
      return failure();
    std::prev(builder.getInsertionPoint())
        ->setAttr(name, builder.getArrayAttr(list));
    return success();
  };
  if (failed(add("waits", op.order.waits, nc::userWaitsAttrName)))
    return failure();
  return add("signals", op.order.signals, nc::userSignalsAttrName);
}

/// The engine that the program chose, if it did.
LogicalResult Importer::chosenEngine(const InstructionCall &call,
                                     nc::EngineAttr &engine) {
  StringRef name = text(call, "engine");
  if (name.empty())
    return success();
  auto known = isa::parseEngine({name.data(), name.size()});
  if (!known)
    return error("KILN-P120", "operand 'engine' of '" + call.mnemonic +
                                  "' has no enumerator '" + name + "'");
  engine = nc::EngineAttr::get(&context, *known);
  return success();
}

/// That it is what its record says.
LogicalResult Importer::checkCall(const Op &op) {
  if (const auto wrong = program::checkCall(op)) {
    InFlightDiagnostic told = error(wrong->code, wrong->text);
    notePart(*told.getUnderlyingDiagnostic(), "found", wrong->found);
    notePart(*told.getUnderlyingDiagnostic(), "allowed", wrong->allowed);
    return told;
  }
  const bool needsResult =
      op.is<program::Apply>() || program::setsRegister(op.mnemonic());
  if (needsResult && op.result == program::none)
    return error("KILN-P107", op.call()->mnemonic + " needs a result");
  return success();
}

/// The instruction that is called, once checkCall has passed.
static const isa::InstructionInfo &
infoOf(const program::InstructionCall &call) {
  return isa::info(*isa::parseOpcode(call.mnemonic));
}

/// The attributes of one operand that is not a view here.
LogicalResult Importer::addField(const InstructionCall &call,
                                 const isa::OperandInfo &operand,
                                 NamedAttrList &attributes) {
  StringRef name(operand.name.data(), operand.name.size());
  const program::Attribute *field = find(call, name);
  if (!field)
    return success();
  auto i32 = [&](StringRef key) {
    attributes.set(key, builder.getI32IntegerAttr(
                            static_cast<int32_t>(integer(call, name))));
  };
  auto f32 = [&](StringRef key) {
    attributes.set(
        key, builder.getF32FloatAttr(static_cast<float>(number(call, name))));
  };
  const auto *list = std::get_if<std::vector<int64_t>>(field);
  switch (isa::formOf(operand.kind)) {
  case OperandForm::scalar: {
    // A bitwise operator takes the integer as it is, others a float.
    bool takesBits = false;
    for (const char *key : {"op", "op0", "op1"})
      if (auto parsed = isa::parse<isa::AluOp>(text(call, key).str()))
        takesBits |= isa::isBitwise(*parsed);
    if (takesBits && std::holds_alternative<std::int64_t>(*field))
      i32((name + "_value").str());
    else
      f32((name + "_value").str());
    break;
  }
  case OperandForm::choice: {
    StringRef spelling = text(call, name);
    Attribute value = nc::enumAttribute(&context, operand.enumName,
                                        {spelling.data(), spelling.size()});
    if (!value)
      return error("KILN-P120", "operand '" + name + "' of '" + call.mnemonic +
                                    "' has no enumerator '" + spelling + "'");
    attributes.set(name, value);
    break;
  }
  case OperandForm::flag:
    attributes.set(name, builder.getBoolAttr(integer(call, name) != 0));
    break;
  case OperandForm::lists:
    attributes.set(name, rankLists(list));
    break;
  case OperandForm::list:
    if (list)
      attributes.set(name, builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                               list->begin(), list->end())));
    break;
  case OperandForm::integer:
  case OperandForm::index:
    i32(name);
    break;
  case OperandForm::number:
    f32(name);
    break;
  case OperandForm::pattern:
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
  case OperandForm::view:
    break;
  }
  return success();
}

/// The tiles of one operand, which a list names once for each entry.
LogicalResult Importer::addViews(const InstructionCall &call,
                                 const isa::OperandInfo &operand,
                                 SmallVectorImpl<Value> &values) {
  StringRef name(operand.name.data(), operand.name.size());
  for (auto [position, entry] : llvm::enumerate(call.operands)) {
    if (entry.name != operand.name)
      continue;
    const bool byIndex = isIndexed(call, position);
    values.push_back(instructionView(entry.view, byIndex));
    if (!values.back())
      return failure();
    // On chip, an index adds to the address; in HBM, it replaces the address.
    if (byIndex && !isFixed(entry.view) &&
        program.values[entry.view.value].kind == program::ValueKind::tensor)
      return error(
          "KILN-C177",
          "'" + name + "' of '" + call.mnemonic +
              "' is addressed by an index, and also by a register or the "
              "counter of a loop; a transfer can follow only one of them: use "
              "a C++ for loop, or add the offset to the index");
  }
  return success();
}

LogicalResult Importer::importInstruction(const Op &op,
                                          const InstructionCall &call) {
  StringRef mnemonic = call.mnemonic;
  if (mnemonic == "semaphore")
    return importSemaphore(call);
  if (mnemonic == "while")
    return importWhile(call);
  if (mnemonic == "register_load")
    return importRegisterLoad(op, call);
  if (mnemonic == "register_store")
    return importRegisterStore(call);
  if (program::setsRegister(call.mnemonic))
    return importRankRegister(op, call);
  const isa::InstructionInfo &info = infoOf(call);
  OperationState state(location, nc::operationName(mnemonic));
  NamedAttrList attributes;
  SmallVector<int32_t> segments;
  unsigned optionals = 0;
  for (const isa::OperandInfo &operand : info.operands) {
    StringRef name(operand.name.data(), operand.name.size());
    const program::Attribute *field = find(call, name);
    optionals += isa::isOptionalValue(operand.kind);
    if (isView(operand.kind)) {
      SmallVector<Value> values;
      if (failed(addViews(call, operand, values)))
        return failure();
      segments.push_back(static_cast<int32_t>(values.size()));
      state.addOperands(values);
      if (!values.empty())
        continue;
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
    if (failed(addField(call, operand, attributes)))
      return failure();
  }
  nc::EngineAttr engine;
  if (failed(chosenEngine(call, engine)))
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

/// An instruction on tiles: its destination is the result.
LogicalResult Importer::importApply(const Op &op, const InstructionCall &call) {
  SmallVector<Value> inputs;
  SmallVector<StringRef> names;
  for (const program::Operand &operand : call.operands) {
    names.push_back(operand.name);
    inputs.push_back(read(operand.view));
    if (!inputs.back())
      return failure();
  }
  NamedAttrList fields;
  for (const isa::OperandInfo &operand : infoOf(call).operands)
    if (failed(addField(call, operand, fields)))
      return failure();
  nc::EngineAttr engine;
  if (failed(chosenEngine(call, engine)))
    return failure();
  if (engine)
    fields.set("engine", engine);
  values[op.result] = tile::ApplyOp::create(builder, location, resultType(op),
                                            Type(), infoOf(call).opcode, inputs,
                                            builder.getStrArrayAttr(names),
                                            fields.getDictionary(&context))
                          .getResult();
  return success();
}

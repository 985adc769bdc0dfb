//===- CallRules.cpp - Calls against the records of instructions ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/program_check.h"

#include "kiln/isa/info.h"
#include "kiln/program_names.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace kiln::program {
namespace {

using isa::OperandForm;
using isa::OperandInfo;
using isa::OperandKind;

/// Loops are operations of a Program and registers are index expressions, so a
/// Program calls only these control instructions.
bool isCallable(const isa::InstructionInfo &info) {
  switch (info.opcode) {
  case isa::Opcode::While:
  case isa::Opcode::Semaphore:
  case isa::Opcode::RegisterLoad:
  case isa::Opcode::RegisterStore:
  case isa::Opcode::RankId:
  case isa::Opcode::CurrentProcessingRankId:
    return true;
  default:
    return !info.isControl;
  }
}

/// True if it may be a view.
bool takesView(OperandKind kind) {
  return isa::isValue(kind) && kind != OperandKind::RegOrInt;
}

/// How a Program holds it. A register is an index expression.
OperandForm formInProgram(OperandKind kind) {
  return kind == OperandKind::Reg ? OperandForm::index : isa::formOf(kind);
}

/// What an attribute of that form must be; null if no attribute may be one.
const char *wordsFor(OperandForm form) {
  switch (form) {
  case OperandForm::scalar:
  case OperandForm::number:
    return "a number";
  case OperandForm::choice:
    return "a quoted text";
  case OperandForm::flag:
  case OperandForm::integer:
    return "an integer";
  case OperandForm::list:
  case OperandForm::lists:
    return "a list of integers";
  case OperandForm::index:
    return "an integer or an index expression";
  case OperandForm::pattern:
    return "a list of steps and sizes";
  case OperandForm::view:
    break;
  }
  return nullptr;
}

bool fits(OperandForm form, const Attribute &attribute) {
  const bool isInteger = std::holds_alternative<std::int64_t>(attribute);
  const auto *list = std::get_if<std::vector<std::int64_t>>(&attribute);
  switch (form) {
  case OperandForm::scalar:
  case OperandForm::number:
    return isInteger || std::holds_alternative<Real>(attribute);
  case OperandForm::choice:
    return std::holds_alternative<std::string>(attribute);
  case OperandForm::flag:
  case OperandForm::integer:
    return isInteger;
  case OperandForm::list:
  case OperandForm::lists:
    return list != nullptr;
  case OperandForm::index:
    return isInteger || std::holds_alternative<IndexRef>(attribute);
  case OperandForm::pattern:
    return list && list->size() % 2 == 0;
  case OperandForm::view:
    break;
  }
  return false;
}

class CallRules {
public:
  CallRules(const InstructionCall &call, bool isOnTiles,
            const isa::InstructionInfo &info)
      : call(call), isOnTiles(isOnTiles), info(info) {}

  std::optional<isa::Diagnostic> check() {
    for (const Operand &operand : call.operands)
      checkView(operand.name);
    for (const auto &[name, attribute] : call.more)
      checkAttribute(name, attribute);
    for (const OperandInfo &operand : info.operands)
      checkGiven(operand);
    return std::move(error);
  }

private:
  void fail(std::string text) {
    if (!error)
      error = isa::makeError("KILN-P111", std::move(text));
  }
  std::string quoted(std::string_view name) const {
    return "'" + std::string(name) + "' of '" + call.mnemonic + "'";
  }
  void failUnknown(std::string_view name) {
    std::string known;
    for (const OperandInfo &operand : info.operands)
      if (!isResult(operand))
        known += std::string(operand.name) + ", ";
    fail("'" + call.mnemonic + "' has no operand <|'" + std::string(name) +
         "'|>; it takes [|" + known + "engine|]");
  }

  /// The result of the operation represents it.
  bool isResult(const OperandInfo &operand) const {
    return isOnTiles ? operand.name == "dst"
                     : operand.kind == OperandKind::Reg &&
                           setsRegister(call.mnemonic);
  }

  void checkView(std::string_view name) {
    const OperandInfo *operand = info.operand(name);
    if (!operand || isResult(*operand))
      return failUnknown(name);
    if (!takesView(operand->kind))
      return fail("operand " + quoted(name) + " must be [|" +
                  wordsFor(formInProgram(operand->kind)) + "|], not a view");
    if (countOf(name) > 1 && operand->kind != OperandKind::MemoryList)
      fail("'" + call.mnemonic + "' has two operands '" + std::string(name) +
           "'");
  }

  void checkAttribute(std::string_view name, const Attribute &attribute) {
    const OperandInfo *operand = info.operand(name);
    if (!operand && name != "engine")
      return failUnknown(name);
    const OperandForm form =
        operand ? formInProgram(operand->kind) : OperandForm::choice;
    const char *words = wordsFor(form);
    if ((operand && isResult(*operand)) || !words)
      return fail("operand " + quoted(name) + " must be a view");
    if (!fits(form, attribute))
      return fail("operand " + quoted(name) + " must be [|" + words + "|]");
    if (countOf(name) > 0)
      fail("operand " + quoted(name) + " is given twice");
  }

  void checkGiven(const OperandInfo &operand) {
    if (operand.isRequired() && !isResult(operand) &&
        countOf(operand.name) == 0 && !call.more.contains(operand.name))
      fail("'" + call.mnemonic + "' needs operand '" +
           std::string(operand.name) + "'");
  }

  std::ptrdiff_t countOf(std::string_view name) const {
    return std::count_if(
        call.operands.begin(), call.operands.end(),
        [&](const Operand &operand) { return operand.name == name; });
  }

  const InstructionCall &call;
  bool isOnTiles;
  const isa::InstructionInfo &info;
  std::optional<isa::Diagnostic> error;
};

} // namespace

std::optional<isa::Diagnostic> checkCall(const Op &op) {
  const InstructionCall &call = *op.call();
  const auto opcode = isa::parseOpcode(call.mnemonic);
  if (!opcode || !isCallable(isa::info(*opcode)))
    return isa::makeError("KILN-P110", "no instruction is called <|'" +
                                           call.mnemonic + "'|>");
  return CallRules(call, op.is<Apply>(), isa::info(*opcode)).check();
}

} // namespace kiln::program

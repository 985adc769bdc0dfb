//===- Check.cpp - Runs the checks of one instruction ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

#include "kiln/isa/callers.h"

namespace kiln::isa {
namespace {

/// Pairs each memory operand with its record.
class OperandCollector {
public:
  OperandCollector(
      const InstructionInfo &info,
      std::array<CheckedOperand, CheckContext::maxOperands> &storage,
      std::size_t &count)
      : info(info), storage(storage), count(count) {}

  template <class Field> void operator()(std::string_view, const Field &field) {
    add(info.operands[index++], field);
  }

private:
  void add(const OperandInfo &operand, const Access &access) {
    if (count < storage.size())
      storage[count++] = {&operand, &access};
  }
  void add(const OperandInfo &operand, const ScalarOrTile &field) {
    if (const Access *access = std::get_if<Access>(&field))
      add(operand, *access);
  }
  template <AnyOptional T>
  void add(const OperandInfo &operand, const T &field) {
    if (field)
      add(operand, *field);
  }
  void add(const OperandInfo &operand, const std::vector<Access> &list) {
    for (const Access &access : list)
      add(operand, access);
  }
  template <class T> void add(const OperandInfo &, const T &) {}

  const InstructionInfo &info;
  std::array<CheckedOperand, CheckContext::maxOperands> &storage;
  std::size_t &count;
  std::size_t index = 0;
};

} // namespace

CheckContext::CheckContext(const Instruction &instruction, Engine stream,
                           const Module &module, const Target &target)
    : instruction(instruction), info(isa::info(opcode(instruction.body))),
      stream(stream), module(module), target(target) {
  std::visit(
      [&](const auto &body) {
        forEachOperand(body, OperandCollector(info, storage, count));
      },
      instruction.body);
}

Diagnostic CheckContext::makeError(std::string_view code,
                                   std::string sentence) const {
  Diagnostic result =
      isa::makeError(code, fmt::format("{}: {}", info.mnemonic, sentence));
  if (instruction.location < module.locations.size()) {
    const SourceLocation &place = module.locations[instruction.location];
    result.file = place.file;
    result.line = place.line;
    result.column = place.column;
    tellCalls(module, instruction.location, result);
  }
  return result;
}

CheckResult checkInstruction(const CheckContext &context) {
  if (CheckResult error = checkFrame(context))
    return error;
  for (const CheckedOperand &operand : context.operands())
    if (CheckResult error = checkOperand(context, operand))
      return error;
  if (CheckResult error = checkCases(context))
    return error;
  for (CheckId id : context.info.checks)
    if (CheckResult error = runCheck(id, context))
      return error;
  return std::nullopt;
}

std::optional<Diagnostic> check(const Instruction &instruction, Engine stream,
                                const Module &module, const Target &target) {
  return checkInstruction(CheckContext(instruction, stream, module, target));
}

} // namespace kiln::isa

//===- CheckContext.h - What every check sees -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_CHECKS_CHECKCONTEXT_H
#define KILN_ISA_LIB_CHECKS_CHECKCONTEXT_H

#include "kiln/isa/checks.h"

#include <array>
#include <fmt/format.h>
#include <span>

namespace kiln::isa {

using CheckResult = std::optional<Diagnostic>;

/// A memory operand that takes part, with its record.
struct CheckedOperand {
  const OperandInfo *info = nullptr;
  const Access *access = nullptr;

  bool isWritten() const {
    return info->effect == Effect::write || info->effect == Effect::readWrite;
  }
  /// A full tile, not a value for each partition.
  bool isFullTile() const { return !info->perPartitionScalar && !isIndex(); }
  /// The places of another operand.
  bool isIndex() const { return !info->indexOf.empty(); }
};

/// One instruction in its surroundings.
class CheckContext {
public:
  CheckContext(const Instruction &instruction, Engine stream,
               const Module &module, const Target &target);

  const Instruction &instruction;
  const InstructionInfo &info;
  Engine stream;
  const Module &module;
  const Target &target;

  /// The memory operands that take part, in operand order.
  std::span<const CheckedOperand> operands() const {
    return {storage.data(), count};
  }
  template <class S> const S &as() const {
    return *std::get_if<S>(&instruction.body);
  }
  /// The field called `name`, if the instruction has one of that type.
  template <class T> const T *field(std::string_view name) const {
    const T *result = nullptr;
    std::visit(
        [&](const auto &body) {
          forEachOperand(body, [&](std::string_view entry, const auto &value) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>,
                                         T>)
              if (entry == name)
                result = &value;
          });
        },
        instruction.body);
    return result;
  }
  /// The memory operand called `name`, if it takes part.
  const Access *access(std::string_view name) const {
    for (const CheckedOperand &operand : operands())
      if (operand.info->name == name)
        return operand.access;
    return nullptr;
  }
  /// The index of the operand called `name`, if it has one.
  const Access *indexOf(std::string_view name) const {
    for (const CheckedOperand &operand : operands())
      if (operand.info->indexOf == name)
        return operand.access;
    return nullptr;
  }
  /// Whether an index says where `operand` is; of a list, where its last is.
  bool isIndexed(const CheckedOperand &operand) const {
    if (!indexOf(operand.info->name))
      return false;
    const CheckedOperand *last = nullptr;
    for (const CheckedOperand &other : operands())
      if (other.info == operand.info)
        last = &other;
    return last == &operand;
  }
  /// The operator `name`, whether it is optional or not.
  std::optional<AluOp> aluOp(std::string_view name) const {
    if (const AluOp *op = field<AluOp>(name))
      return *op;
    if (const auto *op = field<std::optional<AluOp>>(name))
      return *op;
    return std::nullopt;
  }

  static constexpr std::size_t maxOperands = 3 * maxListAccesses;

  /// "mnemonic: <sentence>", at the user's place in the source.
  template <class... Args>
  Diagnostic error(std::string_view code, fmt::format_string<Args...> format,
                   Args &&...args) const {
    return makeError(code, fmt::format(format, std::forward<Args>(args)...));
  }

private:
  Diagnostic makeError(std::string_view code, std::string sentence) const;

  std::array<CheckedOperand, maxOperands> storage;
  std::size_t count = 0;
};

/// "trn2": the user's name for the machine.
inline std::string_view targetName(const CheckContext &context) {
  return context.target.name;
}

/// Numbers of elements; 0 if the product passes 2^48.
std::uint64_t elementsOf(const Access &access);

// Limits of one operand, derived from its record: OperandChecks.cpp.
CheckResult checkOperand(const CheckContext &, const CheckedOperand &);
/// Registers, waits, signals, generation and stream.
CheckResult checkFrame(const CheckContext &);

/// Enumerators that the record or the generation does not allow.
CheckResult checkCases(const CheckContext &);
/// Both inputs of a product have as many partitions: K.
CheckResult checkContraction(const CheckContext &);
/// Everything about one instruction.
CheckResult checkInstruction(const CheckContext &);

/// The module is for a rank of two cores.
CheckResult checkTwoCores(const CheckContext &);

// Generated: the named checks of the records and runCheck(id, context).
#include "kiln/isa/Checks.h.inc"

} // namespace kiln::isa

#endif // KILN_ISA_LIB_CHECKS_CHECKCONTEXT_H

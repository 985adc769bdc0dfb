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
  bool isFullTile() const { return !info->perPartitionScalar; }
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

  /// "mnemonic: <sentence>", at the user's place in the source.
  template <class... Args>
  Diagnostic error(std::string_view code, fmt::format_string<Args...> format,
                   Args &&...args) const {
    return makeError(code, fmt::format(format, std::forward<Args>(args)...));
  }

private:
  Diagnostic makeError(std::string_view code, std::string sentence) const;

  std::array<CheckedOperand, 8> storage;
  std::size_t count = 0;
};

/// "trn2": how the user calls the machine.
inline std::string_view targetName(const CheckContext &context) {
  return context.target.name;
}

/// Numbers of elements; 0 if the product passes 2^48.
std::uint64_t elementsOf(const Access &access);

// Limits of one operand, derived from its record: OperandChecks.cpp.
CheckResult checkOperand(const CheckContext &, const CheckedOperand &);
/// Registers, waits, signals, generation and stream.
CheckResult checkFrame(const CheckContext &);

// The named checks of the records: one function each.
CheckResult checkMatmulShapes(const CheckContext &);
CheckResult checkMatmulTypes(const CheckContext &);
CheckResult checkMatmulBank(const CheckContext &);
CheckResult checkTransposeShapes(const CheckContext &);

CheckResult checkSameElements(const CheckContext &);
CheckResult checkNotBothPsum(const CheckContext &);
CheckResult checkGpsimdNoPsum(const CheckContext &);
CheckResult checkBinaryOperators(const CheckContext &);
CheckResult checkTensorScalarOps(const CheckContext &);
CheckResult checkTensorScalarEngines(const CheckContext &);
CheckResult checkActivationReduce(const CheckContext &);
CheckResult checkActivationBias(const CheckContext &);
CheckResult checkReduceShapes(const CheckContext &);
CheckResult checkReductionOperator(const CheckContext &);

CheckResult checkDmaCounts(const CheckContext &);
CheckResult checkDmaQueue(const CheckContext &);
CheckResult checkDmaDge(const CheckContext &);
CheckResult checkDmaTransposeShapes(const CheckContext &);
CheckResult checkScalarCopyGeneration(const CheckContext &);
CheckResult checkIndexPatternSize(const CheckContext &);
CheckResult checkComparisonOnly(const CheckContext &);
CheckResult checkReduceCommandSelect(const CheckContext &);

CheckResult checkRegisterDivisor(const CheckContext &);
CheckResult checkRegisterElement(const CheckContext &);
CheckResult checkLoopStep(const CheckContext &);

/// The named check `id`.
CheckResult runCheck(CheckId id, const CheckContext &);

} // namespace kiln::isa

#endif // KILN_ISA_LIB_CHECKS_CHECKCONTEXT_H

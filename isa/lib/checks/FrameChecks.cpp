//===- FrameChecks.cpp - What holds for every instruction -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"
#include "kiln/isa/limits.h"

namespace kiln::isa {
namespace {

std::string enginesOf(std::uint32_t mask) {
  std::string result;
  for (std::size_t i = 0; i < numEngines; ++i)
    if (mask & maskOf(static_cast<Engine>(i)))
      result += (result.empty() ? "" : " or ") + std::string(engineNames[i]);
  return result;
}

/// Enumerators outside the record's list, or newer than the machine.
class CaseVisitor {
public:
  explicit CaseVisitor(const CheckContext &context) : context(context) {}

  template <class Field> void operator()(std::string_view, const Field &field) {
    const OperandInfo &operand = context.info.operands[index++];
    if (!result)
      look(operand, field);
  }
  CheckResult result;

private:
  template <class E>
  std::enable_if_t<std::is_enum_v<E>> look(const OperandInfo &operand,
                                           E value) {
    std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(value);
    if (operand.cases != 0 && !(operand.cases & bit)) {
      std::string allowed;
      for (const EnumEntry<E> &entry : EnumTraits<E>::entries)
        if (operand.cases >> static_cast<unsigned>(entry.value) & 1)
          allowed += (allowed.empty() ? "" : ", ") + std::string(entry.name);
      bool reduces = operand.name.starts_with("reduce_");
      result = context.error(reduces ? "KILN-I022" : "KILN-I021",
                             "{} is {}, expected {}", operand.name, name(value),
                             allowed);
      return;
    }
    if constexpr (requires { since(value); })
      if (context.target.generation < since(value))
        result = context.error(
            "KILN-I001", "{} = {} needs [|generation v{}|], but {} is <|v{}|>",
            operand.name, name(value), static_cast<int>(since(value)),
            targetName(context), static_cast<int>(context.target.generation));
  }
  template <AnyOptional T>
  void look(const OperandInfo &operand, const T &field) {
    if (field)
      look(operand, *field);
  }
  template <class T>
  std::enable_if_t<!std::is_enum_v<T> && !isOptional<T>>
  look(const OperandInfo &, const T &) {}

  const CheckContext &context;
  std::size_t index = 0;
};

/// Registers named by operands that are not accesses.
class RegisterVisitor {
public:
  template <class Field>
  void operator()(std::string_view name, const Field &field) {
    look(name, field);
  }
  std::string_view culprit;
  unsigned index = 0;

private:
  void look(std::string_view name, Register reg) {
    if (reg.index >= registersPerEngine) {
      culprit = name;
      index = reg.index;
    }
  }
  void look(std::string_view name, const RegisterOrInt &field) {
    if (const Register *reg = std::get_if<Register>(&field.value))
      look(name, *reg);
  }
  template <class T> void look(std::string_view, const T &) {}
};

template <class Token>
CheckResult checkTokens(const CheckContext &context,
                        const std::vector<Token> &tokens,
                        std::string_view what) {
  if (tokens.size() > 255)
    return context.error("KILN-I032",
                         "it has <|{}|> {}s, expected at most [|255|]",
                         tokens.size(), what);
  for (const Token &token : tokens) {
    if (token.semaphore >= numSemaphores)
      return context.error(
          "KILN-I032", "a {} names semaphore <|{}|>, but the last is [|{}|]",
          what, token.semaphore, numSemaphores - 1);
    if (token.value == 0)
      return context.error(
          "KILN-I032",
          "a {} on semaphore {} has the value <|0|>, expected [|1 to {}|]",
          what, token.semaphore, maxTokens);
  }
  return std::nullopt;
}

} // namespace

CheckResult checkFrame(const CheckContext &context) {
  if (context.target.generation < context.info.since)
    return context.error(
        "KILN-I001", "it needs [|generation v{}|], but {} is <|v{}|>",
        static_cast<int>(context.info.since), targetName(context),
        static_cast<int>(context.target.generation));
  if (!context.info.isOn(context.target.generation))
    return context.error(
        "KILN-I001", "it exists only on [|v{} to v{}|], but {} is <|v{}|>",
        static_cast<int>(context.info.since),
        static_cast<int>(*context.info.until), targetName(context),
        static_cast<int>(context.target.generation));
  if (!context.info.allows(context.stream))
    return context.error("KILN-I002",
                         "it is in the <|{}|> stream, expected [|{}|]",
                         name(context.stream), enginesOf(context.info.engines));
  RegisterVisitor registers;
  std::visit([&](const auto &body) { forEachOperand(body, registers); },
             context.instruction.body);
  if (!registers.culprit.empty())
    return context.error(
        "KILN-I008", "{} names register <|{}|>, but the last is [|{}|]",
        registers.culprit, registers.index, registersPerEngine - 1);
  if (CheckResult error =
          checkTokens(context, context.instruction.waits, "wait"))
    return error;
  if (CheckResult error =
          checkTokens(context, context.instruction.signals, "signal"))
    return error;
  if (context.instruction.location >= context.module.locations.size())
    return context.error(
        "KILN-I037",
        "it names source location <|{}|>, but the module has [|{}|]",
        context.instruction.location, context.module.locations.size());
  return std::nullopt;
}

CheckResult checkCases(const CheckContext &context) {
  CaseVisitor visitor(context);
  std::visit([&](const auto &body) { forEachOperand(body, visitor); },
             context.instruction.body);
  return visitor.result;
}

} // namespace kiln::isa

//===- Warnings.cpp - Legal, but perhaps not meant
//----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/warnings.h"

#include "SmallIntegers.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kiln::isa {
namespace {

bool isInteger(DType type) { return !isFloat(type) && type != DType::boolean; }

/// Integers of 32 bits that pass through fp32 on their way to arithmetic.
/// tensor_tensor on gpsimd, from integers of 32 bits to such.
bool isExact(const CheckContext &context) {
  if (context.stream != Engine::gpsimd ||
      context.info.opcode != Opcode::TensorTensor)
    return false;
  return std::ranges::all_of(
      context.operands(), [](const CheckedOperand &operand) {
        return !operand.isFullTile() || isWideInteger(operand.access->dtype);
      });
}

CheckResult warnWideIntegers(const CheckContext &context) {
  bool computes = false;
  for (const char *name : {"op", "op0", "op1", "reduce_op"})
    if (const auto op = context.aluOp(name))
      computes |= !isBitwise(*op);
  if (!computes || isExact(context))
    return std::nullopt;
  for (const CheckedOperand &operand : context.operands())
    if (!operand.isWritten() && operand.isFullTile() &&
        isWideInteger(operand.access->dtype))
      return context.error(
          "KILN-W101",
          "{} of {} is computed in fp32, exact up to 16777216; tensor_tensor "
          "on gpsimd with all tiles i32 or u32 in SBUF is exact",
          operand.info->name, name(operand.access->dtype));
  return std::nullopt;
}

/// A copy between integer types goes through fp32, too.
CheckResult warnIntegerCopy(const CheckContext &context,
                            std::optional<SmallIntegers> &small) {
  if (!context.info.movesBits)
    return std::nullopt;
  const Access *dst = context.access("dst"), *src = context.access("src");
  if (!dst || !src || dst->dtype == src->dtype || !isInteger(dst->dtype) ||
      !isWideInteger(src->dtype))
    return std::nullopt;
  // Few modules need to know.
  if (!small)
    small.emplace(context.module, context.target);
  if (small->contains(*src))
    return std::nullopt;
  return context.error("KILN-W102",
                       "from {} to {} through fp32: beyond 16777216 low bits "
                       "are lost; a view of the bytes with dst's type keeps "
                       "them",
                       name(src->dtype), name(dst->dtype));
}

/// Bytes that follow each other, of the innermost dimensions.
std::uint64_t runOf(const Access &access) {
  std::uint64_t run = sizeInBytes(access.dtype);
  for (unsigned i = access.rank; i-- > 0;) {
    const Dim &dim = access.dims[i];
    if (dim.size == 1)
      continue;
    if (dim.stride < 0 ||
        static_cast<std::uint64_t>(dim.stride) * sizeInBytes(access.dtype) !=
            run)
      break;
    run *= dim.size;
  }
  return run;
}

/// Short pieces of HBM, and elements far from each other on chip.
CheckResult warnPattern(const CheckContext &context) {
  constexpr std::uint64_t efficientRun = 512;
  constexpr std::int64_t efficientStride = 16;
  for (const CheckedOperand &operand : context.operands()) {
    const Access &access = *operand.access;
    if (context.info.isDma) {
      const std::uint64_t bytes =
          access.totalElements() * sizeInBytes(access.dtype);
      if (access.space != Space::hbm || operand.isIndex() ||
          bytes < efficientRun || runOf(access) >= efficientRun)
        continue;
      return context.error("KILN-W104",
                           "{} moves pieces of {} bytes, {} and more are "
                           "efficient; make the innermost dimension longer",
                           operand.info->name, runOf(access), efficientRun);
    }
    if (context.info.isControl || access.rank == 0)
      continue;
    const Dim &inner = access.dims[access.rank - 1];
    const std::int64_t stride =
        std::int64_t{inner.stride} * sizeInBytes(access.dtype);
    if (inner.size > 1 && std::abs(stride) > efficientStride)
      return context.error("KILN-W104",
                           "elements of {} are {} bytes apart, up to {} run at "
                           "full speed; copy it once if it is read often",
                           operand.info->name, std::abs(stride),
                           efficientStride);
  }
  return std::nullopt;
}

/// One number per partition, read once for each element.
CheckResult warnBroadcast(const CheckContext &context) {
  if (context.info.opcode != Opcode::TensorTensor)
    return std::nullopt;
  for (const char *name : {"data1", "data2"}) {
    const Access *access = context.access(name);
    if (!access || access->elements() == 1 || context.indexOf(name))
      continue;
    const bool repeats = std::all_of(
        access->dims.begin(), access->dims.begin() + access->rank,
        [](const Dim &dim) { return dim.size == 1 || dim.stride == 0; });
    if (repeats)
      return context.error(
          "KILN-W105",
          "{} is one number per partition; tensor_scalar takes "
          "it as an operand",
          name);
  }
  return std::nullopt;
}

/// The state of the Vector engine's registers along its stream.
class Accumulators {
public:
  /// A chain that continues after an instruction that may change the registers.
  CheckResult visit(const CheckContext &context) {
    if (context.info.state != HiddenState::accumulator ||
        context.stream != Engine::vector)
      return std::nullopt;
    const ReduceCommand *command = context.field<ReduceCommand>("reduce_cmd");
    if (!command)
      return std::nullopt;
    if (*command == ReduceCommand::idle) {
      idle = context.info.mnemonic;
      return std::nullopt;
    }
    CheckResult result;
    if (*command == ReduceCommand::reduce && !idle.empty())
      result = context.error("KILN-W106",
                             "it continues from the Vector registers, which {} "
                             "with reduce_cmd=idle may have changed; move that "
                             "instruction before the chain",
                             idle);
    idle = {};
    return result;
  }

private:
  std::string_view idle;
};

} // namespace

std::optional<Diagnostic> warnWideIntegers(const Instruction &instruction,
                                           Engine stream, const Module &module,
                                           const Target &target) {
  return warnWideIntegers(CheckContext(instruction, stream, module, target));
}

std::vector<Diagnostic> warnings(const Module &module, const Target &target) {
  std::vector<Diagnostic> found;
  std::set<std::tuple<std::string, std::uint32_t, Opcode>> told;
  std::optional<SmallIntegers> small;
  for (std::size_t i = 0; i < numEngines; ++i) {
    Accumulators accumulators;
    for (const Instruction &instruction : module.streams[i]) {
      const CheckContext context(instruction, static_cast<Engine>(i), module,
                                 target);
      for (CheckResult warning :
           {warnWideIntegers(context), warnIntegerCopy(context, small),
            warnPattern(context), warnBroadcast(context),
            accumulators.visit(context)})
        if (warning && (instruction.location == 0 ||
                        told.insert({warning->code, instruction.location,
                                     context.info.opcode})
                            .second))
          found.push_back(std::move(*warning));
    }
  }
  return found;
}

} // namespace kiln::isa

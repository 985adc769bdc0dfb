//===- OperandTypes.cpp - What type an operand's values have --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandTypes.h"

#include "kiln/isa/fields.h"

#include <algorithm>

namespace kiln::sim {

namespace {

bool isIndex(const isa::OperandAccess &operand) {
  return operand.name.ends_with("_index") || operand.name == "index";
}

/// Passes elements on unchanged, if it does not convert them.
bool isMove(const isa::Body &body) {
  return std::visit(
      [](const auto &op) {
        using Op = std::decay_t<decltype(op)>;
        return std::is_same_v<Op, isa::DmaCopy> ||
               std::is_same_v<Op, isa::DmaTranspose> ||
               std::is_same_v<Op, isa::TensorCopy> ||
               std::is_same_v<Op, isa::NcStreamShuffle> ||
               std::is_same_v<Op, isa::NcTranspose> ||
               std::is_same_v<Op, isa::LocalGather> ||
               std::is_same_v<Op, isa::NcNGather> ||
               std::is_same_v<Op, isa::Sendrecv> ||
               std::is_same_v<Op, isa::AllGather> ||
               std::is_same_v<Op, isa::AllToAll> ||
               std::is_same_v<Op, isa::CollectivePermute>;
      },
      body);
}

bool isBitwise(const isa::Body &body) {
  for (const char *name : {"op", "op0", "op1"})
    if (const auto *op = fieldOf<isa::AluOp>(body, name))
      switch (*op) {
      case isa::AluOp::invert:
      case isa::AluOp::bitwise_and:
      case isa::AluOp::bitwise_or:
      case isa::AluOp::bitwise_xor:
      case isa::AluOp::left_shift:
      case isa::AluOp::right_shift:
        return true;
      default:
        break;
      }
  return false;
}

/// The integer type of all data, if there is only one.
std::optional<isa::DType>
integerOf(std::span<const isa::OperandAccess> operands) {
  std::optional<isa::DType> type;
  for (const isa::OperandAccess &operand : operands) {
    if (isIndex(operand))
      continue;
    const isa::DType its = operand.access->dtype;
    if (isFloat(its) || (type && *type != its))
      return std::nullopt;
    type = its;
  }
  return type;
}

/// A pattern, or a value that all types write alike.
bool fillsBits(const isa::Memset &fill) {
  return !isFloat(fill.dst.dtype) || fill.value == 0.0f;
}

} // namespace

void appendTypes(const isa::Body &body, const isa::Module &module,
                 std::span<const isa::OperandAccess> operands,
                 std::vector<std::uint8_t> &types) {
  const auto *fill = std::get_if<isa::Memset>(&body);
  const bool moves = isMove(body) && integerOf(operands);
  const bool bits =
      moves || isBitwise(body) || (fill != nullptr && fillsBits(*fill));
  // Loads from a tensor of integers give integers.
  const bool loads =
      moves &&
      std::any_of(operands.begin(), operands.end(),
                  [&](const isa::OperandAccess &operand) {
                    const isa::Access &access = *operand.access;
                    return operand.effect == isa::Effect::read &&
                           !isIndex(operand) &&
                           access.space == isa::Space::hbm &&
                           module.tensors[access.tensor].dtype == access.dtype;
                  });
  for (const isa::OperandAccess &operand : operands) {
    const bool isBits = bits && !isIndex(operand) &&
                        !isFloat(operand.access->dtype) &&
                        !(loads && operand.effect != isa::Effect::read);
    const bool isZero = fill != nullptr && bits;
    types.push_back(isBits || isZero
                        ? std::uint8_t{0}
                        : static_cast<std::uint8_t>(operand.access->dtype));
  }
}

} // namespace kiln::sim

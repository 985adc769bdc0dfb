//===- ImportNumbers.cpp - Numbers that meet tiles of integers ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder refuses them with the same codes. A Program need not come from
// the recorder.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using isa::DType;

static bool isInteger(DType dtype) {
  return !isa::isFloat(dtype) && !isa::isPacked(dtype) &&
         dtype != DType::f8e8m0;
}

static std::pair<double, double> limitsOf(DType dtype) {
  if (dtype == DType::boolean)
    return {0, 1};
  const double values = std::ldexp(1.0, 8 * isa::sizeInBytes(dtype));
  const bool isSigned =
      dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32;
  return isSigned ? std::pair(-values / 2, values / 2 - 1)
                  : std::pair(0.0, values - 1);
}

static std::string textOf(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 0x1p53)
    return std::to_string(static_cast<int64_t>(value));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return text;
}

/// `does` is what happens to the tile.
LogicalResult Importer::checkNumber(StringRef code, DType dtype, double value,
                                    std::pair<double, double> limits,
                                    StringRef does) {
  if (value >= limits.first && value <= limits.second &&
      value == std::trunc(value))
    return success();
  std::string_view type = isa::name(dtype);
  return error(code, "a tile of " + StringRef(type.data(), type.size()) + " " +
                         does + " " + textOf(value) +
                         "; give a whole number from " + textOf(limits.first) +
                         " to " + textOf(limits.second) +
                         ", or make it a tile of "
                         "floats");
}

LogicalResult Importer::checkNumbers(const Op &op) {
  const auto filled = [&](DType dtype, double value) {
    return !isInteger(dtype) ? success()
                             : checkNumber("KILN-A160", dtype, value,
                                           limitsOf(dtype), "is filled with");
  };
  const auto combined = [&](const View &x, double value, bool wraps) {
    const bool isWide = x.dtype == DType::i32 || x.dtype == DType::u32;
    return !isInteger(x.dtype)
               ? success()
               : checkNumber("KILN-A025", x.dtype, value,
                             isWide && !wraps ? limitsOf(x.dtype)
                                              : std::pair(-0x1p31, 0x1p32 - 1),
                             "is combined with");
  };
  if (op.result < program.values.size()) {
    const DType dtype = program.values[op.result].dtype;
    if (const auto *fill = op.getIf<program::Fill>())
      return filled(dtype, fill->value);
    if (const auto *keep = op.getIf<program::Keep>())
      return filled(dtype, keep->otherwise);
  }
  if (const auto *scalar = op.getIf<program::Scalar>()) {
    // Additions and multiplications wrap in any case.
    const std::optional<isa::AluOp> alu = scalar->op.alu;
    return combined(scalar->x, scalar->value,
                    alu == isa::AluOp::add || alu == isa::AluOp::subtract ||
                        alu == isa::AluOp::multiply);
  }
  if (const auto *compare = op.getIf<program::Compare>();
      compare && compare->value)
    return combined(compare->x, *compare->value, false);
  const auto *call = op.getIf<program::Instruction>();
  if (!call || call->operands.empty())
    return success();
  StringRef mnemonic = call->mnemonic;
  StringRef field = mnemonic == "memset"          ? "value"
                    : mnemonic == "affine_select" ? "on_false_value"
                                                  : "";
  const DType dtype = call->operands.front().view.dtype;
  if (field.empty() || !find(*call, field) || !isInteger(dtype))
    return success();
  const double value = number(*call, field);
  if (failed(filled(dtype, value)))
    return failure();
  if (value == static_cast<float>(value))
    return success();
  return error("KILN-A160",
               mnemonic + " carries its number as an f32, which has no " +
                   textOf(value) + "; it would write " +
                   textOf(static_cast<float>(value)) +
                   "; add the rest by tensor_scalar with bitwise_or");
}

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
using program::OpKind;

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
  const auto filled = [&](DType dtype, StringRef field) {
    return checkNumber("KILN-A160", dtype, number(op, field), limitsOf(dtype),
                       "is filled with");
  };
  if (op.kind == OpKind::fill || op.kind == OpKind::keep) {
    if (op.result >= program.values.size())
      return success();
    DType dtype = program.values[op.result].dtype;
    return isInteger(dtype)
               ? filled(dtype, op.kind == OpKind::fill ? "value" : "otherwise")
               : success();
  }
  if (op.operands.empty() || !isInteger(op.operands.front().dtype))
    return success();
  const DType dtype = op.operands.front().dtype;
  if (op.kind == OpKind::scalar ||
      (op.kind == OpKind::compare && op.operands.size() == 1)) {
    // What is added or multiplied wraps in any case.
    StringRef name = text(op, "op");
    const bool wraps =
        name == "add" || name == "subtract" || name == "multiply";
    const bool isWide = dtype == DType::i32 || dtype == DType::u32;
    return checkNumber("KILN-A025", dtype, number(op, "value"),
                       isWide && !wraps ? limitsOf(dtype)
                                        : std::pair(-0x1p31, 0x1p32 - 1),
                       "is combined with");
  }
  StringRef mnemonic = text(op, "mnemonic");
  StringRef field = mnemonic == "memset"          ? "value"
                    : mnemonic == "affine_select" ? "on_false_value"
                                                  : "";
  if (op.kind != OpKind::instruction || field.empty() || !find(op, field))
    return success();
  const double value = number(op, field);
  if (failed(filled(dtype, field)))
    return failure();
  if (value == static_cast<float>(value))
    return success();
  return error("KILN-A160",
               mnemonic + " carries its number as an f32, which has no " +
                   textOf(value) + "; it would write " +
                   textOf(static_cast<float>(value)) +
                   "; add the rest by tensor_scalar with bitwise_or");
}

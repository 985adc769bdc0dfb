//===- ShapeRules.h - What each operation asks of its operands ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_PROGRAM_SHAPERULES_H
#define KILN_DSL_LIB_PROGRAM_SHAPERULES_H

#include "kiln/program_check.h"
#include "kiln/program_names.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::program::detail {

using Sizes = std::vector<std::int64_t>;

inline std::string textOf(const Sizes &sizes) {
  std::string result = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i)
    result += (i ? ", " : "") + std::to_string(sizes[i]);
  return result + ']';
}

/// The values of all operands exist.
class ShapeRules {
public:
  explicit ShapeRules(const Program &program) : program(program) {}

  /// `result` is the shape of the result.
  std::optional<isa::Diagnostic> check(const Operation &operation,
                                       const Sizes &result) {
    std::visit([&](const auto &op) { (void)fits(op, result); }, operation);
    return std::move(error);
  }

private:
  bool fail(const char *code, std::string text) {
    error = isa::makeError(code, std::move(text));
    return false;
  }

  template <class T>
  bool shapes(const T &, const Sizes &found, const Sizes &wanted) {
    if (found == wanted)
      return true;
    return fail("KILN-P011", std::string(T::name) + " has shape <|" +
                                 textOf(found) + "|>, expected [|" +
                                 textOf(wanted) + "|]");
  }
  /// An extent of 1 repeats.
  template <class T>
  bool broadcast(const T &op, const View &operand, const Sizes &result) {
    bool agree = operand.sizes.size() == result.size();
    for (std::size_t i = 0; agree && i < result.size(); ++i)
      agree = operand.sizes[i] == result[i] || operand.sizes[i] == 1;
    return agree || shapes(op, operand.sizes, result);
  }
  template <class T> bool isKind(const T &, const View &view, ValueKind kind) {
    if (program.values[view.value].kind == kind)
      return true;
    return fail("KILN-P010", std::string(T::name) + " takes a " +
                                 std::string(name(kind)) + ", %" +
                                 std::to_string(view.value) + " is none");
  }
  template <class T>
  bool transposed(const T &op, const View &x, const Sizes &result) {
    if (x.sizes.size() != 2)
      return fail("KILN-P011", "only matrices can be transposed");
    return shapes(op, result, {x.sizes[1], x.sizes[0]});
  }

  bool fits(const Declare &, const Sizes &) { return true; }
  bool fits(const Fill &, const Sizes &) { return true; }
  bool fits(const Assign &op, const Sizes &) {
    return isKind(op, op.target, ValueKind::buffer) &&
           shapes(op, op.source.sizes, op.target.sizes);
  }
  bool fits(const Store &op, const Sizes &) {
    return isKind(op, op.target, ValueKind::tensor) &&
           shapes(op, op.source.sizes, op.target.sizes);
  }
  bool fits(const Load &op, const Sizes &result) {
    return isKind(op, op.source, ValueKind::tensor) &&
           shapes(op, result, op.source.sizes);
  }
  bool fits(const LoadTransposed &op, const Sizes &result) {
    return transposed(op, op.source, result);
  }
  bool fits(const Transpose &op, const Sizes &result) {
    return transposed(op, op.x, result);
  }
  bool fits(const Matmul &op, const Sizes &result) {
    Sizes a = op.a.sizes, b = op.b.sizes;
    if (a.size() != 2 || b.size() != 2)
      return fail("KILN-P011", "matmul takes matrices");
    if (op.aScales.has_value() != op.bScales.has_value())
      return fail("KILN-P010", "matmul takes two operands, or four");
    if (op.aScales && (!op.transposeA || op.transposeB))
      return fail("KILN-P010",
                  "matmul of scaled operands contracts the rows of both");
    if (op.aScales &&
        !(scaled(op, op.a, *op.aScales) && scaled(op, op.b, *op.bScales)))
      return false;
    if (op.transposeA)
      std::swap(a[0], a[1]);
    if (op.transposeB)
      std::swap(b[0], b[1]);
    if (a[1] != b[0])
      return fail("KILN-P011", "matmul contracts [|" + std::to_string(a[1]) +
                                   "|] with <|" + std::to_string(b[0]) + "|>");
    return shapes(op, result, {a[0], b[1]});
  }
  /// Eight rows of packed elements share a row of scales.
  bool scaled(const Matmul &op, const View &data, const View &scales) {
    const isa::DType type = data.dtype;
    if (!isa::isPacked(type) || scales.dtype != isa::DType::f8e8m0)
      return fail("KILN-P010", "scales of f8e8m0 belong to a packed type");
    if (data.sizes[0] % 32 != 0)
      return fail("KILN-P011",
                  "a scaled operand has <|" + std::to_string(data.sizes[0]) +
                      "|> packed rows, expected [|a multiple of 32|]");
    return shapes(op, scales.sizes, {data.sizes[0] / 8, data.sizes[1]});
  }
  bool fits(const Quantize &op, const Sizes &result) {
    if (op.x.sizes.size() != 2 || op.x.sizes[0] % 128 != 0)
      return fail("KILN-P011", "quantize takes a matrix of [|a multiple of "
                               "128|] rows, found <|" +
                                   textOf(op.x.sizes) + "|>");
    const isa::DType type = op.x.dtype;
    if (type != isa::DType::bf16 && type != isa::DType::f16)
      return fail("KILN-P010", "quantize takes bf16 or f16, found " +
                                   std::string(isa::name(type)));
    if (op.scalesOf && *op.scalesOf != isa::DType::f8e4m3fn_x4 &&
        *op.scalesOf != isa::DType::f8e5m2_x4)
      return fail("KILN-P010", "quantize makes scales of f8e4m3fn_x4 and "
                               "f8e5m2_x4, found " +
                                   std::string(isa::name(*op.scalesOf)));
    return shapes(op, result,
                  {op.x.sizes[0] / (op.scalesOf ? 32 : 4), op.x.sizes[1]});
  }
  bool fits(const Unary &op, const Sizes &result) {
    return shapes(op, result, op.x.sizes);
  }
  bool fits(const Scalar &op, const Sizes &result) {
    return shapes(op, result, op.x.sizes);
  }
  bool fits(const Binary &op, const Sizes &result) {
    return broadcast(op, op.x, result) && broadcast(op, op.y, result);
  }
  bool fits(const Compare &op, const Sizes &result) {
    if (op.y.has_value() == op.value.has_value())
      return fail("KILN-P010", "compare takes two operands, or one operand and "
                               "attribute 'value'");
    return broadcast(op, op.x, result) &&
           (!op.y || broadcast(op, *op.y, result));
  }
  bool fits(const Select &op, const Sizes &result) {
    return broadcast(op, op.mask, result) && broadcast(op, op.x, result) &&
           broadcast(op, op.y, result);
  }
  bool fits(const Keep &op, const Sizes &result) {
    return shapes(op, result, op.x.sizes);
  }
  bool fits(const Reduce &op, const Sizes &result) {
    return shapes(op, result, {op.x.sizes[0], 1});
  }
  bool fits(const Cast &op, const Sizes &result) {
    return shapes(op, result, op.x.sizes);
  }
  bool fits(const Copy &op, const Sizes &result) {
    return shapes(op, result, op.x.sizes);
  }
  bool fits(const Loop &op, const Sizes &) {
    return op.step >= 1 ||
           fail("KILN-P010", "a loop's step must be at least 1");
  }
  /// Its record defines what fits: CallRules.cpp.
  bool fits(const InstructionCall &, const Sizes &) { return true; }

  const Program &program;
  std::optional<isa::Diagnostic> error;
};

} // namespace kiln::program::detail

#endif // KILN_DSL_LIB_PROGRAM_SHAPERULES_H

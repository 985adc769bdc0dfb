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
    if (op.transposeA)
      std::swap(a[0], a[1]);
    if (op.transposeB)
      std::swap(b[0], b[1]);
    if (a[1] != b[0])
      return fail("KILN-P011", "matmul contracts [|" + std::to_string(a[1]) +
                                   "|] with <|" + std::to_string(b[0]) + "|>");
    return shapes(op, result, {a[0], b[1]});
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
  /// Its record says what fits: CallRules.cpp.
  bool fits(const InstructionCall &, const Sizes &) { return true; }

  const Program &program;
  std::optional<isa::Diagnostic> error;
};

} // namespace kiln::program::detail

#endif // KILN_DSL_LIB_PROGRAM_SHAPERULES_H

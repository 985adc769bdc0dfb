//===- Check.cpp - Checks a Program -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/program_bounds.h"
#include "kiln/program_check.h"
#include "kiln/program_check_order.h"
#include "kiln/program_names.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::program {
namespace detail {

class Checker {
public:
  explicit Checker(const Program &program)
      : program(program), order(program), bounds(program) {}

  std::optional<CheckError> check() {
    defined.assign(program.values.size(), false);
    if (program.semaphores.size() > isa::userSemaphores)
      fail("KILN-P010",
           std::to_string(program.semaphores.size()) + " semaphores, at most " +
               std::to_string(isa::userSemaphores) + " are allowed");
    if (program.cores < 1 || program.cores > 2 || program.core >= program.cores)
      fail("KILN-P010", "the program is for core " + number(program.core) +
                            " of " + number(program.cores) +
                            ", a rank has one or two");
    if (!error && checkTables())
      checkBlock(program.body);
    return std::move(error);
  }

private:
  using Sizes = std::vector<std::int64_t>;

  bool fail(const char *code, std::string text) {
    if (!error)
      error = CheckError{code, std::move(text), location};
    return false;
  }
  static std::string number(Id id) { return std::to_string(id); }
  static std::string text(const Sizes &sizes) {
    std::string result = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i)
      result += (i ? ", " : "") + std::to_string(sizes[i]);
    return result + ']';
  }

  bool checkTables() {
    constexpr std::int64_t largest = std::int64_t(1) << 40;
    for (Id i = 0; i < program.values.size(); ++i) {
      std::int64_t count = 1;
      for (std::int64_t extent : program.values[i].shape) {
        if (extent < 1 || extent > largest || (count *= extent) > largest)
          return fail("KILN-P011", "value %" + number(i) + " has shape " +
                                       text(program.values[i].shape));
      }
      const ValueKind kind = program.values[i].kind;
      if ((kind == ValueKind::tile || kind == ValueKind::buffer) &&
          program.values[i].shape.size() < 2)
        return fail("KILN-P011",
                    "tile %" + number(i) + " has no rows and columns");
    }
    for (const Argument &argument : program.arguments) {
      if (argument.value >= program.values.size() ||
          program.values[argument.value].kind != ValueKind::tensor)
        return fail("KILN-P010", "an argument is not an HBM tensor");
      defined[argument.value] = true;
    }
    for (Id i = 0; i < program.values.size(); ++i)
      if (program.values[i].kind == ValueKind::tensor)
        defined[i] = true;
    for (Id i = 0; i < program.indices.size(); ++i)
      if (!checkIndex(i))
        return false;
    return true;
  }

  bool checkIndex(Id i) {
    const IndexNode &node = program.indices[i];
    switch (node.kind) {
    case IndexKind::constant:
      return true;
    case IndexKind::variable:
      if (node.lhs < program.values.size() &&
          isIndex(program.values[node.lhs].kind))
        return true;
      return fail("KILN-P010",
                  "index #" + number(i) + " is neither a loop nor a register");
    case IndexKind::floorDivide:
    case IndexKind::modulo:
      if (node.value <= 0)
        return fail("KILN-P010", "index #" + number(i) + " divides by " +
                                     std::to_string(node.value));
      [[fallthrough]];
    case IndexKind::multiply:
      if (node.lhs < i)
        return true;
      break;
    default:
      if (node.lhs < i && node.rhs < i)
        return true;
    }
    return fail("KILN-P010", "index #" + number(i) +
                                 " refers to an index that is not before it");
  }

  /// The loop values that an index depends on must be open.
  bool checkUse(Id index) {
    if (index >= program.indices.size())
      return fail("KILN-P010", "index #" + number(index) + " does not exist");
    for (const Id id : bounds.partsOf(index)) {
      const IndexNode &node = program.indices[id];
      if (node.kind == IndexKind::variable) {
        if (!defined[node.lhs])
          return fail("KILN-P010", "index value %" + number(node.lhs) +
                                       " is used outside its loop");
      }
    }
    return true;
  }
  /// Nothing separates tiles on chip, so a register that chooses columns must
  /// be bounded. In HBM, the access is checked at run time.
  bool checkRegisters(const View &view, std::int64_t last, std::int64_t whole) {
    const IndexBounds::Possible offset = bounds.of(view.offset);
    const std::int64_t low = offset.range.low;
    const std::int64_t high = detail::sumOf(offset.range.high, last);
    if (!offset.atRun || (low >= 0 && high < whole))
      return true;
    return fail("KILN-P012",
                "a register chooses elements of %" + number(view.value) + ", " +
                    std::to_string(low) + " to " + std::to_string(high) +
                    " as far as is known; it has " + std::to_string(whole));
  }

  /// `byIndex`: an index operand chooses the rows, one at a time.
  bool checkView(const View &view, bool byIndex = false) {
    if (view.value >= program.values.size())
      return fail("KILN-P010",
                  "value %" + number(view.value) + " does not exist");
    const Value &value = program.values[view.value];
    if (!defined[view.value] || isIndex(value.kind))
      return fail("KILN-P010", "value %" + number(view.value) +
                                   " is used where it is not defined");
    if (view.sizes.size() != view.strides.size() || view.sizes.empty())
      return fail("KILN-P011",
                  "a view of %" + number(view.value) + " has " +
                      std::to_string(view.sizes.size()) + " sizes and " +
                      std::to_string(view.strides.size()) + " strides");
    const bool tensor = value.kind == ValueKind::tensor;
    std::int64_t last = 0, whole = 1;
    for (std::size_t i = tensor ? 0 : 1; i < value.shape.size(); ++i)
      whole *= value.shape[i];
    for (std::size_t i = 0; i < view.sizes.size(); ++i) {
      if (view.sizes[i] < 1 || view.strides[i] < 0 ||
          view.sizes[i] > (std::int64_t(1) << 40) ||
          view.strides[i] > (std::int64_t(1) << 40))
        return fail("KILN-P011", "a view of %" + number(view.value) +
                                     " has sizes " + text(view.sizes) +
                                     " and strides " + text(view.strides));
      if (i > 0 || (tensor && !byIndex))
        last += (view.sizes[i] - 1) * view.strides[i];
    }
    if (view.offset != none) {
      if (!checkUse(view.offset))
        return false;
      const IndexNode &node = program.indices[view.offset];
      if (node.kind == IndexKind::constant) {
        if (node.value < 0)
          last = whole;
        last += node.value;
      } else if (!tensor && !checkRegisters(view, last, whole)) {
        return false;
      }
    }
    if (last >= whole)
      return fail("KILN-P012", "a view reaches element " +
                                   std::to_string(last) + " of %" +
                                   number(view.value) + ", which has " +
                                   std::to_string(whole));
    if (!tensor && (view.row < 0 || view.strides[0] > 1 ||
                    view.row + view.sizes[0] > value.shape[0]))
      return fail("KILN-P012",
                  "a view has rows " + std::to_string(view.row) + " to " +
                      std::to_string(view.row + view.sizes[0]) + " of %" +
                      number(view.value) + ", which has " +
                      std::to_string(value.shape[0]));
    return true;
  }

  bool operands(const Op &op, std::size_t count) {
    if (op.operands.size() == count)
      return true;
    return fail("KILN-P010", std::string(name(op.kind)) + " has " +
                                 std::to_string(op.operands.size()) +
                                 " operands, it takes " +
                                 std::to_string(count));
  }
  template <class T> bool has(const Op &op, const char *key) {
    const auto found = op.attributes.find(key);
    if (found != op.attributes.end() && std::get_if<T>(&found->second))
      return true;
    return fail("KILN-P010", std::string(name(op.kind)) + " lacks attribute '" +
                                 key + "', or it has another type");
  }
  bool hasIndex(const Op &op, const char *key) {
    return has<IndexRef>(op, key) &&
           checkUse(std::get<IndexRef>(op.attributes.at(key)).index);
  }
  bool shapes(const Op &op, const Sizes &found, const Sizes &wanted) {
    if (found == wanted)
      return true;
    return fail("KILN-P011", std::string(name(op.kind)) + " has shape " +
                                 text(found) + ", expected " + text(wanted));
  }
  /// Result and operands agree; an operand's extent of 1 repeats.
  bool broadcast(const Op &op, const Sizes &result) {
    for (const View &operand : op.operands) {
      bool agree = operand.sizes.size() == result.size();
      for (std::size_t i = 0; agree && i < result.size(); ++i)
        agree = operand.sizes[i] == result[i] || operand.sizes[i] == 1;
      if (!agree)
        return shapes(op, operand.sizes, result);
    }
    return true;
  }
  bool isKind(const View &view, ValueKind kind, const Op &op) {
    if (program.values[view.value].kind == kind)
      return true;
    return fail("KILN-P010", std::string(name(op.kind)) + " takes a " +
                                 std::string(name(kind)) + ", %" +
                                 number(view.value) + " is none");
  }

  bool checkMatmul(const Op &op, const Sizes &result) {
    if (!operands(op, 2) || !has<std::int64_t>(op, "transpose_a") ||
        !has<std::int64_t>(op, "transpose_b"))
      return false;
    Sizes a = op.operands[0].sizes, b = op.operands[1].sizes;
    if (a.size() != 2 || b.size() != 2)
      return fail("KILN-P011", "matmul takes matrices");
    if (std::get<std::int64_t>(op.attributes.at("transpose_a")))
      std::swap(a[0], a[1]);
    if (std::get<std::int64_t>(op.attributes.at("transpose_b")))
      std::swap(b[0], b[1]);
    if (a[1] != b[0])
      return fail("KILN-P011", "matmul contracts " + std::to_string(a[1]) +
                                   " with " + std::to_string(b[0]));
    return shapes(op, result, {a[0], b[1]});
  }

  bool checkShape(const Op &op, const Sizes &result) {
    switch (op.kind) {
    case OpKind::declare:
      return operands(op, 0);
    case OpKind::fill:
      return operands(op, 0) && has<double>(op, "value");
    case OpKind::assign:
      return operands(op, 2) && isKind(op.operands[0], ValueKind::buffer, op) &&
             shapes(op, op.operands[1].sizes, op.operands[0].sizes);
    case OpKind::store:
      return operands(op, 2) && isKind(op.operands[0], ValueKind::tensor, op) &&
             shapes(op, op.operands[1].sizes, op.operands[0].sizes);
    case OpKind::load:
      return operands(op, 1) && isKind(op.operands[0], ValueKind::tensor, op) &&
             shapes(op, result, op.operands[0].sizes);
    case OpKind::transpose:
    case OpKind::loadTransposed:
      if (!operands(op, 1) || op.operands[0].sizes.size() != 2)
        return fail("KILN-P011", "only matrices can be transposed");
      return shapes(op, result,
                    {op.operands[0].sizes[1], op.operands[0].sizes[0]});
    case OpKind::matmul:
      return checkMatmul(op, result);
    case OpKind::unary:
      return operands(op, 1) && has<std::string>(op, "op") &&
             shapes(op, result, op.operands[0].sizes);
    case OpKind::scalar:
      return operands(op, 1) && has<std::string>(op, "op") &&
             has<double>(op, "value") &&
             shapes(op, result, op.operands[0].sizes);
    case OpKind::binary:
      return operands(op, 2) && has<std::string>(op, "op") &&
             broadcast(op, result);
    case OpKind::compare:
      return has<std::string>(op, "op") && broadcast(op, result);
    case OpKind::select:
      return operands(op, 3) && broadcast(op, result);
    case OpKind::keep:
      return operands(op, 1) && has<std::int64_t>(op, "row_step") &&
             has<std::int64_t>(op, "col_step") &&
             has<std::string>(op, "compare") && has<double>(op, "otherwise") &&
             hasIndex(op, "offset") && shapes(op, result, op.operands[0].sizes);
    case OpKind::reduce:
      return operands(op, 1) && has<std::string>(op, "op") &&
             shapes(op, result, {op.operands[0].sizes[0], 1});
    case OpKind::cast:
    case OpKind::copy:
      return operands(op, 1) && shapes(op, result, op.operands[0].sizes);
    case OpKind::loop:
      return operands(op, 0) && has<std::int64_t>(op, "step") &&
             hasIndex(op, "begin") && hasIndex(op, "end");
    case OpKind::instruction:
    case OpKind::apply:
      return has<std::string>(op, "mnemonic") &&
             has<std::string>(op, "operands");
    }
    return fail("KILN-P010", "unknown operation");
  }

  static bool isIndex(ValueKind kind) {
    return kind == ValueKind::loop || kind == ValueKind::index;
  }
  /// The only instructions with a result.
  static bool setsRegister(const Op &op) {
    const auto found = op.attributes.find("mnemonic");
    const auto *text = found == op.attributes.end()
                           ? nullptr
                           : std::get_if<std::string>(&found->second);
    return op.kind == OpKind::instruction && text &&
           program::setsRegister(*text);
  }

  bool checkOp(const Op &op) {
    location = op.location < program.locations.size() ? op.location : none;
    const std::vector<IndexedOperand> indexed = indexedOperands(op);
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const bool byIndex =
          std::any_of(indexed.begin(), indexed.end(),
                      [&](const IndexedOperand &o) { return o.indexed == i; });
      if (!checkView(op.operands[i], byIndex))
        return false;
    }
    if (std::optional<std::string> fault = order.check(op))
      return fail("KILN-P010", std::move(*fault));
    const bool isRegister = setsRegister(op);
    const bool effect = op.kind == OpKind::assign || op.kind == OpKind::store ||
                        (op.kind == OpKind::instruction && !isRegister);
    const bool hasResult = op.result < program.values.size();
    if (effect ? op.result != none : !hasResult)
      return fail("KILN-P010",
                  std::string(name(op.kind)) +
                      (effect ? " has no result" : " needs a result"));
    if (hasResult && defined[op.result])
      return fail("KILN-P010",
                  "value %" + number(op.result) + " is defined twice");
    if (!checkShape(op, hasResult ? program.values[op.result].shape : Sizes()))
      return false;
    if (op.kind != OpKind::loop && !op.body.empty())
      return fail("KILN-P010", "only a loop has a body");
    if (hasResult) {
      const ValueKind kind = program.values[op.result].kind;
      const ValueKind wanted = op.kind == OpKind::loop      ? ValueKind::loop
                               : isRegister                 ? ValueKind::index
                               : op.kind == OpKind::declare ? ValueKind::buffer
                                                            : ValueKind::tile;
      if (kind != wanted)
        return fail("KILN-P010", "the result of " + std::string(name(op.kind)) +
                                     " must be a " + std::string(name(wanted)));
      defined[op.result] = true;
      if (op.kind == OpKind::loop &&
          std::get<std::int64_t>(op.attributes.at("step")) < 1)
        return fail("KILN-P010", "a loop's step must be at least 1");
      if (isIndex(kind))
        bounds.define(op);
      if (op.kind == OpKind::loop) {
        if (!checkBlock(op.body))
          return false;
        defined[op.result] = false;
      }
    }
    return true;
  }

  bool checkBlock(const std::vector<Op> &ops) {
    for (const Op &op : ops)
      if (!checkOp(op))
        return false;
    for (const Op &op : ops) // values live until the end of their block
      if (op.result < defined.size())
        defined[op.result] = false;
    return true;
  }

  const Program &program;
  OrderChecker order;
  IndexBounds bounds;
  std::vector<bool> defined;
  std::optional<CheckError> error;
  Id location = none;
};

} // namespace detail

std::optional<CheckError> checkProgram(const Program &program) {
  return detail::Checker(program).check();
}

} // namespace kiln::program

//===- Tiles.cpp - The meaning of tile operations ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kiln::interpret {

using isa::AluOp;
using program::OpKind;

namespace {

/// A tile operation on a machine: reads operands, makes the result.
class TileOperation {
public:
  TileOperation(Machine &machine, const Op &op) : machine(machine), op(op) {}

  void run() {
    switch (op.kind) {
    case OpKind::declare:
      return machine.declare(op);
    case OpKind::assign:
    case OpKind::store:
      return move();
    case OpKind::load:
    case OpKind::cast:
      return define(operand(0));
    case OpKind::copy:
      return copy();
    case OpKind::transpose:
    case OpKind::loadTransposed:
      return transpose();
    case OpKind::fill:
      return fill();
    case OpKind::matmul:
      return matmul();
    case OpKind::unary:
      return unary();
    case OpKind::binary:
    case OpKind::compare:
    case OpKind::scalar:
      return op.operands.size() > 1 ? binary() : scalar();
    case OpKind::select:
      return select();
    case OpKind::keep:
      return keep();
    case OpKind::reduce:
      return reduce();
    case OpKind::loop:
    case OpKind::instruction:
    case OpKind::apply:
      break;
    }
    machine.fail(Fault::unsupported, "an operation is not known");
  }

private:
  Array operand(std::size_t number) {
    if (number < op.operands.size())
      return machine.read(op.operands[number]);
    machine.fail(Fault::invalid, "an operation lacks an operand");
    return {};
  }
  DType resultType() const { return machine.program.values[op.result].dtype; }
  const std::vector<std::int64_t> &resultShape() const {
    return machine.program.values[op.result].shape;
  }
  /// The result is `array`, converted to its type.
  void define(const Array &array) {
    if (machine.failed())
      return;
    Storage &target = machine.renew(op.result);
    if (array.numbers.size() != target.numbers.size())
      return machine.fail(Fault::invalid, "a result has another shape");
    for (std::size_t i = 0; i < array.numbers.size(); ++i)
      target.numbers[i] = convert(array.numbers[i], array.dtype, target.dtype);
  }

  /// Assign and store: the source is read before the target is written.
  void move() {
    const Array source = operand(1);
    if (!machine.failed())
      machine.write(machine.window(op.operands[0]), source);
  }

  void copy() {
    define(operand(0));
    if (!machine.failed())
      machine.storage(op.result).partialSums = partialSums();
  }

  void transpose() {
    const Array x = operand(0);
    if (machine.failed())
      return;
    Array result = makeArray(x.dtype, resultShape());
    const auto per = static_cast<std::int64_t>(isa::info(x.dtype).values);
    const std::int64_t rows = x.rows(), cols = x.cols() / per;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c)
        for (std::int64_t part = 0; part < per; ++part)
          result.at(c, r * per + part) = x.at(r, c * per + part);
    define(result);
  }

  void fill() {
    Array result = makeArray(resultType(), resultShape());
    const double value = roundTo(result.dtype, Machine::number(op, "value"));
    for (Number &number : result.numbers)
      number = exactly(value);
    define(result);
  }

  void matmul() {
    const Array a = operand(0), b = operand(1);
    if (machine.failed())
      return;
    const bool transposeA = Machine::integer(op, "transpose_a") != 0;
    const bool transposeB = Machine::integer(op, "transpose_b") != 0;
    const std::int64_t m = transposeA ? a.cols() : a.rows();
    const std::int64_t k = transposeA ? a.rows() : a.cols();
    const std::int64_t n = transposeB ? b.rows() : b.cols();
    Array result = makeArray(DType::f32, {m, n});
    std::vector<Number> line(static_cast<std::size_t>(k));
    std::vector<Terms> columns;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < k; ++i)
        line[static_cast<std::size_t>(i)] =
            transposeB ? b.at(j, i) : b.at(i, j);
      columns.emplace_back(line);
    }
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < k; ++j)
        line[static_cast<std::size_t>(j)] =
            transposeA ? a.at(j, i) : a.at(i, j);
      const Terms row(line);
      for (std::int64_t j = 0; j < n; ++j)
        result.at(i, j) = dot(row, columns[static_cast<std::size_t>(j)]);
    }
    define(result);
    machine.storage(op.result).partialSums =
        (k + isa::maxPartitions - 1) / isa::maxPartitions;
  }

  void unary() {
    const auto function =
        isa::parse<isa::ActivationFunction>(Machine::text(op, "op"));
    Array x = operand(0);
    if (!function)
      return unknownOperator();
    for (Number &number : x.numbers)
      number = apply(*function, widen(number, x.dtype));
    x.dtype = DType::f32;
    define(x);
  }

  std::int64_t partialSums() {
    std::int64_t most = 1;
    for (const View &view : op.operands)
      most = std::max(most, machine.storage(view.value).partialSums);
    return most;
  }

  //===--- Two operands, broadcast ------------------------------------------//

  /// `array` as if it had the shape of the result: an extent of 1 repeats.
  Array repeated(const Array &array) const {
    const std::vector<std::int64_t> &shape = resultShape();
    if (array.sizes == shape)
      return array;
    Array result = makeArray(array.dtype, shape);
    std::vector<std::int64_t> place(shape.size(), 0);
    for (Number &number : result.numbers) {
      std::int64_t from = 0;
      for (std::size_t d = 0; d < shape.size(); ++d)
        from = from * array.sizes[d] + (array.sizes[d] == 1 ? 0 : place[d]);
      number = array.numbers[static_cast<std::size_t>(from)];
      for (std::size_t d = shape.size(); d-- > 0;) {
        if (++place[d] < shape[d])
          break;
        place[d] = 0;
      }
    }
    return result;
  }

  void binary() {
    const Array a = repeated(operand(0)), b = repeated(operand(1));
    if (!machine.failed())
      combine(a, b, false);
  }

  void scalar() {
    const Array a = operand(0);
    Array b = makeArray(a.dtype, a.sizes);
    double value = Machine::number(op, "value");
    if (isa::isFloat(a.dtype)) {
      b.dtype = DType::f32;
      value = roundTo(DType::f32, value);
    }
    for (Number &number : b.numbers)
      number = exactly(value);
    if (!machine.failed())
      combine(a, b, Machine::integer(op, "reverse") != 0);
  }

  void combine(const Array &a, const Array &b, bool reverse) {
    const std::string name = Machine::text(op, "op");
    const auto operation = isa::parse<AluOp>(name);
    if (!operation && name != "divide")
      return unknownOperator();
    const bool integers = !isa::isFloat(a.dtype) && !isa::isFloat(b.dtype) &&
                          operation && operation != AluOp::power;
    // Comparisons and logic of integers are exact, too; so are their results.
    Array result = makeArray(
        integers || resultType() == DType::u8 ? resultType() : DType::f32,
        resultShape());
    const bool isSum = operation == AluOp::add || operation == AluOp::subtract;
    const auto extraSums = static_cast<double>(partialSums() - 1);
    for (std::size_t i = 0; i < result.numbers.size(); ++i) {
      Number x = a.numbers[i], y = b.numbers[i];
      if (reverse)
        std::swap(x, y);
      if (integers)
        result.numbers[i] = applyInteger(*operation, result.dtype, x, y);
      else {
        x = widen(x, reverse ? b.dtype : a.dtype);
        y = widen(y, reverse ? a.dtype : b.dtype);
        result.numbers[i] = operation ? apply(*operation, x, y) : divide(x, y);
        // Each partial sum is rounded where it is added.
        if (isSum && extraSums > 0 && !isExact(result.numbers[i]))
          result.numbers[i] = widened(
              result.numbers[i], extraSums * 0x1.1p-24 *
                                     (std::fabs(x.value) + std::fabs(y.value)));
      }
    }
    define(result);
  }

  //===--- Selections -------------------------------------------------------//

  void select() {
    const Array mask = repeated(operand(0));
    const Array x = repeated(operand(1)), y = repeated(operand(2));
    if (machine.failed())
      return;
    Array result = makeArray(resultType(), resultShape());
    for (std::size_t i = 0; i < result.numbers.size(); ++i) {
      const Number first = convert(x.numbers[i], x.dtype, result.dtype);
      const Number second = convert(y.numbers[i], y.dtype, result.dtype);
      const Truth truth = isNonzero(mask.numbers[i]);
      if (truth == Truth::open)
        result.numbers[i] = mask.numbers[i].value != 0 ? either(first, second)
                                                       : either(second, first);
      else
        result.numbers[i] = truth == Truth::yes ? first : second;
    }
    define(result);
  }

  void keep() {
    Array x = operand(0);
    const auto operation = isa::parse<AluOp>(Machine::text(op, "compare"));
    if (!operation)
      return unknownOperator();
    std::int64_t offset = 0;
    if (const program::Attribute *found = Machine::find(op, "offset"))
      if (const auto *ref = std::get_if<program::IndexRef>(found))
        offset = machine.index(ref->index);
    const std::int64_t rowStep = Machine::integer(op, "row_step");
    const std::int64_t colStep = Machine::integer(op, "col_step");
    const Number otherwise =
        exactly(roundTo(x.dtype, Machine::number(op, "otherwise")));
    for (std::int64_t r = 0; r < x.rows(); ++r)
      for (std::int64_t c = 0; c < x.cols(); ++c) {
        const auto place =
            static_cast<double>(rowStep * r + colStep * c + offset);
        if (compare(*operation, exactly(place), exactly(0)) != Truth::yes)
          x.at(r, c) = otherwise;
      }
    define(x);
  }

  //===--- Reductions -------------------------------------------------------//

  void reduce() {
    const Array x = operand(0);
    const std::string name = Machine::text(op, "op");
    const auto operation = isa::parse<AluOp>(name);
    if (machine.failed())
      return;
    Array result = makeArray(DType::f32, resultShape());
    std::vector<Number> row;
    for (std::int64_t r = 0; r < x.rows(); ++r) {
      row.clear();
      for (std::int64_t c = 0; c < x.cols(); ++c)
        row.push_back(widen(x.at(r, c), x.dtype));
      if (operation == AluOp::add)
        result.at(r, 0) = sum(row);
      else if (operation == AluOp::multiply)
        result.at(r, 0) = product(row);
      else if (operation == AluOp::maximum || operation == AluOp::minimum) {
        Number best = row.front();
        for (const Number &number : row)
          best = apply(*operation, best, number);
        result.at(r, 0) = best;
      } else
        return unknownOperator();
    }
    define(result);
  }

  void unknownOperator() {
    machine.fail(Fault::unsupported,
                 "operator '" + Machine::text(op, "op") + "' is not known");
  }

  Machine &machine;
  const Op &op;
};

} // namespace

void interpretTileOperation(Machine &machine, const Op &op) {
  TileOperation(machine, op).run();
}

} // namespace kiln::interpret

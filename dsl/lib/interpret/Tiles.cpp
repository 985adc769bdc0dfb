//===- Tiles.cpp - The meaning of tile operations ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Scales.h"

#include "kiln/isa/rounding.h"
#include "kiln/isa/shapes.h"
#include "kiln/program_visit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kiln::interpret {

using isa::AluOp;

namespace {

/// A tile operation on a machine: reads operands, makes the result.
class TileOperation {
public:
  TileOperation(Machine &machine, const Op &op) : machine(machine), op(op) {}

  void run() {
    std::visit([this](const auto &operation) { compute(operation); },
               op.operation);
  }

private:
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

  void compute(const program::Declare &place) {
    machine.declare(op.result, place);
  }
  void compute(const program::Assign &assign) {
    move(assign.target, assign.source);
  }
  void compute(const program::Store &store) {
    move(store.target, store.source);
  }
  /// The source is read before the target is written.
  void move(const View &target, const View &source) {
    const Array array = machine.read(source);
    if (!machine.failed())
      machine.write(machine.window(target), array);
  }

  void compute(const program::Load &load) { define(machine.read(load.source)); }
  void compute(const program::Cast &cast) { define(machine.read(cast.x)); }
  void compute(const program::Copy &copy) {
    define(machine.read(copy.x));
    if (!machine.failed())
      machine.storage(op.result).partialSums = partialSums();
  }

  void compute(const program::LoadTransposed &load) { transpose(load.source); }
  void compute(const program::Transpose &op) { transpose(op.x); }
  void transpose(const View &view) {
    const Array x = machine.read(view);
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

  void compute(const program::Fill &fill) {
    Array result = makeArray(resultType(), resultShape());
    const double value = roundTo(result.dtype, fill.value);
    for (Number &number : result.numbers)
      number = exactly(value);
    define(result);
  }

  void compute(const program::Matmul &matmul) {
    Array a = machine.read(matmul.a), b = machine.read(matmul.b);
    if (matmul.aScales) {
      a = unpacked(a, machine.read(*matmul.aScales));
      b = unpacked(b, machine.read(*matmul.bScales));
    }
    if (machine.failed())
      return;
    const bool transposeA = matmul.transposeA, transposeB = matmul.transposeB;
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
        isa::ceilDiv(k, std::int64_t{isa::maxPartitions});
  }

  //===--- Packed floats with scales ----------------------------------------//

  static constexpr std::int64_t packedRows = isa::packedRows,
                                scaledRows = isa::scaledRows;

  /// [K / 4, N] packed, with scales [K / 32, N]: [K, N] of fp32.
  static Array unpacked(const Array &data, const Array &scales) {
    const std::int64_t rows = packedRows * data.rows();
    const std::int64_t cols = data.cols() / packedRows;
    Array result = makeArray(DType::f32, {rows, cols});
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c)
        result.at(r, c) =
            scaled(data.at(r / packedRows, packedRows * c + r % packedRows),
                   factorOf(scales.at(r / scaledRows, c), scales.dtype));
    return result;
  }

  void compute(const program::Quantize &quantize) {
    const Array x = machine.read(quantize.x);
    if (machine.failed())
      return;
    const DType type = quantize.scalesOf.value_or(resultType());
    Array result = makeArray(resultType(), resultShape());
    std::vector<Number> group(scaledRows);
    for (std::int64_t first = 0; first < x.rows(); first += scaledRows)
      for (std::int64_t c = 0; c < x.cols(); ++c) {
        for (std::int64_t i = 0; i < scaledRows; ++i)
          group[static_cast<std::size_t>(i)] =
              widen(x.at(first + i, c), x.dtype);
        const Number code = scaleCodeOf(group, type);
        if (quantize.scalesOf)
          result.at(first / scaledRows, c) = powerOfCode(code);
        else
          for (std::int64_t i = 0; i < scaledRows; ++i)
            result.at((first + i) / packedRows,
                      packedRows * c + i % packedRows) =
                quantized(group[static_cast<std::size_t>(i)], code, type);
      }
    define(result);
  }

  void compute(const program::Unary &unary) {
    Array x = machine.read(unary.x);
    for (Number &number : x.numbers)
      number = apply(unary.op, widen(number, x.dtype));
    x.dtype = DType::f32;
    define(x);
  }

  std::int64_t partialSums() {
    std::int64_t most = 1;
    forEachView(op, [&](const View &view) {
      most = std::max(most, machine.storage(view.value).partialSums);
    });
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

  void compute(const program::Binary &binary) {
    combine(binary.x, binary.y, binary.op);
  }
  void compute(const program::Scalar &scalar) {
    combine(scalar.x, scalar.value, scalar.op, scalar.reverse.value_or(false));
  }
  void compute(const program::Compare &compare) {
    const program::Operator operation{compare.op};
    if (compare.y)
      combine(compare.x, *compare.y, operation);
    else
      combine(compare.x, compare.value.value_or(0), operation,
              compare.reverse.value_or(false));
  }

  void combine(const View &x, const View &y, const program::Operator &op) {
    const Array a = repeated(machine.read(x)), b = repeated(machine.read(y));
    if (!machine.failed())
      combine(a, b, op.alu, false);
  }
  void combine(const View &x, double value, const program::Operator &op,
               bool reverse) {
    const Array a = machine.read(x);
    Array b = makeArray(a.dtype, a.sizes);
    if (isa::isFloat(a.dtype)) {
      b.dtype = DType::f32;
      value = roundTo(DType::f32, value);
    }
    for (Number &number : b.numbers)
      number = exactly(value);
    if (!machine.failed())
      combine(a, b, op.alu, reverse);
  }

  /// Without an operator, the quotient.
  void combine(const Array &a, const Array &b, std::optional<AluOp> operation,
               bool reverse) {
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

  void compute(const program::Select &select) {
    const Array mask = repeated(machine.read(select.mask));
    const Array x = repeated(machine.read(select.x));
    const Array y = repeated(machine.read(select.y));
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

  void compute(const program::Keep &keep) {
    Array x = machine.read(keep.x);
    const std::int64_t offset = machine.index(keep.offset.index);
    const Number otherwise = exactly(roundTo(x.dtype, keep.otherwise));
    for (std::int64_t r = 0; r < x.rows(); ++r)
      for (std::int64_t c = 0; c < x.cols(); ++c) {
        const auto place =
            static_cast<double>(keep.rowStep * r + keep.colStep * c + offset);
        if (compare(keep.compare, exactly(place), exactly(0)) != Truth::yes)
          x.at(r, c) = otherwise;
      }
    define(x);
  }

  //===--- Reductions -------------------------------------------------------//

  void compute(const program::Reduce &reduce) {
    const Array x = machine.read(reduce.x);
    const AluOp operation = reduce.op;
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
          best = apply(operation, best, number);
        result.at(r, 0) = best;
      } else
        return machine.fail(Fault::unsupported,
                            "operator '" + std::string(isa::name(operation)) +
                                "' is not known");
    }
    define(result);
  }

  // Control.cpp executes them.
  void compute(const program::Loop &) {}
  void compute(const program::InstructionCall &) {}

  Machine &machine;
  const Op &op;
};

} // namespace

void interpretTileOperation(Machine &machine, const Op &op) {
  TileOperation(machine, op).run();
}

} // namespace kiln::interpret

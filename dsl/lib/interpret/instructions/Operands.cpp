//===- Operands.cpp - Places, engines, accumulators of calls ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include <algorithm>

namespace kiln::interpret {

using isa::AluOp;
using isa::ReduceCommand;

//===----------------------------------------------------------------------===//
// Elements by pattern or by index
//===----------------------------------------------------------------------===//

namespace {

/// Elements of an operand in row-major order; -1: the language does not say
/// which one.
std::vector<std::int64_t> placesOf(Call &call, const Window &window,
                                   std::string_view indexName,
                                   std::int64_t group) {
  if (!call.has(indexName))
    return window.list();
  const Array index = call.read(indexName);
  const std::int64_t rows = window.sizes.front();
  const std::int64_t cols = window.elements() / rows;
  std::vector<std::int64_t> result;
  for (std::int64_t p = 0; p < rows; ++p)
    for (std::int64_t i = 0; i < cols; ++i) {
      const std::int64_t lane = p / group * group + i % group;
      if (lane >= index.rows() || i / group >= index.cols()) {
        call.fail("'" + std::string(indexName) + "' lists too few places");
        return result;
      }
      const Number number = index.at(lane, i / group);
      if (!isExact(number)) {
        result.push_back(-1);
        continue;
      }
      const std::int64_t place =
          window.offset + static_cast<std::int64_t>(number.value);
      if (place < 0 || place >= window.storage->rowSize) {
        call.fail("'" + std::string(indexName) + "' lists place " +
                  std::to_string(place) + " of " +
                  std::to_string(window.storage->rowSize));
        return result;
      }
      result.push_back((window.row + p) * window.storage->rowSize + place);
    }
  return result;
}

std::string indexOf(std::string_view name) {
  return std::string(name) + "_index";
}

Array readAt(Call &call, const Window &window,
             const std::vector<std::int64_t> &places) {
  Array array = makeArray(window.dtype(), window.sizes);
  const std::size_t parts = window.storage->perElement;
  for (std::size_t i = 0; i < places.size() && !call.failed(); ++i)
    for (std::size_t part = 0; part < parts; ++part)
      array.numbers[i * parts + part] =
          places[i] < 0
              ? unknown()
              : call.machine.readElement(*window.storage, places[i], part);
  return array;
}

/// `chosen`, if it is not empty, says which elements are written.
void writeAt(Call &call, const Window &window,
             const std::vector<std::int64_t> &places, const Array &array,
             const std::vector<Truth> &chosen) {
  const std::size_t parts = window.storage->perElement;
  if (array.numbers.size() != places.size() * parts && !call.failed())
    call.fail("'" + call.mnemonic + "' writes " +
              std::to_string(array.numbers.size()) + " numbers to " +
              std::to_string(places.size() * parts) + " places");
  for (std::size_t i = 0; i < places.size() && !call.failed(); ++i) {
    const Truth choice = chosen.empty() ? Truth::yes : chosen[i];
    if (choice == Truth::no)
      continue;
    if (places[i] < 0) { // possibly any element
      Machine::spoil(*window.storage);
      continue;
    }
    for (std::size_t part = 0; part < parts; ++part) {
      const Number number =
          convert(array.numbers[i * parts + part], array.dtype, window.dtype());
      call.machine.writeElement(
          *window.storage, places[i],
          choice == Truth::yes
              ? number
              : either(number, call.machine.readElement(*window.storage,
                                                        places[i], part)),
          part);
    }
  }
}

} // namespace

Array readPlaces(Call &call, std::string_view name, std::int64_t group) {
  if (!call.has(indexOf(name)))
    return call.read(name);
  const Window window = call.operand(name).window;
  return readAt(call, window, placesOf(call, window, indexOf(name), group));
}

Array readColumns(Call &call, std::string_view name, std::string_view indexName,
                  std::int64_t cols, std::int64_t group) {
  const Window all = call.operand(name).window;
  Window window = all;
  window.sizes = {all.sizes.front(), cols};
  if (call.has(indexName))
    return readAt(call, window, placesOf(call, window, indexName, group));
  // The leading ones of the pattern.
  const Array array = call.read(name);
  Array result = makeArray(array.dtype, window.sizes);
  if (array.cols() < result.cols())
    call.fail("'" + std::string(name) + "' of '" + call.mnemonic + "' has " +
              std::to_string(array.cols()) + " columns for " +
              std::to_string(cols));
  for (std::int64_t row = 0; row < array.rows() && !call.failed(); ++row)
    for (std::int64_t col = 0; col < result.cols(); ++col)
      result.at(row, col) = array.at(row, col);
  return result;
}

Array readWidePlaces(Call &call, std::string_view name, std::int64_t group) {
  Array array = readPlaces(call, name, group);
  for (Number &n : array.numbers)
    n = widen(n, array.dtype);
  array.dtype = DType::f32;
  return array;
}

void writePlaces(Call &call, std::string_view name, const Array &array,
                 std::int64_t group) {
  if (!call.has(indexOf(name)))
    return call.write(name, array);
  const Window window = call.operand(name).window;
  writeAt(call, window, placesOf(call, window, indexOf(name), group), array,
          {});
}

void writeLane(Call &call, std::string_view name, std::int64_t lane,
               const Array &array) {
  call.machine.write(call.operand(name).window.rows(lane, 1), array);
}

void writeWhere(Call &call, std::string_view name, const Array &array,
                const std::vector<Truth> &chosen) {
  const Window window = call.operand(name).window;
  writeAt(call, window, placesOf(call, window, indexOf(name), laneGroup), array,
          chosen);
}

bool usesPsum(const Call &call) {
  const auto &values = call.machine.program.values;
  return std::any_of(call.said.operands.begin(), call.said.operands.end(),
                     [&](const program::Operand &operand) {
                       return values[operand.view.value].space ==
                              isa::Space::psum;
                     });
}

AluOp operatorOf(Call &call, std::string_view name) {
  const std::optional<AluOp> op = call.choice<AluOp>(name);
  if (!op)
    call.fail("'" + call.mnemonic + "' has no operator '" + std::string(name) +
              "'");
  return op.value_or(AluOp::bypass);
}

std::vector<Number> columnOf(Call &call, std::string_view name,
                             std::int64_t rows, double init) {
  std::vector<Number> column(static_cast<std::size_t>(rows));
  if (!call.has(name)) {
    std::fill(column.begin(), column.end(), call.scalar(name, 0, init));
    return column;
  }
  const Array array = call.readWide(name);
  if (array.numbers.size() == column.size())
    return array.numbers;
  call.fail("'" + std::string(name) + "' of '" + call.mnemonic + "' has " +
            std::to_string(array.numbers.size()) + " numbers for " +
            std::to_string(rows) + " partitions");
  return column;
}

bool areEqualCounts(Call &call, std::initializer_list<const Array *> arrays) {
  for (const Array *array : arrays)
    if (array->numbers.size() != (*arrays.begin())->numbers.size() ||
        array->rows() != (*arrays.begin())->rows())
      call.fail("operands of '" + call.mnemonic + "' differ in their elements");
  return !call.failed();
}

Number selected(Truth choice, bool isLikely, const Number &first,
                const Number &second) {
  if (choice == Truth::open)
    return isLikely ? either(first, second) : either(second, first);
  return choice == Truth::yes ? first : second;
}

Truth opposite(Truth truth) {
  return truth == Truth::open  ? truth
         : truth == Truth::yes ? Truth::no
                               : Truth::yes;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

Number folded(AluOp op, const Number &accumulator, const Number &x) {
  return stage(op, accumulator, x);
}

void Accumulators::start(Call &call, ReduceCommand command, AluOp op,
                         std::int64_t rows, std::string_view loaded) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto lane = static_cast<std::size_t>(row);
    switch (command) {
    case ReduceCommand::idle:
      continue;
    case ReduceCommand::reset:
    case ReduceCommand::reset_reduce:
      values[lane] = exactly(identityOf(op));
      break;
    case ReduceCommand::load_reduce:
      values[lane] = call.scalar(loaded, row);
      break;
    case ReduceCommand::reduce:
      if (!isDefined[lane])
        call.fail(
            "'" + call.mnemonic +
            "' continues from an accumulator that no instruction has started");
      break;
    }
    isDefined[lane] = true;
  }
}

void Accumulators::take(ReduceCommand command, AluOp op, const Array &array) {
  if (command == ReduceCommand::idle || command == ReduceCommand::reset)
    return;
  for (std::int64_t row = 0; row < array.rows(); ++row)
    for (std::int64_t col = 0; col < array.cols(); ++col) {
      Number &value = values[static_cast<std::size_t>(row)];
      value = folded(op, value, array.at(row, col));
    }
}

void Accumulators::store(Call &call, std::string_view name, bool isNegated) {
  if (!call.has(name))
    return;
  Array result = call.resultOf(name);
  for (std::size_t lane = 0; lane < result.numbers.size(); ++lane) {
    if (!isDefined[lane])
      return call.fail("'" + call.mnemonic +
                       "' reads an accumulator that nothing started");
    result.numbers[lane] = isNegated ? negated(values[lane]) : values[lane];
  }
  call.write(name, result);
}

void Accumulators::forget(std::int64_t rows) {
  std::fill_n(isDefined.begin(), rows, false);
}

EngineState &engineState(Machine &machine) {
  if (!machine.engines) {
    machine.engines = std::make_shared<EngineState>();
    // trn3's Vector engine has four generators in each lane.
    if (machine.options.generation == isa::Generation::v4)
      machine.engines->vectorRandom.each = 4;
  }
  return *machine.engines;
}
Accumulators &scalarAccumulators(Machine &machine) {
  return engineState(machine).scalar;
}
Accumulators &vectorAccumulators(Machine &machine) {
  return engineState(machine).vector;
}

//===----------------------------------------------------------------------===//
// Random generators
//===----------------------------------------------------------------------===//

std::uint32_t Generator::next() {
  auto &[x, y, z, w, v, d] = words;
  const std::uint32_t t = x ^ (x >> 2);
  x = y;
  y = z;
  z = w;
  w = v;
  v = (v ^ (v << 4)) ^ (t ^ (t << 1));
  d += 362437;
  return v + d;
}

Number Generators::next(std::int64_t lane) {
  Lane &own = lanes[static_cast<std::size_t>(lane)];
  Generator &generator = own.generators[own.turn++ % each];
  return generator.isKnown ? exactly(generator.next()) : anyInteger(DType::u32);
}

void Generators::forget() {
  for (Lane &lane : lanes)
    lane = Lane();
}

Generators &generators(Call &call, isa::Engine init) {
  EngineState &state = engineState(call.machine);
  return call.engine(init) == isa::Engine::gpsimd ? state.gpsimdRandom
                                                  : state.vectorRandom;
}

} // namespace kiln::interpret

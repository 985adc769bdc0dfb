//===- kernel.cpp - Tensors and statements of a program of chance ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include "kiln/record.h"

#include <algorithm>

namespace kiln::test {

Interval hull(const Interval &a, const Interval &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

bool isInteger(DType dtype) { return !isa::isFloat(dtype); }

Interval limitsOf(DType dtype) {
  if (isa::isFloat(dtype))
    return {-32, 32};
  return isa::info(dtype).isSigned ? Interval{-100, 100} : Interval{0, 200};
}

namespace {

Interval inputRange(DType dtype, bool whole) {
  if (isa::isFloat(dtype))
    return whole ? Interval{-8, 8} : Interval{-6.5, 6.5};
  return isa::info(dtype).isSigned ? Interval{-100, 100} : Interval{0, 255};
}

const std::initializer_list<std::int64_t> rowExtents = {
    1,  1,  2,  3,   5,   7,   8,   16,  31,  32,  33,  40,  63,  64,
    65, 96, 97, 100, 127, 128, 128, 129, 130, 160, 192, 255, 256, 300};
const std::initializer_list<std::int64_t> colExtents = {
    1,  1,  2,  3,  4,  5,  7,  8,  8,   9,   12,  15,  16, 17,
    24, 31, 32, 33, 40, 48, 64, 65, 100, 127, 128, 129, 130};

} // namespace

Generator::Generator(const ProgramSettings &settings)
    : settings(settings), choices(settings.seed) {
  whole = choices.percent(75);
  if (isWhole()) {
    drawWholeTensors();
    return;
  }
  const std::int64_t extents = choices.from(1, 3);
  for (std::int64_t i = 0; i < extents; ++i) {
    rowPalette.push_back(choices.pick(rowExtents));
    colPalette.push_back(choices.pick(colExtents));
  }
  if (choices.percent(2))
    colPalette.push_back(choices.pick({513, 600, 1024, 2048, 2500, 5000}));
  budget = choices.percent(5) ? 6'000'000 : 600'000;
  drawArguments();
}

std::int64_t Generator::drawRows() {
  if (isWhole())
    return rowPalette.front();
  const std::int64_t rows =
      choices.percent(75) ? choices.pick(rowPalette) : choices.pick(rowExtents);
  return repeats > 8 ? std::min<std::int64_t>(rows, 64) : rows;
}
std::int64_t Generator::drawCols() {
  if (isWhole())
    return colPalette.front();
  const std::int64_t cols =
      choices.percent(75) ? choices.pick(colPalette) : choices.pick(colExtents);
  return repeats > 8 ? std::min<std::int64_t>(cols, 32) : cols;
}

DType Generator::drawType() {
  switch (choices.weighted({10, 5, 3, 4, 3, 3})) {
  case 0:
    return DType::f32;
  case 1:
    return DType::bf16;
  case 2: {
    const DType dtype = choices.pick(
        {DType::f16, DType::f8e4m3, DType::f8e4m3fn, DType::f8e5m2});
    // Before trn3 it is only moved.
    return dtype == DType::f8e4m3fn &&
                   settings.generation != isa::Generation::v4
               ? DType::f8e4m3
               : dtype;
  }
  case 3:
    return DType::i32;
  case 4:
    return choices.pick({DType::u32, DType::i16, DType::u16});
  default:
    return choices.pick({DType::i8, DType::u8});
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void Generator::drawArguments() {
  const auto add = [&](const char *name, program::ArgumentKind kind,
                       DType dtype, std::int64_t rows, std::int64_t cols) {
    arguments.push_back({name, kind, dtype, {rows, cols}});
  };
  using Kind = program::ArgumentKind;
  const std::int64_t numbers = choices.from(2, 9);
  add("n", Kind::input, DType::i32, choices.from(1, 6), numbers);
  static constexpr const char *inputs[] = {"a", "b", "c"};
  const std::int64_t count = choices.from(1, 3);
  for (std::int64_t i = 0; i < count; ++i) {
    const DType dtype = drawType();
    std::int64_t rows = drawRows();
    // Some have several blocks of rows for loops to walk over.
    if (choices.percent(40))
      rows *= choices.from(2, 5);
    add(inputs[i], Kind::input, dtype, rows, drawCols());
  }
  static constexpr const char *outputs[] = {"x", "y"};
  const std::int64_t results = choices.from(1, 2);
  for (std::int64_t i = 0; i < results; ++i) {
    const DType dtype = drawType();
    std::int64_t rows = drawRows();
    if (choices.percent(40))
      rows *= choices.from(2, 4);
    add(outputs[i], Kind::output, dtype, rows * settings.cores, drawCols());
  }
  if (choices.percent(35)) {
    const DType dtype = drawType();
    const std::int64_t rows = drawRows() * settings.cores;
    add("z", Kind::inout, dtype, rows, drawCols());
  }
}

void Generator::bindArguments(const ViewRef *values) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    Tensor tensor;
    tensor.ref = values[i];
    tensor.dtype = argument.dtype;
    tensor.rows = argument.shape[0];
    tensor.cols = argument.shape[1];
    tensor.range = inputRange(argument.dtype, whole);
    tensor.read = argument.kind != program::ArgumentKind::output;
    tensor.written = argument.kind != program::ArgumentKind::input;
    // A core writes its own half.
    if (tensor.written && settings.cores > 1) {
      tensor.rows /= settings.cores;
      tensor.ref = rec->slice(tensor.ref, 0, {settings.core * tensor.rows},
                              tensor.rows, 1, dsl::Where::current());
    }
    if (tensor.written)
      tensor.range = hull(tensor.range, limitsOf(argument.dtype));
    tensors.push_back(tensor);
  }
}

/// Every element, by one store or block by block.
void Generator::fillOutput(Tensor &tensor) {
  const auto blocks = [&](const Index &at, std::int64_t rows) {
    Item value = choices.percent(50) ? loadTile(rows, tensor.cols)
                                     : fillTile(rows, tensor.cols);
    value = within(value, tensor.range);
    const ViewRef view =
        rec->slice(tensor.ref, 0, at.value(), rows, 1, dsl::Where::current());
    rec->store(view, value.ref, dsl::Where::current());
  };
  const std::int64_t block = choices.pick({16, 32, 64, 100, 128, 256});
  if (tensor.rows > block && choices.percent(60))
    tiles("rows", tensor.rows, block, [&](const Index &at, std::int64_t rows) {
      const std::size_t known = pool.size();
      blocks(at, rows);
      pool.resize(known);
    });
  else
    blocks(0, tensor.rows);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Generator::run(dsl::Recording &recording, const ViewRef *values) {
  rec = &recording;
  bindArguments(values);
  if (isWhole())
    return wholeStatements();
  for (Tensor &tensor : tensors)
    if (tensor.written && !tensor.read)
      fillOutput(tensor);
  switch (choices.weighted({70, 24, 6})) {
  case 0:
    statements(choices.from(3, 9));
    break;
  case 1:
    statements(choices.from(8, 20));
    break;
  default:
    statements(choices.from(20, 45));
  }
  // What was computed shall be seen.
  for (const Tensor &tensor : tensors)
    if (tensor.written)
      storeStatement();
  storeStatement();
}

void Generator::statements(std::int64_t count) {
  for (std::int64_t i = 0; i < count && budget > 0; ++i)
    statement();
}

void Generator::statement() {
  if (meetsItself() && depth == 0 && choices.percent(30))
    return collectiveStatement();
  const bool memory = std::any_of(
      pool.begin(), pool.end(), [](const Item &item) { return item.written; });
  switch (choices.weighted({34, 10, memory ? 14 : 0, 6, 12, memory ? 16 : 4, 4,
                            depth < 3 ? 14 : 0})) {
  case 0:
    tileStatement();
    break;
  case 1:
    variableStatement();
    break;
  case 2:
    assignStatement();
    break;
  case 3:
    bufferStatement();
    break;
  case 4:
    storeStatement();
    break;
  case 5:
    instructionStatement();
    break;
  case 6:
    scratchStatement();
    break;
  default:
    controlStatement();
  }
}

//===----------------------------------------------------------------------===//
// The kernel of a seed
//===----------------------------------------------------------------------===//

namespace {

void describe(const void *kernel, Signature &signature) {
  const auto &generator = *static_cast<const Generator *>(kernel);
  for (const Generator::Argument &argument : generator.argumentList())
    signature.argument(argument.name, {argument.shape[0], argument.shape[1]});
}

void runKernel(const void *kernel, dsl::Recording &recording,
               const ViewRef *values) {
  dsl::RecordingScope scope(recording);
  // Recording draws: a generator records one program.
  const_cast<Generator *>(static_cast<const Generator *>(kernel))
      ->run(recording, values);
}

} // namespace

std::int64_t randomCores(std::uint64_t seed, isa::Generation generation) {
  return generation != isa::Generation::v2 && seed % 16 == 5 ? 2 : 1;
}

program::Program randomProgram(const ProgramSettings &settings) {
  Generator generator(settings);
  std::vector<dsl::ArgumentType> types;
  for (const Generator::Argument &argument : generator.argumentList())
    types.push_back({argument.kind, argument.dtype, 2});
  dsl::KernelObject object{};
  object.arguments = types.data();
  object.argumentCount = types.size();
  object.kernel = &generator;
  object.describe = &describe;
  object.run = &runKernel;
  program::Program program =
      dsl::recordObject(object, "random" + std::to_string(settings.seed),
                        {static_cast<std::uint32_t>(settings.core),
                         static_cast<std::uint32_t>(settings.cores)});
  program.parameters.push_back({"seed", std::to_string(settings.seed)});
  program.parameters.push_back(
      {"inputs", generator.hasWholeInputs() ? "whole" : "normal"});
  return program;
}

} // namespace kiln::test

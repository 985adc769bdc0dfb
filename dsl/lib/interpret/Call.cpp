//===- Call.cpp - An instruction and its operands ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "kiln/program_visit.h"

#include <algorithm>
#include <utility>

namespace kiln::interpret {

Call::Call(Machine &machine, const Op &op)
    : machine(machine), op(op), said(*op.call()), mnemonic(said.mnemonic) {
  for (const program::Operand &operand : said.operands)
    operands.push_back({operand.name, machine.window(operand.view)});
  forEachIndexed(said, [this](std::size_t, std::size_t indexed) {
    operands[indexed].indexed = true;
  });
}

std::size_t Call::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(operands.begin(), operands.end(),
                    [&](const Operand &o) { return o.name == name; }));
}

Call::Operand &Call::operand(std::string_view name, std::size_t number) {
  for (Operand &candidate : operands)
    if (candidate.name == name && number-- == 0)
      return candidate;
  fail("'" + mnemonic + "' lacks operand '" + std::string(name) + "'");
  static Storage nothing(DType::f32, {1, 1}, true);
  static Operand missing;
  missing.window = Window{&nothing, 0, 0, {1, 1}, {1, 1}};
  return missing;
}

Array Call::read(std::string_view name, std::size_t number) {
  return machine.read(operand(name, number).window);
}

Array Call::readWide(std::string_view name, std::size_t number) {
  Array array = read(name, number);
  for (Number &n : array.numbers)
    n = widen(n, array.dtype);
  array.dtype = DType::f32;
  return array;
}

Array Call::resultOf(std::string_view name, std::size_t number) {
  return makeArray(DType::f32, operand(name, number).window.sizes);
}

void Call::write(std::string_view name, const Array &array,
                 std::size_t number) {
  machine.write(operand(name, number).window, array);
}

bool Call::given(std::string_view name) const {
  return has(name) || said.more.contains(name);
}

Number Call::scalar(std::string_view name, std::int64_t row, double init) {
  if (!has(name))
    return exactly(roundTo(DType::f32, number(name, init)));
  const Window one = operand(name).window.rows(row, 1);
  const Array array = machine.read(one);
  return array.numbers.empty() ? unknown()
                               : widen(array.numbers.front(), array.dtype);
}

std::int64_t Call::integer(std::string_view name, std::int64_t init) const {
  const auto *found = said.get<std::int64_t>(name);
  return found ? *found : init;
}

double Call::number(std::string_view name, double init) const {
  if (const auto *found = said.get<program::Real>(name))
    return *found;
  const auto *whole = said.get<std::int64_t>(name);
  return whole ? static_cast<double>(*whole) : init;
}

std::string_view Call::text(std::string_view name) const {
  const auto *found = said.get<std::string>(name);
  return found ? std::string_view(*found) : std::string_view();
}

std::vector<std::int64_t> listOf(const program::InstructionCall &call,
                                 std::string_view name) {
  const auto *found = call.get<std::vector<std::int64_t>>(name);
  return found ? *found : std::vector<std::int64_t>();
}
std::vector<std::int64_t> Call::list(std::string_view name) const {
  return listOf(said, name);
}

std::int64_t Call::index(std::string_view name, std::int64_t init) {
  if (const auto *found = said.get<program::IndexRef>(name))
    return machine.index(found->index);
  return integer(name, init);
}

isa::Engine Call::engine(isa::Engine init) const {
  return isa::parseEngine(text("engine")).value_or(init);
}

//===----------------------------------------------------------------------===//
// Instructions that exist only in the language
// ===----------------------------------------------------------------------===//

void interpretApply(Machine &machine, const Op &op) {
  const Window result{
      &machine.renew(op.result), 0, 0, machine.storage(op.result).shape, {}};
  constexpr std::int64_t most = isa::maxPartitions;
  const std::int64_t rows = result.sizes.front();
  for (std::int64_t first = 0; first < rows && !machine.failed();
       first += most) {
    Call call(machine, op);
    if (machine.failed())
      return;
    const std::int64_t count = std::min(most, rows - first);
    for (Call::Operand &operand : call.operands)
      operand.window = operand.window.rows(first, count);
    Window part = result;
    part.strides.assign(part.sizes.size(), 1);
    for (std::size_t i = part.sizes.size(); i-- > 2;)
      part.strides[i - 1] = part.strides[i] * part.sizes[i];
    call.operands.push_back({"dst", part.rows(first, count), false});
    interpretInstruction(call);
  }
}

} // namespace kiln::interpret

//===- Call.cpp - An instruction and its operands ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <utility>

namespace kiln::interpret {

static std::vector<std::string> namesOf(const Op &op) {
  std::vector<std::string> names;
  const std::string list = Machine::text(op, "operands");
  std::string name;
  for (const char c : list + ',')
    if (c != ',')
      name += c;
    else if (!name.empty())
      names.push_back(std::exchange(name, {}));
  return names;
}

Call::Call(Machine &machine, const Op &op)
    : machine(machine), op(op), mnemonic(Machine::text(op, "mnemonic")) {
  const std::vector<std::string> names = namesOf(op);
  if (names.size() != op.operands.size()) {
    fail("'" + mnemonic + "' has " + std::to_string(op.operands.size()) +
         " operands and " + std::to_string(names.size()) + " names");
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    operands.push_back({names[i], machine.window(op.operands[i])});
  for (const program::IndexedOperand &pair : program::indexedOperands(op))
    operands[pair.indexed].indexed = true;
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
  return has(name) || Machine::find(op, name) != nullptr;
}

Number Call::scalar(std::string_view name, std::int64_t row, double init) {
  if (!has(name))
    return exactly(roundTo(DType::f32, number(name, init)));
  const Window one = operand(name).window.rows(row, 1);
  const Array array = machine.read(one);
  return array.numbers.empty() ? unknown()
                               : widen(array.numbers.front(), array.dtype);
}

std::vector<std::int64_t> Call::list(std::string_view name) const {
  const program::Attribute *attribute = Machine::find(op, name);
  const auto *found =
      attribute ? std::get_if<std::vector<std::int64_t>>(attribute) : nullptr;
  return found ? *found : std::vector<std::int64_t>();
}

std::int64_t Call::index(std::string_view name, std::int64_t init) {
  const program::Attribute *attribute = Machine::find(op, name);
  if (!attribute)
    return init;
  if (const auto *found = std::get_if<program::IndexRef>(attribute))
    return machine.index(found->index);
  return integer(name, init);
}

isa::Engine Call::engine(isa::Engine init) const {
  return isa::parseEngine(text("engine")).value_or(init);
}

//===----------------------------------------------------------------------===//
// Instructions of the language's own
//===----------------------------------------------------------------------===//

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

//===- Machine.cpp - Values, views and indices of a core -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Bits.h"

#include "kiln/program_names.h"

#include <algorithm>
#include <utility>

namespace kiln::interpret {

Machine::Machine(const Program &program, const Options &options)
    : program(program), options(options), memory(program.values.size()),
      registers(program.values.size()) {
  frames.push_back({&program.body});
  findLastUses(program.body);
}

void Machine::fail(Fault::Kind kind, std::string text) {
  if (fault)
    return;
  Fault found{kind, std::move(text), {}};
  if (current && current->location < program.locations.size())
    found.where = program.locations[current->location];
  fault = std::move(found);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Storage &Machine::renew(Id id) {
  const program::Value &value = program.values[id];
  memory[id] = std::make_shared<Storage>(
      value.dtype, value.shape, value.kind != program::ValueKind::tensor);
  return *memory[id];
}

Storage &Machine::storage(Id id) {
  return memory[id] ? *memory[id] : renew(id);
}

void Machine::declare(Id id, const program::Declare &place) {
  Storage &fresh = renew(id);
  const std::int64_t bank = place.bank.value_or(-1);
  const std::int64_t byte = place.byte.value_or(
      bank < 0 ? -1 : bank * std::int64_t{isa::psumBankBytes});
  std::erase_if(pins, [&](const Pin &pin) { return pin.id == id; });
  if (byte < 0)
    return;
  const Pin own{id,
                program.values[id].space,
                place.partition.value_or(0),
                fresh.shape.front(),
                byte,
                fresh.rowSize * isa::sizeInBytes(fresh.dtype)};
  const auto meet = [](std::int64_t a, std::int64_t m, std::int64_t b,
                       std::int64_t n) { return a < b + n && b < a + m; };
  for (const Pin &pin : pins)
    if (memory[pin.id] && pin.space == own.space &&
        meet(pin.partition, pin.partitions, own.partition, own.partitions) &&
        meet(pin.byte, pin.bytes, own.byte, own.bytes)) {
      memory[pin.id]->overlapping.push_back(memory[id]);
      fresh.overlapping.push_back(memory[pin.id]);
    }
  pins.push_back(own);
}

void Machine::bind(Id id, std::shared_ptr<Storage> storage) {
  memory[id] = std::move(storage);
}

void Machine::setRegister(Id value, std::int64_t number) {
  registers[value] = number;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Window Machine::window(const View &view) {
  Window result;
  result.storage = &storage(view.value).seenAs(view.dtype);
  result.offset = view.offset == program::none ? 0 : offset(view.offset);
  result.row = view.row;
  result.sizes = view.sizes;
  result.strides = view.strides;
  return result;
}

Number Machine::readElement(const Storage &storage, std::int64_t element,
                            std::size_t part) {
  if (element < 0 || element >= storage.elements) {
    fail(Fault::invalid, "an element outside of a tensor is read");
    return unknown();
  }
  const Number number =
      storage.seenOf ? readSeen(storage, element, part)
                     : storage.numbers[static_cast<std::size_t>(element) *
                                           storage.perElement +
                                       part];
  if (!isUnwritten(number))
    return number;
  if (unwrittenReads++ == 0 && current &&
      current->location < program.locations.size())
    firstUnwrittenRead = program.locations[current->location];
  return unknown();
}

void Machine::writeElement(Storage &storage, std::int64_t element,
                           Number number, std::size_t part) {
  if (element < 0 || element >= storage.elements) {
    fail(Fault::invalid, "an element outside of a tensor is written");
    return;
  }
  if (storage.seenOf) {
    writeSeen(storage, element, number, part);
  } else {
    const auto at =
        static_cast<std::size_t>(element) * storage.perElement + part;
    storage.numbers[at] = number;
    if (!storage.partial.empty())
      storage.partial.erase(at);
  }
  const Storage &memory = storage.seenOf ? *storage.seenOf : storage;
  for (const std::weak_ptr<Storage> &other : memory.overlapping)
    if (const std::shared_ptr<Storage> spoilt = other.lock())
      spoil(*spoilt);
}

void Machine::spoil(Storage &storage) {
  Storage &memory = storage.seenOf ? *storage.seenOf : storage;
  std::fill(memory.numbers.begin(), memory.numbers.end(), unknown());
  memory.partial.clear();
}

Array Machine::read(const Window &window) {
  Array result = makeArray(window.dtype(), window.sizes);
  std::size_t at = 0;
  for (const std::int64_t element : window.list()) {
    if (element < 0) {
      fail(Fault::invalid, window.text() + " reaches outside");
      return result;
    }
    for (std::size_t part = 0; part < window.storage->perElement; ++part)
      result.numbers[at++] = readElement(*window.storage, element, part);
  }
  return result;
}

void Machine::write(const Window &window, const Array &array) {
  std::size_t at = 0;
  if (array.numbers.size() !=
      static_cast<std::size_t>(window.elements()) * window.storage->perElement)
    return fail(Fault::invalid, std::to_string(array.numbers.size()) +
                                    " numbers are written to " + window.text());
  for (const std::int64_t element : window.list()) {
    if (element < 0)
      return fail(Fault::invalid, window.text() + " reaches outside");
    for (std::size_t part = 0; part < window.storage->perElement; ++part)
      writeElement(*window.storage, element,
                   convert(array.numbers[at++], array.dtype, window.dtype()),
                   part);
  }
}

} // namespace kiln::interpret

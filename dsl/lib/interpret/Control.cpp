//===- Control.cpp - Loops, registers, the order of operations -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Meetings.h"

#include "kiln/program_names.h"
#include "kiln/program_visit.h"

#include <set>
#include <type_traits>

namespace kiln::interpret {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void Machine::run() {
  while (!frames.empty() && !failed() && !waitsAt)
    step();
}

void Machine::met() {
  count(*waitsAt);
  waitsAt = nullptr;
  ++frames.back().next;
}

void Machine::step() {
  Frame &frame = frames.back();
  if (frame.next > 0)
    for (const Id id : lastUses[frame.body][frame.next - 1])
      memory[id].reset();
  if (frame.next == frame.body->size())
    return endBody();
  if (++steps > options.steps)
    return fail(Fault::limit, "the program takes more than " +
                                  std::to_string(options.steps) +
                                  " operations");
  const Op &op = (*frame.body)[frame.next];
  current = &op;
  if (const auto *loop = op.getIf<program::Loop>()) {
    ++frame.next;
    return enterLoop(op, *loop);
  }
  execute(op);
  if (!waitsAt)
    ++frames.back().next;
}

void Machine::enterLoop(const Op &op, const program::Loop &loop) {
  Frame frame{&op.body};
  frame.loop = &op;
  frame.value = index(loop.begin.index);
  frame.end = index(loop.end.index);
  frame.step = loop.step;
  if (failed() || frame.value >= frame.end)
    return;
  setRegister(op.result, frame.value);
  frames.push_back(frame);
}

static void collectUses(const Op &op, std::vector<Id> &uses) {
  forEachView(op, [&](const View &view) { uses.push_back(view.value); });
  if (op.result != program::none)
    uses.push_back(op.result);
  for (const Op &inner : op.body)
    collectUses(inner, uses);
}

/// Straight-line code may have more tiles than the host has memory.
void Machine::findLastUses(const std::vector<Op> &body) {
  std::map<Id, std::size_t> last;
  std::vector<Id> uses;
  for (std::size_t i = 0; i < body.size(); ++i) {
    uses.clear();
    collectUses(body[i], uses);
    for (const Id id : uses)
      last[id] = i;
    findLastUses(body[i].body);
  }
  std::vector<std::vector<Id>> &list = lastUses[&body];
  list.resize(body.size());
  for (const Op &op : body)
    if (op.result < program.values.size())
      list[last[op.result]].push_back(op.result);
}

/// Values that a body declared or computed live until its end.
void Machine::leaveBody(const std::vector<Op> &body) {
  for (const Op &op : body)
    if (op.result < memory.size())
      memory[op.result].reset();
}

/// An index operand of an instruction that exists only in the language.
static std::int64_t indexIn(Machine &machine, const Op &op,
                            std::string_view name) {
  const auto *found = op.call()->get<program::IndexRef>(name);
  return found ? machine.index(found->index) : 0;
}

void Machine::endBody() {
  Frame &frame = frames.back();
  bool again = false;
  if (frame.loop) {
    // A body of while_loop ends with its condition.
    const Op *last = frame.body->empty() ? nullptr : &frame.body->back();
    if (last && last->mnemonic() == "while") {
      again = indexIn(*this, *last, "condition") != 0;
    } else {
      frame.value += frame.step;
      again = frame.value < frame.end;
    }
  }
  leaveBody(*frame.body);
  if (failed() || !again) {
    frames.pop_back();
    return;
  }
  frame.next = 0;
  setRegister(frame.loop->result, frame.value);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The integer that a register takes from one element.
static void loadRegister(Machine &machine, const Op &op) {
  const View *view = program::viewAt(op, 0);
  if (!view)
    return machine.fail(Fault::invalid, "a register is loaded from nothing");
  const Array source = machine.read(*view);
  if (machine.failed())
    return;
  const Number number = source.numbers.front();
  if (!isExact(number))
    return machine.fail(Fault::undecided,
                        "a register is loaded from an element that the "
                        "language leaves open");
  // 32 bits, as i32.
  const double value =
      number.value < 0x1p31 ? number.value : number.value - 0x1p32;
  machine.setRegister(op.result, static_cast<std::int64_t>(value));
}

/// The low bits of an index.
static void storeRegister(Machine &machine, const Op &op) {
  const View *view = program::viewAt(op, 0);
  if (!view)
    return machine.fail(Fault::invalid, "a register is stored to nothing");
  const Window target = machine.window(*view);
  const isa::DTypeInfo &info = isa::info(target.dtype());
  const std::int64_t count = std::int64_t{1} << 8 * info.bytes;
  std::int64_t value = indexIn(machine, op, "src");
  value = ((value % count) + count) % count;
  if (info.isSigned && value >= count / 2)
    value -= count;
  Array array = makeArray(target.dtype(), target.sizes);
  array.numbers.front() = exactly(static_cast<double>(value));
  machine.write(target, array);
}

//===----------------------------------------------------------------------===//
// Any operation
//===----------------------------------------------------------------------===//

void Machine::count(const Op &op) {
  std::string key(op.mnemonic());
  if (key.empty())
    key = std::visit(
        [](const auto &operation) {
          std::string words(operation.name);
          forEachField(operation, [&](std::string_view field, auto &value) {
            using T = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<T, program::Operator>)
              words += ' ' + std::string(program::name(value));
            else if constexpr (std::is_enum_v<T>)
              words += field == "op" ? ' ' + std::string(isa::name(value)) : "";
          });
          return words;
        },
        op.operation);
  const View *first = program::viewAt(op, 0);
  const DType dtype = op.result < program.values.size()
                          ? program.values[op.result].dtype
                      : first ? program.values[first->value].dtype
                              : DType::f32;
  ++coverage.operations[key][std::string(isa::name(dtype))];
}

void Machine::execute(const Op &op) {
  if (op.is<program::Instruction>())
    executeInstruction(op);
  else if (op.is<program::Apply>())
    interpretApply(*this, op);
  else
    interpretTileOperation(*this, op);
  if (!waitsAt && !failed())
    count(op);
}

void Machine::executeInstruction(const Op &op) {
  const std::string_view mnemonic = op.mnemonic();
  if (mnemonic == "while" || mnemonic == "semaphore")
    return; // The end of the body; waits and signals do not change the meaning.
  if (mnemonic == "register_load")
    return loadRegister(*this, op);
  if (mnemonic == "register_store")
    return storeRegister(*this, op);
  if (program::setsRegister(mnemonic))
    return loadRank(*this, op);
  if (isMeeting(mnemonic)) {
    waitsAt = &op;
    return;
  }
  Call call(*this, op);
  if (!failed())
    interpretInstruction(call);
}

std::string Coverage::text() const {
  std::set<std::string> types;
  for (const auto &[operation, counts] : operations)
    for (const auto &[type, times] : counts)
      types.insert(type);
  std::string head = "| operation |", line = "|---|", rows;
  for (const std::string &type : types) {
    head += ' ' + type + " |";
    line += "---|";
  }
  for (const auto &[operation, counts] : operations) {
    rows += "| " + operation + " |";
    for (const std::string &type : types) {
      const auto found = counts.find(type);
      rows += found == counts.end()
                  ? " |"
                  : ' ' + std::to_string(found->second) + " |";
    }
    rows += '\n';
  }
  return head + '\n' + line + '\n' + rows;
}

void Coverage::add(const Coverage &other) {
  for (const auto &[operation, types] : other.operations)
    for (const auto &[type, times] : types)
      operations[operation][type] += times;
}

} // namespace kiln::interpret

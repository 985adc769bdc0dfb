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

#include <cmath>
#include <set>

namespace kiln::interpret {

using program::OpKind;

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
  if (op.kind == OpKind::loop) {
    ++frame.next;
    return enterLoop(op);
  }
  execute(op);
  if (!waitsAt)
    ++frames.back().next;
}

static Id indexOf(const Op &op, std::string_view name) {
  const program::Attribute *attribute = Machine::find(op, name);
  const auto *found =
      attribute ? std::get_if<program::IndexRef>(attribute) : nullptr;
  return found ? found->index : program::none;
}

void Machine::enterLoop(const Op &op) {
  Frame frame{&op.body};
  frame.loop = &op;
  frame.value = index(indexOf(op, "begin"));
  frame.end = index(indexOf(op, "end"));
  frame.step = integer(op, "step", 1);
  if (failed() || frame.value >= frame.end)
    return;
  setRegister(op.result, frame.value);
  frames.push_back(frame);
}

static void collectUses(const Op &op, std::vector<Id> &uses) {
  for (const View &view : op.operands)
    uses.push_back(view.value);
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

/// What a body declared and computed lives until its end.
void Machine::leaveBody(const std::vector<Op> &body) {
  for (const Op &op : body)
    if (op.result < memory.size())
      memory[op.result].reset();
}

void Machine::endBody() {
  Frame &frame = frames.back();
  bool again = false;
  if (frame.loop) {
    // A body of while_loop ends with its condition.
    const Op *last = frame.body->empty() ? nullptr : &frame.body->back();
    if (last && text(*last, "mnemonic") == "while") {
      again = index(indexOf(*last, "condition")) != 0;
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
  const Array source = machine.read(op.operands.front());
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
  const Window target = machine.window(op.operands.front());
  const isa::DTypeInfo &info = isa::info(target.dtype());
  const std::int64_t count = std::int64_t{1} << 8 * info.bytes;
  std::int64_t value = machine.index(indexOf(op, "src"));
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
  std::string key(program::name(op.kind));
  if (const std::string operation = text(op, "op"); !operation.empty())
    key += ' ' + operation;
  if (const std::string mnemonic = text(op, "mnemonic"); !mnemonic.empty())
    key = mnemonic;
  const DType dtype =
      op.result < program.values.size() ? program.values[op.result].dtype
      : op.operands.empty()             ? DType::f32
                            : program.values[op.operands.front().value].dtype;
  ++coverage.operations[key][std::string(isa::name(dtype))];
}

void Machine::execute(const Op &op) {
  const std::string mnemonic =
      op.kind == OpKind::instruction ? text(op, "mnemonic") : std::string();
  if (op.kind == OpKind::apply)
    interpretApply(*this, op);
  else if (op.kind != OpKind::instruction)
    interpretTileOperation(*this, op);
  else if (mnemonic == "while" || mnemonic == "semaphore")
    ; // The end of the body; waits and signals do not change the meaning.
  else if (mnemonic == "register_load")
    loadRegister(*this, op);
  else if (mnemonic == "register_store")
    storeRegister(*this, op);
  else if (program::setsRegister(mnemonic))
    loadRank(*this, op);
  else if (isMeeting(mnemonic))
    waitsAt = &op;
  else {
    Call call(*this, op);
    if (!failed())
      interpretInstruction(call);
  }
  if (!waitsAt && !failed())
    count(op);
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

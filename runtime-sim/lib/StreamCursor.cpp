//===- StreamCursor.cpp - The sequencer of one engine ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamCursor.h"

#include "kiln/isa/register_alu.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

/// Registers hold 32 bits and wrap.
std::int32_t wrap(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

} // namespace

StreamPlan::StreamPlan(std::span<const isa::Instruction> instructions)
    : body(instructions), partners(instructions.size()),
      flags(instructions.size()) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < body.size(); ++i) {
    const isa::InstructionInfo &info = isa::info(isa::opcode(body[i].body));
    if (info.isControl)
      flags[i] |= control;
    if (info.isDma)
      flags[i] |= dma;
    const bool opens = info.nesting == isa::Nesting::opens ||
                       info.nesting == isa::Nesting::divides;
    if (info.nesting != isa::Nesting::none &&
        info.nesting != isa::Nesting::opens) {
      if (open.empty() || !closes(info.opcode, body[open.back()].body)) {
        problem =
            fmt::format("{} at index {} closes nothing", info.mnemonic, i);
        return;
      }
      partners[i] = open.back();
      partners[open.back()] = i;
      open.pop_back();
    }
    if (opens)
      open.push_back(i);
  }
  if (!open.empty())
    problem = fmt::format("{} at index {} is not closed",
                          isa::mnemonic(isa::opcode(body[open.back()].body)),
                          open.back());
}

/// True if `closer` belongs to the opening instruction `opener`.
bool StreamPlan::closes(isa::Opcode closer, const isa::Body &opener) {
  switch (closer) {
  case isa::Opcode::LoopEnd:
    return std::holds_alternative<isa::LoopBegin>(opener) ||
           std::holds_alternative<isa::While>(opener);
  case isa::Opcode::Else:
    return std::holds_alternative<isa::If>(opener);
  default:
    return std::holds_alternative<isa::If>(opener) ||
           std::holds_alternative<isa::Else>(opener);
  }
}

StreamCursor::StreamCursor(const StreamPlan &plan, unsigned rank)
    : plan(&plan), rank(static_cast<std::int32_t>(rank)) {}

void StreamCursor::reportUndefined(unsigned index) const {
  if (!problem)
    problem = fmt::format("register r{} is read before it is written", index);
}

void StreamCursor::alu(const isa::RegisterAlu &op) {
  const auto operand = [&](const isa::RegisterOrInt &field) {
    if (const auto *number = std::get_if<std::int32_t>(&field.value))
      return isa::immediateBits(op.type, *number);
    return value(field);
  };
  const auto result =
      isa::computeRegister(op.op, op.type, operand(op.a), operand(op.b));
  if (result)
    write(op.dst, *result);
  else
    problem = isa::isDivision(op.op) && op.type != isa::RegisterType::f32
                  ? "register division by zero"
                  : "the operator does not exist for the type";
}

/// Step 0 is this rank, step i its i-th predecessor in the list.
void StreamCursor::rankAtHand(const isa::CurrentProcessingRankId &op) {
  for (const auto &list : op.replica_group) {
    const auto own = std::find(list.begin(), list.end(), rank);
    if (own == list.end())
      continue;
    const auto size = static_cast<std::int64_t>(list.size());
    const std::int64_t place = own - list.begin();
    const std::int64_t at = (place - value(op.iteration_id)) % size;
    write(op.dst, list[static_cast<std::size_t>(at < 0 ? at + size : at)]);
    return;
  }
  problem = fmt::format("rank {} is in no list of the replica group", rank);
}

void StreamCursor::enterLoop(const isa::LoopBegin &loop) {
  const std::int32_t begin = value(loop.begin);
  const std::int32_t end = value(loop.end);
  if (loop.step <= 0) {
    problem = fmt::format("loop step {} is not positive", loop.step);
    return;
  }
  if (begin >= end) {
    pc = plan->partner(pc) + 1;
    return;
  }
  const bool isOpenEnded =
      std::holds_alternative<isa::Register>(loop.begin.value) ||
      std::holds_alternative<isa::Register>(loop.end.value);
  loops.push_back(
      {pc, false, begin, end, loop.step, loop.counter.index, isOpenEnded});
  write(loop.counter, begin);
  ++pc;
}

void StreamCursor::enterWhile(const isa::While &loop) {
  if (read(loop.condition) == 0) {
    pc = plan->partner(pc) + 1;
    return;
  }
  loops.push_back({pc, true, 0, 0, 0, loop.condition.index, true});
  ++pc;
}

void StreamCursor::closeLoop() {
  Loop &loop = loops.back();
  bool goesOn = false;
  if (loop.tests) {
    goesOn = read(isa::Register{loop.reg}) != 0;
  } else {
    loop.counter += loop.step;
    goesOn = loop.counter < loop.end;
    if (goesOn)
      write(isa::Register{loop.reg}, static_cast<std::int32_t>(loop.counter));
  }
  if (goesOn) {
    ++loop.turns;
    pc = loop.begin + 1;
  } else {
    loops.pop_back();
    ++pc;
  }
}

/// A body that does not execute is skipped to its end: `end_if` always
/// executes, `else` ends only the first body.
void StreamCursor::branch(const isa::If &branch) {
  if (read(branch.condition) != 0) {
    ++pc;
    return;
  }
  pc = plan->partner(pc);
  if (std::holds_alternative<isa::Else>(head().body))
    ++pc;
}

bool StreamCursor::understands(const isa::Body &body) {
  return std::holds_alternative<isa::LoopBegin>(body) ||
         std::holds_alternative<isa::LoopEnd>(body) ||
         std::holds_alternative<isa::While>(body) ||
         std::holds_alternative<isa::If>(body) ||
         std::holds_alternative<isa::Else>(body) ||
         std::holds_alternative<isa::EndIf>(body) ||
         std::holds_alternative<isa::RegisterMove>(body) ||
         std::holds_alternative<isa::RegisterAlu>(body) ||
         std::holds_alternative<isa::RegisterWrap>(body) ||
         std::holds_alternative<isa::RegisterLoad>(body) ||
         std::holds_alternative<isa::RegisterStore>(body) ||
         std::holds_alternative<isa::RankId>(body) ||
         std::holds_alternative<isa::CurrentProcessingRankId>(body) ||
         std::holds_alternative<isa::Semaphore>(body);
}

bool StreamCursor::advance(std::int32_t loaded) {
  if (!headIsControl()) {
    ++pc;
    return !problem;
  }
  const isa::Body &body = head().body;
  const std::uint32_t before = pc;
  if (const auto *loop = std::get_if<isa::LoopBegin>(&body)) {
    enterLoop(*loop);
  } else if (std::holds_alternative<isa::LoopEnd>(body)) {
    closeLoop();
  } else if (const auto *loop = std::get_if<isa::While>(&body)) {
    enterWhile(*loop);
  } else if (const auto *op = std::get_if<isa::If>(&body)) {
    branch(*op);
  } else if (std::holds_alternative<isa::Else>(body)) {
    pc = plan->partner(pc);
  } else {
    if (const auto *move = std::get_if<isa::RegisterMove>(&body)) {
      write(move->dst, value(move->src));
    } else if (const auto *op = std::get_if<isa::RegisterAlu>(&body)) {
      alu(*op);
    } else if (const auto *ring = std::get_if<isa::RegisterWrap>(&body)) {
      const std::int32_t next =
          wrap(std::int64_t{read(ring->dst)} + ring->step);
      write(ring->dst, next == ring->end ? ring->begin : next);
    } else if (const auto *load = std::get_if<isa::RegisterLoad>(&body)) {
      write(load->dst, loaded);
    } else if (const auto *own = std::get_if<isa::RankId>(&body)) {
      write(own->dst, rank);
    } else if (const auto *ring =
                   std::get_if<isa::CurrentProcessingRankId>(&body)) {
      rankAtHand(*ring);
    }
    ++pc;
  }
  if (problem)
    pc = before;
  return !problem;
}

} // namespace kiln::sim

//===- StreamCursor.cpp - The sequencer of one engine ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamCursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

/// Registers hold 32 bits and wrap.
std::int32_t wrap(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

} // namespace

StreamPlan::StreamPlan(std::span<const isa::Instruction> instructions)
    : body(instructions), partners(instructions.size()),
      flags(instructions.size()) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < body.size(); ++i) {
    const isa::Body &op = body[i].body;
    const isa::InstructionInfo &info = isa::info(isa::opcode(op));
    if (info.isControl)
      flags[i] |= control;
    if (info.isDma)
      flags[i] |= dma;
    if (std::holds_alternative<isa::LoopBegin>(op)) {
      open.push_back(i);
    } else if (std::holds_alternative<isa::LoopEnd>(op)) {
      if (open.empty()) {
        problem = fmt::format("end_loop at index {} closes no loop", i);
        return;
      }
      partners[i] = open.back();
      partners[open.back()] = i;
      open.pop_back();
    }
  }
  if (!open.empty())
    problem = fmt::format("loop at index {} has no end_loop", open.back());
}

StreamCursor::StreamCursor(const StreamPlan &plan) : plan(&plan) {}

void StreamCursor::reportUndefined(unsigned index) const {
  if (!problem)
    problem = fmt::format("register r{} is read before it is written", index);
}

void StreamCursor::alu(const isa::RegisterAlu &op) {
  const std::int64_t a = value(op.a);
  const std::int64_t b = value(op.b);
  const bool divides = op.op == isa::RegisterOp::floor_divide ||
                       op.op == isa::RegisterOp::modulo;
  if (divides && b == 0) {
    problem = "register division by zero";
    return;
  }
  std::int64_t result = 0;
  switch (op.op) {
  case isa::RegisterOp::add:
    result = a + b;
    break;
  case isa::RegisterOp::subtract:
    result = a - b;
    break;
  case isa::RegisterOp::multiply:
    result = a * b;
    break;
  case isa::RegisterOp::floor_divide:
    result = floorDivide(a, b);
    break;
  case isa::RegisterOp::modulo:
    result = a - b * floorDivide(a, b);
    break;
  case isa::RegisterOp::minimum:
    result = std::min(a, b);
    break;
  case isa::RegisterOp::maximum:
    result = std::max(a, b);
    break;
  }
  write(op.dst, wrap(result));
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
  loops.push_back({pc, begin, end, loop.step, loop.counter.index});
  write(loop.counter, begin);
  ++pc;
}

void StreamCursor::closeLoop() {
  Loop &loop = loops.back();
  loop.counter += loop.step;
  if (loop.counter < loop.end) {
    write(isa::Register{loop.reg}, static_cast<std::int32_t>(loop.counter));
    pc = loop.begin + 1;
  } else {
    loops.pop_back();
    ++pc;
  }
}

bool StreamCursor::understands(const isa::Body &body) {
  return std::holds_alternative<isa::LoopBegin>(body) ||
         std::holds_alternative<isa::LoopEnd>(body) ||
         std::holds_alternative<isa::RegisterMove>(body) ||
         std::holds_alternative<isa::RegisterAlu>(body) ||
         std::holds_alternative<isa::RegisterWrap>(body) ||
         std::holds_alternative<isa::RegisterLoad>(body) ||
         std::holds_alternative<isa::RegisterStore>(body) ||
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
    }
    ++pc;
  }
  if (problem)
    pc = before;
  return !problem;
}

} // namespace kiln::sim

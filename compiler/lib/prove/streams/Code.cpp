//===- Code.cpp - The streams, read once ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include <algorithm>
#include <fmt/format.h>

namespace kiln::problems::checker {

namespace {

/// Assembly written by hand has no positions.
bool isNumbered(const isa::Module &module) {
  for (const auto &stream : module.streams)
    for (const isa::Instruction &instruction : stream)
      if (instruction.position != 0)
        return true;
  return false;
}

/// Instructions that may write a register, or that open or end a body, are not.
bool isPlain(const isa::Body &body) {
  bool plain = isa::info(isa::opcode(body)).nesting == isa::Nesting::none;
  std::visit(
      [&](const auto &op) {
        isa::forEachOperand(op, [&](std::string_view, const auto &field) {
          plain &=
              !std::is_same_v<std::decay_t<decltype(field)>, isa::Register>;
        });
      },
      body);
  return plain;
}

class Reader {
public:
  Reader(const isa::Module &module, Code &code)
      : module(module), code(code), forms(code.shapes) {}

  std::optional<SyncReport> run() {
    code.module = &module;
    code.numbered = isNumbered(module);
    for (unsigned e = 0; e < isa::numEngines; ++e)
      if (auto wrong = read(e))
        return wrong;
    return std::nullopt;
  }

private:
  std::optional<SyncReport> read(unsigned engine);
  std::optional<SyncReport> readBody(unsigned engine, std::uint32_t index);
  std::optional<SyncReport> claimQueue(unsigned engine, int queue);
  std::optional<SyncReport> checkTokens(unsigned engine,
                                        std::uint32_t index) const;
  void addPatterns(const isa::Body &body, StaticInstruction &entry);
  void addTokens(const isa::Instruction &instruction, StaticInstruction &entry);
  void setShape(const isa::Access &access, Pattern &pattern);
  void openLoop(unsigned engine, std::uint32_t index);
  void closeLoop();
  LoopInfo *innermost() {
    return loops.empty() ? nullptr : &code.loops[loops.back().loop];
  }

  const isa::Module &module;
  Code &code;
  std::array<int, isa::dmaQueues> feeder{-1, -1, -1, -1, -1, -1, -1, -1,
                                         -1, -1, -1, -1, -1, -1, -1, -1};
  std::vector<isa::OperandAccess> operands;
  NormalForms forms;

  // Open bodies of the current stream.
  struct OpenLoop {
    std::uint32_t begin, loop;
    bool inner = true; ///< Holds no other.
  };
  std::vector<OpenLoop> loops;
  std::vector<std::uint32_t> branches;
};

void Reader::setShape(const isa::Access &access, Pattern &pattern) {
  const auto element =
      static_cast<std::int64_t>(isa::sizeInBytes(access.dtype));
  std::array<Shape::Stride, isa::Access::maxDims> strides;
  for (unsigned i = 0; i < access.rank; ++i)
    strides[i] = {access.dims[i].stride * element, access.dims[i].size};
  const auto [base, shape] =
      forms.of(element, std::span(strides).first(access.rank));
  pattern.base = access.offset + base;
  pattern.shape = shape;
}

void Reader::addTokens(const isa::Instruction &instruction,
                       StaticInstruction &entry) {
  const auto here = [&] {
    return static_cast<std::uint32_t>(code.tokens.size());
  };
  entry.firstWait = here();
  for (const isa::Wait &wait : instruction.waits)
    code.tokens.push_back({wait.semaphore, wait.value});
  entry.firstSignal = here();
  for (const isa::Signal &signal : instruction.signals)
    code.tokens.push_back({signal.semaphore, signal.value});
  entry.endSignal = here();
}

void Reader::addPatterns(const isa::Body &body, StaticInstruction &entry) {
  entry.firstPattern = static_cast<std::uint32_t>(code.patterns.size());
  operands.clear();
  isa::collectAccesses(body, operands);
  for (const isa::OperandAccess &operand : operands) {
    const isa::Access &access = *operand.access;
    if (operand.effect == isa::Effect::none || access.totalElements() == 0)
      continue;
    // `access` stays in the module: a pattern refers to it.
    Pattern pattern;
    pattern.access = &access;
    pattern.read = operand.effect != isa::Effect::write;
    pattern.write = operand.effect != isa::Effect::read;
    pattern.anywhere = operand.isIndexed;
    pattern.object = access.tensor;
    entry.moves |= pattern.anywhere || access.numTerms != 0;
    if (access.space == isa::Space::hbm) {
      pattern.memory = 2u + access.tensor;
    } else {
      pattern.memory = access.space == isa::Space::sbuf ? 0 : 1;
      pattern.partition = access.partition;
      pattern.partitionEnd =
          static_cast<std::uint16_t>(access.partition + access.partitions);
    }
    setShape(access, pattern);
    code.patterns.push_back(pattern);
  }
  entry.endPattern = static_cast<std::uint32_t>(code.patterns.size());
}

std::optional<SyncReport> Reader::claimQueue(unsigned engine, int queue) {
  int &owner = feeder[static_cast<std::size_t>(queue)];
  if (owner >= 0 && owner != static_cast<int>(engine))
    return structure(
        fmt::format("DMA queue {} is fed by the streams {} and {}; use one "
                    "queue per stream",
                    queue, isa::engineNames[static_cast<std::size_t>(owner)],
                    isa::engineNames[engine]));
  owner = static_cast<int>(engine);
  return std::nullopt;
}

std::optional<SyncReport> Reader::checkTokens(unsigned engine,
                                              std::uint32_t index) const {
  const isa::Instruction &instruction = module.streams[engine][index];
  for (const isa::Wait &wait : instruction.waits)
    if (wait.semaphore >= isa::numSemaphores)
      return structure(fmt::format("{}[{}] waits for semaphore {} of {}",
                                   isa::engineNames[engine], index,
                                   wait.semaphore, isa::numSemaphores));
  for (const isa::Signal &signal : instruction.signals)
    if (signal.semaphore >= isa::numSemaphores)
      return structure(fmt::format("{}[{}] signals semaphore {} of {}",
                                   isa::engineNames[engine], index,
                                   signal.semaphore, isa::numSemaphores));
  return std::nullopt;
}

void Reader::openLoop(unsigned engine, std::uint32_t index) {
  const auto number = static_cast<std::uint32_t>(code.loops.size());
  const auto [entry, fresh] =
      code.loopAt.try_emplace(code.positionOf(engine, index), number);
  if (fresh) {
    LoopInfo &loop = code.loops.emplace_back();
    if (!loops.empty()) {
      loop.parent = loops.back().loop;
      loop.depth = code.loops[loop.parent].depth + 1;
    }
  }
  if (!loops.empty())
    loops.back().inner = false;
  const auto *body =
      std::get_if<isa::LoopBegin>(&module.streams[engine][index].body);
  const auto *begin =
      body ? std::get_if<std::int32_t>(&body->begin.value) : nullptr;
  const auto *end =
      body ? std::get_if<std::int32_t>(&body->end.value) : nullptr;
  if (begin && end && body->step > 0) {
    const std::int64_t span = std::int64_t{*end} - *begin;
    code.loops[entry->second].most =
        span <= 0
            ? 0
            : static_cast<std::uint64_t>((span + body->step - 1) / body->step);
  }
  loops.push_back({index, entry->second, true});
}

void Reader::closeLoop() {
  // An innermost loop costs little: one more iteration.
  if (loops.back().inner) {
    LoopInfo &loop = *innermost();
    loop.turns = std::max<std::uint64_t>(loop.turns, 3);
  }
  loops.pop_back();
}

std::optional<SyncReport> Reader::readBody(unsigned engine,
                                           std::uint32_t index) {
  const isa::Body &body = module.streams[engine][index].body;
  auto &partner = code.partner[engine];
  const auto pair = [&](std::uint32_t begin) {
    partner[begin] = index;
    partner[index] = begin;
  };
  if (isa::isLoop(body)) {
    openLoop(engine, index);
  } else if (std::holds_alternative<isa::LoopEnd>(body)) {
    if (loops.empty())
      return structure(fmt::format("{}[{}] ends a loop that was not begun",
                                   isa::engineNames[engine], index));
    pair(loops.back().begin);
    closeLoop();
  } else if (std::holds_alternative<isa::If>(body)) {
    branches.push_back(index);
  } else if (isa::info(isa::opcode(body)).nesting != isa::Nesting::none) {
    if (branches.empty())
      return structure(fmt::format("{}[{}] belongs to no if",
                                   isa::engineNames[engine], index));
    pair(branches.back());
    branches.pop_back();
    if (std::holds_alternative<isa::Else>(body))
      branches.push_back(index);
  } else if (const auto *wrap = std::get_if<isa::RegisterWrap>(&body)) {
    // A ring must wrap and meet its first slot again.
    constexpr std::int64_t mostSlots = 4096;
    if (LoopInfo *loop = innermost(); loop && wrap->step != 0) {
      const std::int64_t slots = std::clamp<std::int64_t>(
          (std::int64_t{wrap->end} - wrap->begin) / wrap->step, 0, mostSlots);
      loop->turns =
          std::max(loop->turns, static_cast<std::uint64_t>(slots) + 2);
    }
  }
  return std::nullopt;
}

std::optional<SyncReport> Reader::read(unsigned engine) {
  const auto &stream = module.streams[engine];
  auto &out = code.instructions[engine];
  out.reserve(stream.size());
  code.partner[engine].assign(stream.size(), 0);
  loops.clear();
  branches.clear();
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    const isa::Body &body = stream[i].body;
    StaticInstruction entry;
    entry.executor = static_cast<std::uint8_t>(engine);
    const int queue = isa::queueOf(body).value_or(-1);
    if (queue >= 0 && queue < static_cast<int>(isa::dmaQueues)) {
      entry.executor = static_cast<std::uint8_t>(isa::numEngines +
                                                 static_cast<unsigned>(queue));
      if (auto wrong = claimQueue(engine, queue))
        return wrong;
    }
    entry.isPlain = isPlain(body);
    entry.isWork = isWork(stream[i]);
    entry.position = stream[i].position;
    code.hasMeetings |=
        isa::info(isa::opcode(body)).state == isa::HiddenState::peers;
    addPatterns(body, entry);
    addTokens(stream[i], entry);
    out.push_back(entry);
    LoopInfo *around = innermost();
    ++(around ? around->own : code.outside);
    if (auto wrong = checkTokens(engine, i))
      return wrong;
    if (auto wrong = readBody(engine, i))
      return wrong;
  }
  if (loops.empty() && branches.empty())
    return std::nullopt;
  return structure(fmt::format(
      "{}[{}] begins a body that is not ended", isa::engineNames[engine],
      loops.empty() ? branches.back() : loops.back().begin));
}

} // namespace

bool isWork(const isa::Instruction &instruction) {
  const isa::Body &body = instruction.body;
  return !isa::info(isa::opcode(body)).isControl ||
         std::holds_alternative<isa::RegisterLoad>(body) ||
         std::holds_alternative<isa::RegisterStore>(body) ||
         std::holds_alternative<isa::Semaphore>(body);
}

std::optional<SyncReport> readCode(const isa::Module &module, Code &code) {
  return Reader(module, code).run();
}

} // namespace kiln::problems::checker

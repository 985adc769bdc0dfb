//===- Registers.cpp - Virtual registers of a stream ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <iterator>
#include <queue>
#include <set>

using namespace kiln;
using namespace kiln::compiler;

void VirtualCode::reserve(std::size_t count) {
  instructions.reserve(count);
  registers.reserve(count);
}

isa::Instruction &
VirtualCode::append(isa::Body body,
                    llvm::SmallVector<unsigned, 2> registersOfIt) {
  registers.push_back(std::move(registersOfIt));
  isa::Instruction &instruction = instructions.emplace_back();
  instruction.body = std::move(body);
  return instruction;
}

void VirtualCode::append(VirtualCode code) {
  std::move(code.instructions.begin(), code.instructions.end(),
            std::back_inserter(instructions));
  std::move(code.registers.begin(), code.registers.end(),
            std::back_inserter(registers));
}

namespace {

enum class RegisterUse : std::uint8_t { written, read, places };

/// Calls `visitor(isa::Register &, RegisterUse)` for every register field, in
/// operand order.
template <class Visitor>
void forEachRegister(isa::Body &body, Visitor &&visitor) {
  auto inAccess = [&](isa::Access &access) {
    for (unsigned i = 0; i < access.numTerms; ++i)
      visitor(access.terms[i].reg, RegisterUse::places);
  };
  auto inScalar = [&](isa::ScalarOrTile &scalar) {
    if (auto *access = std::get_if<isa::Access>(&scalar))
      inAccess(*access);
  };
  auto inField = [&](auto &field) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, isa::Register>)
      visitor(field, RegisterUse::written);
    else if constexpr (std::is_same_v<Field, isa::RegisterOrInt>) {
      if (auto *reg = std::get_if<isa::Register>(&field.value))
        visitor(*reg, RegisterUse::read);
    } else if constexpr (std::is_same_v<Field, isa::Access>)
      inAccess(field);
    else if constexpr (std::is_same_v<Field, isa::Optional<isa::Access>>) {
      if (field)
        inAccess(*field);
    } else if constexpr (std::is_same_v<Field, std::vector<isa::Access>>) {
      for (isa::Access &access : field)
        inAccess(access);
    } else if constexpr (std::is_same_v<Field, isa::ScalarOrTile>)
      inScalar(field);
    else if constexpr (std::is_same_v<Field,
                                      isa::Optional<isa::ScalarOrTile>>) {
      if (field)
        inScalar(*field);
    }
  };
  std::visit(
      [&](auto &instruction) {
        isa::forEachOperand(instruction, [&](std::string_view, auto &field) {
          inField(field);
        });
      },
      body);
}

struct Interval {
  unsigned reg;
  size_t begin, end; ///< Instruction indices, both inclusive.
};

/// Loops as spans of instructions, and the innermost one at each definition.
class Liveness {
public:
  explicit Liveness(const VirtualCode &code) {
    findLoops(code);
    std::vector<size_t> stack;
    for (size_t i = 0; i < code.size(); ++i) {
      bool begins = ends.count(i) != 0;
      // The counter, or the condition, lives as long as the loop.
      for (auto [k, reg] : llvm::enumerate(code.registers[i]))
        touch(reg, i, stack, begins && k == 0 ? ends[i] : i);
      if (begins)
        stack.push_back(i);
      else if (!stack.empty() && ends[stack.back()] == i)
        stack.pop_back();
    }
  }

  std::vector<Interval> intervals; ///< By first instruction.

private:
  void findLoops(const VirtualCode &code) {
    std::vector<size_t> open;
    for (size_t i = 0; i < code.size(); ++i) {
      const isa::Body &body = code.instructions[i].body;
      if (isa::isLoop(body))
        open.push_back(i);
      else if (std::holds_alternative<isa::LoopEnd>(body)) {
        ends[open.back()] = i;
        open.pop_back();
      }
    }
  }

  void touch(unsigned reg, size_t at, const std::vector<size_t> &stack,
             size_t until) {
    auto [it, inserted] = known.try_emplace(reg, intervals.size());
    if (inserted) {
      intervals.push_back({reg, at, until});
      depths.push_back(stack.size());
      return;
    }
    // Used in a loop that was entered after the definition: needed in every
    // iteration, so until that loop ends.
    size_t depth = depths[it->second];
    if (stack.size() > depth)
      until = std::max(until, ends[stack[depth]]);
    Interval &interval = intervals[it->second];
    interval.end = std::max(interval.end, until);
  }

  llvm::DenseMap<size_t, size_t> ends; ///< Of a loop: its end_loop.
  llvm::DenseMap<unsigned, size_t> known;
  std::vector<size_t> depths; ///< Loops around the definition.
};

/// Those that hold what a register_load read, or something computed from it:
/// addresses that use them cost time (machine::DataRegisters).
llvm::DenseSet<unsigned> dataRegistersOf(VirtualCode &code) {
  llvm::DenseSet<unsigned> data;
  if (llvm::none_of(code.instructions, [](const isa::Instruction &instruction) {
        return std::holds_alternative<isa::RegisterLoad>(instruction.body);
      }))
    return data;
  for (bool grows = true; grows;) {
    const size_t before = data.size();
    for (auto [instruction, registers] :
         llvm::zip(code.instructions, code.registers)) {
      bool holds = std::holds_alternative<isa::RegisterLoad>(instruction.body);
      llvm::SmallVector<unsigned, 2> written;
      const unsigned *next = registers.begin();
      if (!registers.empty())
        forEachRegister(instruction.body,
                        [&](isa::Register &, RegisterUse use) {
                          if (use == RegisterUse::read)
                            holds |= data.contains(*next);
                          else if (use == RegisterUse::written)
                            written.push_back(*next);
                          ++next;
                        });
      if (holds)
        data.insert(written.begin(), written.end());
    }
    grows = data.size() != before;
  }
  return data;
}

} // namespace

std::optional<RegisterShortage> compiler::assignRegisters(VirtualCode &code) {
  Liveness liveness(code);
  // A counter in a register that held data before would cost as much as data,
  // so counters take the first registers and data the last ones.
  const llvm::DenseSet<unsigned> data = dataRegistersOf(code);
  llvm::DenseMap<unsigned, std::uint8_t> physical;
  std::set<unsigned> available;
  for (unsigned i = 0; i < isa::registersPerEngine; ++i)
    available.insert(i);
  using Busy = std::pair<size_t, unsigned>; // end, physical
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  unsigned missing = 0;
  size_t first = 0;
  for (const Interval &interval : liveness.intervals) {
    while (!busy.empty() && busy.top().first < interval.begin) {
      available.insert(busy.top().second);
      busy.pop();
    }
    if (available.empty()) {
      if (missing++ == 0)
        first = interval.begin;
      continue;
    }
    const auto place = data.contains(interval.reg) ? std::prev(available.end())
                                                   : available.begin();
    const unsigned chosen = *place;
    available.erase(place);
    physical[interval.reg] = static_cast<std::uint8_t>(chosen);
    busy.push({interval.end, chosen});
  }
  if (missing)
    return RegisterShortage{isa::registersPerEngine + missing,
                            code.instructions[first].position};
  for (auto [instruction, registers] :
       llvm::zip(code.instructions, code.registers)) {
    if (registers.empty())
      continue;
    const unsigned *next = registers.begin();
    forEachRegister(instruction.body, [&](isa::Register &reg, RegisterUse) {
      reg.index = physical.lookup(*next++);
    });
  }
  return std::nullopt;
}

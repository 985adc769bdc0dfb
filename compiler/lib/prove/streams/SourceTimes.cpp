//===- SourceTimes.cpp - When the source does a step ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceTimes.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace kiln::problems::checker {

std::size_t SourceTimes::HashOfKey::operator()(const Key &key) const {
  return mix(mix(std::uint64_t{key.parent} << 32 |
                     static_cast<std::uint32_t>(key.loop),
                 static_cast<std::uint64_t>(key.counter)),
             key.origin);
}

/// Each instruction of the program is in one stream, once.
std::optional<SyncReport> SourceTimes::count() const {
  std::vector<std::uint8_t> found(order.numbers.size(), 0);
  for (const auto &stream : trace.code->instructions)
    for (const StaticInstruction &instruction : stream)
      if (instruction.position < found.size() && instruction.isWork &&
          found[instruction.position] < 2)
        ++found[instruction.position];
  for (std::size_t position = 0; position < found.size(); ++position)
    if (order.isWork[position] && found[position] != 1)
      return SyncReport{
          SyncReport::Kind::structure,
          fmt::format("the instruction at position {} is in {} stream",
                      position, found[position] == 0 ? "no" : "more than one"),
          {}};
  return std::nullopt;
}

std::optional<std::uint32_t>
SourceTimes::iterationOf(std::int32_t number, std::uint32_t frame,
                         const std::vector<SourceOrder::Turn> &turns) {
  std::vector<std::int32_t> chain;
  for (std::int32_t loop = order.parents[static_cast<std::size_t>(number)];
       loop != SourceOrder::none;
       loop = order.parents[static_cast<std::size_t>(loop)])
    chain.push_back(loop);
  std::uint32_t at = 0;
  for (std::size_t i = chain.size(); i-- > 0;) {
    const std::int32_t loop = chain[i];
    std::optional<std::int64_t> counter;
    std::uint32_t origin = 0;
    for (std::uint32_t f = frame; f != 0 && !counter;
         f = trace.frames[f].parent)
      if (numberAt(trace.frames[f].loopPosition) == loop) {
        counter = trace.frames[f].counter;
        origin = trace.frames[f].origin;
      }
    for (const SourceOrder::Turn &turn : turns)
      if (turn.loop == loop && (turn.absolute || counter)) {
        counter = turn.value + (turn.absolute ? 0 : *counter);
        origin = turn.absolute ? 0 : origin;
      }
    if (!counter) {
      const auto known = order.loops.find(loop);
      if (known == order.loops.end() || !known->second.isOpen)
        return std::nullopt;
      counter = known->second.begin;
    }
    const auto [entry, fresh] =
        numberOf.try_emplace(Key{at, loop, *counter, origin},
                             static_cast<std::uint32_t>(iterations.size()));
    if (fresh)
      iterations.push_back(
          {at, iterations[at].depth + 1, loop, *counter, origin});
    at = entry->second;
  }
  return at;
}

std::optional<SyncReport> SourceTimes::run() {
  if (auto wrong = count())
    return wrong;
  times.resize(trace.steps.size());
  // Instructions of one loop that stand in one frame are of one iteration.
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> known;
  for (std::uint32_t id = 0; id < trace.steps.size(); ++id) {
    const Step &step = trace.steps[id];
    const StaticInstruction &entry = trace.entry(step);
    if (entry.firstPattern == entry.endPattern)
      continue;
    const std::uint32_t position = entry.position;
    const std::int32_t number = numberAt(position);
    const auto fail = [&](const char *text) {
      return SyncReport{
          SyncReport::Kind::structure,
          fmt::format(
              "it is not known for which {} of the source {} accesses memory",
              text, describe(trace, step)),
          {party(trace, step)}};
    };
    if (number < 0 || number >= static_cast<std::int32_t>(order.parents.size()))
      return fail("operation");
    const std::int32_t loop = order.parents[static_cast<std::size_t>(number)];
    const auto turned = order.turns.find(position);
    if (turned == order.turns.end()) {
      if (loop == SourceOrder::none) {
        times[id] = {0, number};
        continue;
      }
      if (auto found = known.find({step.frame, loop}); found != known.end()) {
        times[id] = {found->second, number};
        continue;
      }
    }
    const auto iteration = iterationOf(number, step.frame,
                                       turned == order.turns.end()
                                           ? std::vector<SourceOrder::Turn>()
                                           : turned->second);
    if (!iteration)
      return fail("iterations");
    times[id] = {*iteration, number};
    if (turned == order.turns.end())
      known.emplace(std::pair(step.frame, loop), *iteration);
  }
  return std::nullopt;
}

bool SourceTimes::isLater(std::uint32_t first, std::uint32_t second) const {
  std::uint32_t a = times[first].iteration, b = times[second].iteration;
  std::int32_t atA = times[first].number, atB = times[second].number;
  if (a == b)
    return atA > atB;
  std::int64_t counterA = 0, counterB = 0;
  std::uint32_t originA = 0, originB = 0;
  const auto leave = [&](std::uint32_t &iteration, std::int32_t &at,
                         std::int64_t &counter, std::uint32_t &origin) {
    at = iterations[iteration].loop;
    origin = iterations[iteration].origin;
    counter = iterations[iteration].counter;
    iteration = iterations[iteration].parent;
  };
  while (iterations[a].depth > iterations[b].depth)
    leave(a, atA, counterA, originA);
  while (iterations[b].depth > iterations[a].depth)
    leave(b, atB, counterB, originB);
  while (a != b) {
    leave(a, atA, counterA, originA);
    leave(b, atB, counterB, originB);
  }
  if (atA == atB && originA != originB)
    return false;
  return std::tie(atA, counterA) > std::tie(atB, counterB);
}

} // namespace kiln::problems::checker

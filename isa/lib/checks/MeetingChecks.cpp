//===- MeetingChecks.cpp - Do two cores come to the same meetings? --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both cores were recorded from one kernel, but an `if` on program_id() may
// have given them different barriers and exchanges. What is known before the
// run is compared here; the executor reports the rest.
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/callers.h"
#include "kiln/isa/checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kiln::isa {
namespace {

/// Where meetings of one kind take place: barriers, or a pipe.
constexpr std::int64_t barriers = -1;

struct Meetings {
  std::map<std::int64_t, std::vector<const Instruction *>> at;
  bool complete = true; ///< All of them are known.
};

/// No more than this are compared.
constexpr std::size_t mostMeetings = 1u << 14;

class MeetingCollector {
public:
  explicit MeetingCollector(const Module &module) : module(module) {}

  Meetings collect() {
    // Each stream has its own; within a kind, one stream has all of them or
    // their order is that of their positions.
    for (const auto &stream : module.streams)
      play(stream, 0, stream.size());
    for (auto &[place, list] : found.at)
      if (severalStreams(list))
        found.complete = false;
    return std::move(found);
  }

private:
  bool severalStreams(const std::vector<const Instruction *> &list) const {
    auto streamOf = [&](const Instruction *instruction) {
      for (std::size_t i = 0; i < numEngines; ++i)
        if (!module.streams[i].empty() &&
            instruction >= &module.streams[i].front() &&
            instruction <= &module.streams[i].back())
          return i;
      return numEngines;
    };
    return std::any_of(list.begin(), list.end(), [&](const Instruction *other) {
      return streamOf(other) != streamOf(list.front());
    });
  }

  static std::size_t closeOf(const std::vector<Instruction> &stream,
                             std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < stream.size(); ++i) {
      const Nesting nesting = info(opcode(stream[i].body)).nesting;
      depth += nesting == Nesting::opens;
      if (nesting == Nesting::closes && --depth == 0)
        return i;
    }
    return stream.size();
  }

  static bool hasMeeting(const std::vector<Instruction> &stream,
                         std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (isOneOf<CoreBarrier, Sendrecv>(stream[i].body))
        return true;
    return false;
  }

  /// False: the rest is not known.
  bool play(const std::vector<Instruction> &stream, std::size_t begin,
            std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Body &body = stream[i].body;
      if (std::holds_alternative<CoreBarrier>(body))
        add(barriers, stream[i]);
      else if (const auto *exchange = std::get_if<Sendrecv>(&body))
        add(exchange->pipe_id, stream[i]);
      if (!found.complete)
        return false;
      if (info(opcode(body)).nesting != Nesting::opens)
        continue;
      const std::size_t close = closeOf(stream, i);
      if (hasMeeting(stream, i, close) && !repeat(stream, i, close))
        return found.complete = false;
      i = close;
    }
    return true;
  }

  bool repeat(const std::vector<Instruction> &stream, std::size_t open,
              std::size_t close) {
    const auto *loop = std::get_if<LoopBegin>(&stream[open].body);
    if (!loop || loop->step < 1)
      return false;
    const auto *first = std::get_if<std::int32_t>(&loop->begin.value);
    const auto *last = std::get_if<std::int32_t>(&loop->end.value);
    if (!first || !last)
      return false;
    for (std::int64_t i = *first; i < *last; i += loop->step)
      if (!play(stream, open + 1, close))
        return false;
    return true;
  }

  void add(std::int64_t place, const Instruction &instruction) {
    if (++count > mostMeetings)
      found.complete = false;
    else
      found.at[place].push_back(&instruction);
  }

  const Module &module;
  Meetings found;
  std::size_t count = 0;
};

class Comparison {
public:
  explicit Comparison(std::span<const Module> cores)
      : cores(cores), first(MeetingCollector(cores[0]).collect()),
        second(MeetingCollector(cores[1]).collect()) {}

  std::optional<Diagnostic> run() {
    if (!first.complete || !second.complete)
      return std::nullopt;
    for (const auto &[place, list] : second.at)
      first.at.try_emplace(place);
    for (const auto &[place, list] : first.at)
      if (auto wrong = compare(list, second.at[place]))
        return wrong;
    return std::nullopt;
  }

private:
  using List = std::vector<const Instruction *>;

  std::optional<Diagnostic> compare(const List &a, const List &b) const {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= a.size())
        return lonely(1, *b[i], i);
      if (i >= b.size())
        return lonely(0, *a[i], i);
      if (std::string why = difference(*a[i], *b[i]); !why.empty())
        return report(
            0, *a[i],
            fmt::format("{} number {} of core 0 meets that of core 1 at {}, "
                        "but {}",
                        mnemonic(opcode(a[i]->body)), i + 1, place(1, *b[i]),
                        why));
    }
    return std::nullopt;
  }

  std::string difference(const Instruction &a, const Instruction &b) const {
    if (const auto *left = std::get_if<CoreBarrier>(&a.body)) {
      const auto &right = std::get<CoreBarrier>(b.body);
      const std::string &from = cores[0].tensors[left->data.tensor].name;
      const std::string &to = cores[1].tensors[right.data.tensor].name;
      return from == to
                 ? ""
                 : fmt::format("one publishes {} and the other {}", from, to);
    }
    const auto &left = std::get<Sendrecv>(a.body);
    const auto &right = std::get<Sendrecv>(b.body);
    if (left.src.dtype != right.src.dtype ||
        left.src.partitions != right.src.partitions ||
        left.src.elements() != right.src.elements())
      return fmt::format(
          "one moves [{}, {}] of {} and the other [{}, {}] of {}",
          left.src.partitions, left.src.elements(), name(left.src.dtype),
          right.src.partitions, right.src.elements(), name(right.src.dtype));
    if ((left.send_to_rank == 1) != (right.recv_from_rank == 0) ||
        (right.send_to_rank == 0) != (left.recv_from_rank == 1))
      return fmt::format("core 0 sends to {} and receives from {}, and core 1 "
                         "sends to {} and receives from {}",
                         left.send_to_rank, left.recv_from_rank,
                         right.send_to_rank, right.recv_from_rank);
    return "";
  }

  std::optional<Diagnostic> lonely(unsigned core, const Instruction &one,
                                   std::size_t number) const {
    // The last meeting of both shows where they diverge.
    const Meetings &others = core == 0 ? second : first;
    const auto *exchange = std::get_if<Sendrecv>(&one.body);
    const auto found =
        others.at.find(exchange ? std::int64_t{exchange->pipe_id} : barriers);
    const bool none = found == others.at.end() || found->second.empty();
    return report(
        core, one,
        fmt::format(
            "{} number {} of core {} has no counterpart: core {} has {}",
            mnemonic(opcode(one.body)), number + 1, core, 1 - core,
            none ? "none"
                 : fmt::format("{}, the last at {}", number,
                               place(1 - core, *found->second.back()))));
  }

  std::string place(unsigned core, const Instruction &instruction) const {
    if (instruction.location == 0 ||
        instruction.location >= cores[core].locations.size())
      return "an unknown line";
    const SourceLocation &where = cores[core].locations[instruction.location];
    return fmt::format("{}:{}", where.file, where.line);
  }

  Diagnostic report(unsigned core, const Instruction &instruction,
                    std::string text) const {
    Diagnostic result{"KILN-I085", std::move(text), {}, 0, 0, {}};
    if (instruction.location < cores[core].locations.size()) {
      const SourceLocation &where = cores[core].locations[instruction.location];
      result.file = where.file;
      result.line = where.line;
      result.column = where.column;
      tellCalls(cores[core], instruction.location, result);
    }
    return result;
  }

  std::span<const Module> cores;
  Meetings first, second;
};

} // namespace

std::optional<Diagnostic> checkMeetings(std::span<const Module> cores) {
  if (cores.size() < 2)
    return std::nullopt;
  return Comparison(cores).run();
}

} // namespace kiln::isa

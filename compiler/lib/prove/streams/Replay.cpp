//===- Replay.cpp - Matches tokens, carries clocks ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "kiln/isa/limits.h"

#include <algorithm>
#include <fmt/format.h>

namespace kiln::problems::checker {
namespace {

/// All signals of one semaphore by one executor, in its order.
struct Giver {
  std::uint8_t executor;
  std::uint64_t planned = 0; ///< Over the whole play.
  std::size_t signals = 0;   ///< The same, counted.
  struct Gift {
    std::uint64_t upTo; ///< Sum of values so far.
    std::uint32_t step;
  };
  std::vector<Gift> gifts;

  std::uint64_t given() const { return gifts.empty() ? 0 : gifts.back().upTo; }
};

struct Counter {
  std::uint64_t level = 0;
  std::array<std::uint64_t, isa::numEngines> taken{};
  std::vector<Giver> givers;

  Giver &giver(std::uint8_t executor) {
    for (Giver &entry : givers)
      if (entry.executor == executor)
        return entry;
    givers.push_back({executor, 0, 0, {}});
    return givers.back();
  }
};

class Replay {
public:
  explicit Replay(Trace &trace) : trace(trace) {}

  std::optional<SyncReport> run() {
    for (const Step &step : trace.steps)
      for (const Token &signal : signalsOf(step)) {
        Giver &giver = counters[signal.semaphore].giver(step.executor);
        giver.planned += signal.value;
        ++giver.signals;
      }
    for (Counter &counter : counters)
      for (Giver &giver : counter.givers)
        giver.gifts.reserve(giver.signals);
    trace.clocks.resize(trace.steps.size());
    std::array<std::size_t, isa::numEngines> next{};
    bool moved = true;
    while (moved) {
      moved = false;
      for (unsigned e = 0; e < isa::numEngines; ++e)
        while (next[e] < trace.streams[e].size()) {
          std::uint32_t id = trace.streams[e][next[e]];
          if (!canIssue(trace.steps[id]))
            break;
          if (auto wrong = issue(id))
            return wrong;
          ++next[e];
          moved = true;
        }
    }
    return finish(next);
  }

private:
  std::span<const Token> waitsOf(const Step &step) const {
    return trace.code->waitsOf(trace.entry(step));
  }
  std::span<const Token> signalsOf(const Step &step) const {
    return trace.code->signalsOf(trace.entry(step));
  }

  bool canIssue(const Step &step) const {
    for (const Token &wait : waitsOf(step))
      if (counters[wait.semaphore].level < wait.value)
        return false;
    return true;
  }

  void join(VectorClock &into, const Step &from) const {
    const VectorClock &clock = trace.clockOf(from);
    for (unsigned x = 0; x < numExecutors; ++x)
      into[x] = std::max(into[x], clock[x]);
    into[from.executor] = std::max(into[from.executor], from.number);
  }

  std::optional<SyncReport> issue(std::uint32_t id) {
    Step &step = trace.steps[id];
    VectorClock &clock = clocks[step.engine];
    for (const Token &wait : waitsOf(step)) {
      Counter &counter = counters[wait.semaphore];
      counter.level -= wait.value;
      counter.taken[step.engine] += wait.value;
      // This wait needed `taken` tokens in all. A producer must have given
      // those that the others cannot have given by now: the tokens of the
      // stream itself are known exactly, and the other streams could be as far
      // ahead as their end.
      std::uint64_t most = 0;
      auto bound = [&](const Giver &giver) {
        return giver.executor == step.engine ? giver.given() : giver.planned;
      };
      for (const Giver &giver : counter.givers)
        most += bound(giver);
      for (const Giver &giver : counter.givers) {
        std::uint64_t others = most - bound(giver);
        if (counter.taken[step.engine] <= others)
          continue;
        std::uint64_t need = counter.taken[step.engine] - others;
        auto gift = std::lower_bound(
            giver.gifts.begin(), giver.gifts.end(), need,
            [](const Giver::Gift &g, std::uint64_t n) { return g.upTo < n; });
        if (gift != giver.gifts.end())
          join(clock, trace.steps[gift->step]);
      }
    }
    step.number = ++counts[step.executor];
    trace.clocks[id] = clock;
    for (const Token &signal : signalsOf(step)) {
      Counter &counter = counters[signal.semaphore];
      Giver &giver = counter.giver(step.executor);
      giver.gifts.push_back({giver.given() + signal.value, id});
      counter.level += signal.value;
      if (counter.level > isa::maxTokens)
        return SyncReport{SyncReport::Kind::imbalance,
                          fmt::format("semaphore {} passes {} at {}",
                                      signal.semaphore, isa::maxTokens,
                                      describe(trace, step)),
                          {party(trace, step)}};
    }
    return std::nullopt;
  }

  std::optional<SyncReport>
  finish(const std::array<std::size_t, isa::numEngines> &next) const {
    SyncReport report;
    for (unsigned e = 0; e < isa::numEngines; ++e) {
      if (next[e] == trace.streams[e].size())
        continue;
      const Step &step = trace.steps[trace.streams[e][next[e]]];
      for (const Token &wait : waitsOf(step))
        if (counters[wait.semaphore].level < wait.value)
          report.text += fmt::format(
              "{}{} waits for semaphore {} >= {}, which holds {}",
              report.text.empty() ? "deadlock: " : "; ", describe(trace, step),
              wait.semaphore, wait.value, counters[wait.semaphore].level);
      report.parties.push_back(party(trace, step));
    }
    if (!report.parties.empty()) {
      report.kind = SyncReport::Kind::deadlock;
      return report;
    }
    for (std::size_t s = 0; s < counters.size(); ++s)
      if (counters[s].level != 0) {
        report.kind = SyncReport::Kind::imbalance;
        report.text = fmt::format("semaphore {} ends at {}; every token that "
                                  "is signalled must be taken",
                                  s, counters[s].level);
        return report;
      }
    return std::nullopt;
  }

  Trace &trace;
  std::array<Counter, isa::numSemaphores> counters;
  std::array<VectorClock, isa::numEngines> clocks{};
  std::array<std::uint32_t, numExecutors> counts{};
};

} // namespace

std::optional<SyncReport> replay(Trace &trace) { return Replay(trace).run(); }

} // namespace kiln::problems::checker

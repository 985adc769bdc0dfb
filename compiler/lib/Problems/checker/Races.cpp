//===- Races.cpp - Conflicting accesses in sequential order ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the steps in the order of the sequential program and keeps, per
// memory and bin of bytes, what may still conflict. Each conflicting pair must
// be ordered by clocks. Overlap is decided by halving: the pattern that spans
// more is cut along its largest stride until one range of bytes meets another.
//
//===----------------------------------------------------------------------===//

#include "checker/Trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace kiln::problems::checker {
namespace {

/// A pattern at an address, from dimension `depth` on.
struct Piece {
  const Pattern *pattern;
  std::int64_t address;
  std::size_t depth = 0;
  std::int64_t extent;

  bool solid() const { return depth == pattern->strides.size(); }
};

bool meet(const Piece &a, const Piece &b) {
  if (a.address >= b.address + b.extent || b.address >= a.address + a.extent)
    return false;
  if (a.solid() && b.solid())
    return true;
  bool cutA = !a.solid() && (b.solid() || a.extent >= b.extent);
  const Piece &whole = cutA ? a : b, &other = cutA ? b : a;
  const Pattern::Stride &stride = whole.pattern->strides[whole.depth];
  std::int64_t inner = whole.extent - stride.bytes * (stride.count - 1);
  // Slices that can reach the other piece.
  std::int64_t low = other.address - whole.address - inner + 1;
  std::int64_t high = other.address + other.extent - whole.address - 1;
  std::int64_t first = low <= 0 ? 0 : (low + stride.bytes - 1) / stride.bytes;
  std::int64_t last = std::min(stride.count - 1, high / stride.bytes);
  for (std::int64_t i = first; i <= last; ++i)
    if (meet({whole.pattern, whole.address + i * stride.bytes, whole.depth + 1,
              inner},
             other))
      return true;
  return false;
}

class Races {
public:
  explicit Races(Trace &trace) : trace(trace) {}

  std::optional<SyncReport> run() {
    prepareBins();
    std::vector<std::uint32_t> order;
    order.reserve(trace.steps.size());
    if (trace.numbered)
      sequence(order);
    else
      sequenceByClock(order);
    for (std::uint32_t id : order)
      if (auto wrong = visit(id))
        return wrong;
    return std::nullopt;
  }

private:
  struct Record {
    std::uint32_t step;
    std::uint32_t pattern;
    std::int64_t address;
    std::int64_t end;
    bool unknown = false;
    bool gone = false;
  };
  struct Memory {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    std::int64_t sum = 0, count = 0, bin = 64;
    std::vector<std::vector<std::uint32_t>> bins;
  };

  bool isUnknown(const Step &step, std::uint32_t k) const {
    return trace.addresses[step.firstAddress + k] == unknownAddress;
  }
  /// Address range of one access of a step; everything if it is unknown.
  std::pair<std::int64_t, std::int64_t> range(const Step &step,
                                              std::uint32_t k) const {
    const Pattern &pattern = trace.patterns[first(step) + k];
    if (isUnknown(step, k)) {
      if (pattern.memory < 2)
        return {0, std::int64_t{1} << 18};
      const auto &tensors = trace.module->tensors;
      std::size_t tensor = pattern.memory - 2;
      return {
          0, tensor < tensors.size()
                 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(
                                                 tensors[tensor].sizeInBytes()))
                 : 1};
    }
    std::int64_t address = trace.addresses[step.firstAddress + k];
    return {address, address + pattern.extent};
  }
  std::uint32_t first(const Step &step) const {
    return trace.instructions[step.engine][step.instruction].firstPattern;
  }
  std::uint32_t count(const Step &step) const {
    const StaticInstruction &entry =
        trace.instructions[step.engine][step.instruction];
    return entry.endPattern - entry.firstPattern;
  }

  void prepareBins() {
    for (const Step &step : trace.steps)
      for (std::uint32_t k = 0; k < count(step); ++k) {
        std::uint32_t memory = trace.patterns[first(step) + k].memory;
        if (memory >= memories.size())
          memories.resize(memory + 1);
        Memory &entry = memories[memory];
        auto [low, high] = range(step, k);
        entry.low = std::min(entry.low, low);
        entry.high = std::max(entry.high, high);
        entry.sum += high - low;
        ++entry.count;
      }
    for (Memory &memory : memories) {
      if (memory.count == 0)
        continue;
      std::int64_t span = memory.high - memory.low;
      memory.bin = std::max(
          {std::int64_t{64}, memory.sum / memory.count, span / 65536 + 1});
      memory.bins.resize(static_cast<std::size_t>(span / memory.bin) + 1);
    }
  }

  /// Frames and their steps by position and iteration.
  void sequence(std::vector<std::uint32_t> &order) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    for (Frame &frame : trace.frames)
      std::sort(frame.items.begin(), frame.items.end(),
                [](const Frame::Item &a, const Frame::Item &b) {
                  return std::tuple(a.position, a.iteration, a.index) <
                         std::tuple(b.position, b.iteration, b.index);
                });
    while (!stack.empty()) {
      auto &[frame, next] = stack.back();
      if (next == trace.frames[frame].items.size()) {
        stack.pop_back();
        continue;
      }
      const Frame::Item &item = trace.frames[frame].items[next++];
      if (item.frame)
        stack.push_back({item.index, 0});
      else
        order.push_back(item.index);
    }
  }

  /// What happens before a step stands before it: it knows less.
  void sequenceByClock(std::vector<std::uint32_t> &order) {
    std::vector<
        std::tuple<std::uint64_t, std::uint8_t, std::uint32_t, std::uint32_t>>
        keys;
    keys.reserve(trace.steps.size());
    for (std::uint32_t id = 0; id < trace.steps.size(); ++id) {
      const Step &step = trace.steps[id];
      keys.emplace_back(std::accumulate(step.clock.begin(), step.clock.end(),
                                        std::uint64_t{0}),
                        step.executor, step.number, id);
    }
    std::sort(keys.begin(), keys.end());
    for (const auto &key : keys)
      order.push_back(std::get<3>(key));
  }

  bool ordered(const Step &before, const Step &after) const {
    if (before.executor == after.executor && before.executor < isa::numEngines)
      return before.number < after.number;
    return after.clock[before.executor] >= before.number;
  }

  bool overlap(const Record &a, const Record &b) {
    const Pattern &p = trace.patterns[a.pattern],
                  &q = trace.patterns[b.pattern];
    if (p.partition >= q.partitionEnd || q.partition >= p.partitionEnd)
      return false;
    if (a.unknown || b.unknown)
      return a.address < b.end && b.address < a.end;
    if (p.strides.empty() && q.strides.empty())
      return a.address < b.end && b.address < a.end;
    std::uint64_t pair =
        (std::uint64_t{a.pattern} << 32) | std::uint64_t{b.pattern};
    auto [entry, fresh] = met[pair].try_emplace(b.address - a.address, false);
    if (fresh)
      entry->second =
          meet({&p, a.address, 0, p.extent}, {&q, b.address, 0, q.extent});
    return entry->second;
  }

  std::optional<SyncReport> visit(std::uint32_t id) {
    const Step &step = trace.steps[id];
    std::size_t start = records.size();
    for (std::uint32_t k = 0; k < count(step); ++k) {
      auto [low, high] = range(step, k);
      records.push_back({id, first(step) + k, low, high, isUnknown(step, k)});
    }
    for (std::size_t r = start; r < records.size(); ++r)
      if (auto wrong = enter(static_cast<std::uint32_t>(r)))
        return wrong;
    return std::nullopt;
  }

  std::optional<SyncReport> enter(std::uint32_t index) {
    const Record &record = records[index];
    const Step &step = trace.steps[record.step];
    const Pattern &pattern = trace.patterns[record.pattern];
    Memory &memory = memories[pattern.memory];
    std::size_t firstBin =
        static_cast<std::size_t>((record.address - memory.low) / memory.bin);
    std::size_t lastBin =
        static_cast<std::size_t>((record.end - 1 - memory.low) / memory.bin);
    for (std::size_t b = firstBin; b <= lastBin; ++b) {
      std::vector<std::uint32_t> &bin = memory.bins[b];
      std::size_t kept = 0;
      for (std::uint32_t otherIndex : bin) {
        Record &old = records[otherIndex];
        if (old.gone)
          continue;
        bin[kept++] = otherIndex;
        const Pattern &was = trace.patterns[old.pattern];
        const Step &before = trace.steps[old.step];
        if (old.step == record.step)
          continue;
        if ((pattern.write || was.write) && !ordered(before, step) &&
            overlap(old, record))
          return report(old, record);
        if (replaces(record, old)) {
          old.gone = true;
          --kept;
        }
      }
      bin.resize(kept);
      bin.push_back(index);
    }
    return std::nullopt;
  }

  /// Whoever conflicts with `old` later also conflicts with `fresh`, and what
  /// comes after `fresh` comes after `old`.
  bool replaces(const Record &fresh, const Record &old) const {
    const Pattern &p = trace.patterns[fresh.pattern];
    const Pattern &q = trace.patterns[old.pattern];
    const Step &x = trace.steps[fresh.step], &y = trace.steps[old.step];
    if (fresh.unknown || old.unknown)
      return false;
    if (!(p.write || (!q.write && x.executor == y.executor)))
      return false;
    if (fresh.pattern == old.pattern && fresh.address == old.address)
      return true;
    return p.strides.empty() && p.partition <= q.partition &&
           q.partitionEnd <= p.partitionEnd && fresh.address <= old.address &&
           old.end <= fresh.end;
  }

  SyncReport report(const Record &old, const Record &fresh) const {
    const Step &before = trace.steps[old.step],
               &after = trace.steps[fresh.step];
    const Pattern &p = trace.patterns[old.pattern];
    const Pattern &q = trace.patterns[fresh.pattern];
    bool reversed = ordered(after, before);
    auto verb = [](const Pattern &pattern) {
      return pattern.write ? pattern.read ? "updates" : "writes" : "reads";
    };
    std::string where;
    if (q.memory < 2)
      where = fmt::format(
          "{} partitions [{}, {}) bytes [{}, {})",
          q.memory == 0 ? "sbuf" : "psum", std::max(p.partition, q.partition),
          std::min(p.partitionEnd, q.partitionEnd),
          std::max(old.address, fresh.address), std::min(old.end, fresh.end));
    else
      where = fmt::format("tensor {} bytes [{}, {})",
                          q.memory - 2 < trace.module->tensors.size()
                              ? trace.module->tensors[q.memory - 2].name
                              : std::to_string(q.memory - 2),
                          std::max(old.address, fresh.address),
                          std::min(old.end, fresh.end));
    return {
        reversed ? SyncReport::Kind::wrongOrder : SyncReport::Kind::unordered,
        fmt::format("{} {} and {} {} {}; {}", describe(trace, before), verb(p),
                    describe(trace, after), verb(q), where,
                    reversed ? "the second is done before the first, against "
                               "the program"
                             : "no semaphore makes the second wait for the "
                               "first"),
        {party(trace, before), party(trace, after)}};
  }

  Trace &trace;
  std::vector<Memory> memories;
  std::vector<Record> records;
  std::unordered_map<std::uint64_t, std::unordered_map<std::int64_t, bool>> met;
};

} // namespace

std::optional<SyncReport> findRaces(Trace &trace) { return Races(trace).run(); }

} // namespace kiln::problems::checker

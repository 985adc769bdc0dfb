//===- Promises.cpp - Is the order that the user asked for kept? ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places and engines follow from the text of the streams: instructions never
// change their loop, so the text of a stream is the order of each iteration.
// Edges are looked up in the clocks of the replay.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <unordered_map>

namespace kiln::problems::checker {
namespace {

class PromiseChecker {
public:
  PromiseChecker(const Trace &trace, const OrderPromises &promises)
      : trace(trace), promises(promises) {}

  std::optional<SyncReport> run() {
    if (auto wrong = checkStreams())
      return wrong;
    if (auto wrong = checkPlaces())
      return wrong;
    if (auto wrong = checkMeetings())
      return wrong;
    return checkEdges();
  }

private:
  SyncReport report(std::string text) const {
    return {SyncReport::Kind::promise, std::move(text), {}};
  }
  /// An instruction outside of any iteration.
  std::string name(unsigned engine, std::uint32_t index) const {
    Step step;
    step.engine = static_cast<std::uint8_t>(engine);
    step.instruction = index;
    return describe(trace, step);
  }

  std::optional<SyncReport> checkStreams() const {
    std::unordered_map<std::uint32_t, isa::Engine> wanted;
    for (const OrderPromises::Stream &stream : promises.streams)
      wanted.emplace(stream.position, stream.engine);
    if (wanted.empty())
      return std::nullopt;
    for (unsigned e = 0; e < isa::numEngines; ++e)
      for (std::uint32_t i = 0; i < trace.module().streams[e].size(); ++i) {
        const isa::Instruction &at = trace.module().streams[e][i];
        auto found = wanted.find(at.position);
        if (found != wanted.end() && isWork(at) &&
            found->second != static_cast<isa::Engine>(e))
          return report(fmt::format("{} was promised to the stream of {}",
                                    name(e, i), isa::name(found->second)));
      }
    return std::nullopt;
  }

  std::optional<SyncReport> checkPlaces() const {
    std::unordered_map<std::uint32_t, const OrderPromises::Place *> at;
    for (const OrderPromises::Place &place : promises.places)
      at.emplace(place.position, &place);
    if (at.empty())
      return std::nullopt;
    struct Last {
      std::int64_t place;
      std::uint32_t index;
    };
    for (unsigned e = 0; e < isa::numEngines; ++e) {
      std::unordered_map<std::int64_t, Last> last;
      for (std::uint32_t i = 0; i < trace.module().streams[e].size(); ++i) {
        const isa::Instruction &instruction = trace.module().streams[e][i];
        auto found = at.find(instruction.position);
        if (found == at.end() || !isWork(instruction))
          continue;
        const OrderPromises::Place &place = *found->second;
        auto [entry, fresh] =
            last.try_emplace(place.scope, Last{place.place, i});
        if (!fresh && entry->second.place > place.place)
          return report(fmt::format(
              "{} precedes {}, against the order of their no_reorder",
              name(e, entry->second.index), name(e, i)));
        entry->second = {place.place, i};
      }
    }
    return std::nullopt;
  }

  /// Instructions that meet other cores and ranks start in the order of the
  /// program: in a stream by its place, from stream to stream when the one
  /// before is complete.
  std::optional<SyncReport> checkMeetings() const {
    std::vector<const Step *> meetings;
    if (trace.code->hasMeetings)
      addMeetings(0, meetings);
    for (std::size_t i = 1; i < meetings.size(); ++i) {
      const Step &before = *meetings[i - 1], &after = *meetings[i];
      const bool inOrder = before.engine == after.engine
                               ? &before < &after // A stream runs in order.
                               : trace.complete(before, after);
      if (!inOrder)
        return SyncReport{SyncReport::Kind::promise,
                          fmt::format("{} may meet its peers before {}, "
                                      "against the order of the program",
                                      describe(trace, after),
                                      describe(trace, before)),
                          {party(trace, before), party(trace, after)}};
    }
    return std::nullopt;
  }

  static bool meets(const isa::Instruction &instruction) {
    return isa::info(isa::opcode(instruction.body)).state ==
           isa::HiddenState::peers;
  }

  /// The meetings in `frame`, in sequential order.
  void addMeetings(std::uint32_t frame,
                   std::vector<const Step *> &meetings) const {
    std::vector<Frame::Item> items = trace.frames[frame].items;
    std::sort(items.begin(), items.end(), [](const auto &a, const auto &b) {
      return std::tuple(a.position, a.iteration, a.index) <
             std::tuple(b.position, b.iteration, b.index);
    });
    for (const Frame::Item &item : items) {
      if (item.frame) {
        addMeetings(item.index, meetings);
        continue;
      }
      const Step &step = trace.steps[item.index];
      if (meets(trace.instruction(step)))
        meetings.push_back(&step);
    }
  }

  /// The frames around `frame`, the outermost first.
  std::vector<std::uint32_t> around(std::uint32_t frame) const {
    std::vector<std::uint32_t> chain;
    for (; frame != 0; frame = trace.frames[frame].parent)
      chain.push_back(frame);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }
  /// Loops that are around both.
  std::size_t commonDepth(const std::vector<std::uint32_t> &a,
                          const std::vector<std::uint32_t> &b) const {
    std::size_t depth = 0;
    while (depth < a.size() && depth < b.size() &&
           trace.frames[a[depth]].loopPosition ==
               trace.frames[b[depth]].loopPosition)
      ++depth;
    return depth;
  }

  std::optional<SyncReport> checkEdges() const {
    if (promises.edges.empty())
      return std::nullopt;
    std::unordered_map<std::uint32_t, std::int64_t> labelAt;
    for (const OrderPromises::Label &label : promises.labels)
      labelAt.emplace(label.position, label.label);
    std::unordered_map<std::int64_t, std::vector<const Step *>> steps;
    for (const Step &step : trace.steps) {
      const isa::Instruction &instruction = trace.instruction(step);
      if (auto found = labelAt.find(instruction.position);
          found != labelAt.end())
        steps[found->second].push_back(&step);
    }
    for (const OrderPromises::Edge &edge : promises.edges)
      if (auto wrong = checkEdge(steps[edge.earlier], steps[edge.later]))
        return wrong;
    return std::nullopt;
  }

  std::optional<SyncReport>
  checkEdge(const std::vector<const Step *> &earlier,
            const std::vector<const Step *> &later) const {
    if (earlier.empty() || later.empty())
      return std::nullopt; // A loop without a trip, or emission refused it.
    std::size_t depth = ~std::size_t{0};
    for (const Step *a : earlier)
      depth = std::min(
          depth, commonDepth(around(a->frame), around(later.front()->frame)));
    auto frameOf = [&](const Step &step) {
      std::vector<std::uint32_t> chain = around(step.frame);
      return depth == 0 ? 0 : chain[depth - 1];
    };
    std::unordered_map<std::uint32_t, std::vector<const Step *>> inFrame;
    for (const Step *a : earlier)
      inFrame[frameOf(*a)].push_back(a);
    for (const Step *b : later)
      for (const Step *a : inFrame[frameOf(*b)])
        if (!trace.complete(*a, *b))
          return SyncReport{SyncReport::Kind::promise,
                            fmt::format("{} does not wait for {}, after which "
                                        "it was promised to start",
                                        describe(trace, *b),
                                        describe(trace, *a)),
                            {party(trace, *a), party(trace, *b)}};
    return std::nullopt;
  }

  const Trace &trace;
  const OrderPromises &promises;
};

} // namespace

std::optional<SyncReport> findBroken(const Trace &trace,
                                     const OrderPromises &promises) {
  return PromiseChecker(trace, promises).run();
}

} // namespace kiln::problems::checker

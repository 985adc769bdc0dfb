//===- Dependences.cpp - Which event had to come before which -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dependences.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kiln::profile {

using sim::Picoseconds;
using sim::TraceEvent;
using sim::TraceToken;

namespace {

using Event = std::uint32_t;
constexpr Event none = Dependences::none;

bool isQueue(std::uint8_t track) {
  return track >= isa::numEngines && track != sim::weightsTrack;
}

/// An event that must come before another one.
struct Order {
  Event before = none;
  Picoseconds room = 0; ///< It could be so much later at no cost.
  Picoseconds gap = 0;  ///< So much passed until the other one began.
};

class Builder {
public:
  explicit Builder(const sim::Timing &timing)
      : timing(timing), events(timing.events) {
    for (Event e = 0; e < events.size(); ++e) {
      const TraceEvent &event = events[e];
      onTrack[event.track].push_back(e);
      auto &ofStream = ofInstruction[event.engine];
      if (ofStream.size() <= event.index)
        ofStream.resize(event.index + 1);
      ofStream[event.index].push_back(e);
    }
  }

  Dependences build() {
    findTokens();
    findOrders();
    findSlack();
    findCriticalPath();
    return std::move(result);
  }

private:
  /// The event in which an instruction took a token. An instruction without an
  /// event lends it to the next one of its engine.
  Event consumerOf(const TraceToken &token) const {
    const auto notBefore = [&](const std::vector<Event> &list) {
      const auto found =
          std::partition_point(list.begin(), list.end(), [&](Event e) {
            return events[e].start < token.taken;
          });
      return found == list.end() ? none : *found;
    };
    const auto &ofStream = ofInstruction[token.engine];
    if (token.index < ofStream.size() && !ofStream[token.index].empty())
      return notBefore(ofStream[token.index]);
    return notBefore(onTrack[token.engine]);
  }

  /// The event that gave it: the last one that was complete by then. One
  /// without an event tells that those before it are complete.
  Event producerOf(const TraceToken &token) const {
    const auto lastComplete = [&](const std::vector<Event> &list) {
      auto at = std::partition_point(list.begin(), list.end(), [&](Event e) {
        return events[e].start <= token.given;
      });
      while (at != list.begin())
        if (events[*--at].visible <= token.given)
          return *at;
      return none;
    };
    const sim::Producer &by = token.producer;
    if (by.core != sim::Producer::sameCore || by.engine >= isa::numEngines)
      return none;
    const auto &ofStream = ofInstruction[by.engine];
    if (by.index < ofStream.size() && !ofStream[by.index].empty())
      return lastComplete(ofStream[by.index]);
    return lastComplete(onTrack[by.engine]);
  }

  struct Taken {
    Event consumer = none;
    Order order;
  };

  void findTokens() {
    std::vector<Taken> all;
    const auto add = [&](const TraceToken &token) {
      const Event consumer = consumerOf(token), producer = producerOf(token);
      if (consumer != none && producer != none && producer < consumer)
        all.push_back({consumer,
                       {producer, token.taken - token.arrival,
                        events[consumer].start - token.arrival}});
    };
    for (const TraceToken &token : timing.tokens)
      add(token);
    // An engine's own earlier result is like a token that came when the wait
    // for it ended.
    for (const sim::TraceWait &wait : timing.waits)
      if (wait.reason == sim::StallReason::dependence)
        add({wait.engine, wait.index, wait.producer, wait.end, wait.end,
             wait.end});
    result.first.assign(events.size() + 1, 0);
    for (const Taken &taken : all)
      ++result.first[taken.consumer + 1];
    for (std::size_t e = 0; e < events.size(); ++e)
      result.first[e + 1] += result.first[e];
    result.producers.resize(all.size());
    orders.resize(all.size());
    std::vector<std::uint32_t> at(result.first.begin(), result.first.end() - 1);
    for (const Taken &taken : all) {
      result.producers[at[taken.consumer]] = taken.order.before;
      orders[at[taken.consumer]++] = taken.order;
    }
  }

  /// Each event has one before it on its track, and one that its stream issued
  /// before it.
  void findOrders() {
    onSameTrack.resize(events.size());
    inStream.resize(events.size());
    std::array<Event, 256> lastOnTrack;
    std::array<Event, isa::numEngines> lastOfEngine;
    lastOnTrack.fill(none);
    lastOfEngine.fill(none);
    for (Event e = 0; e < events.size(); ++e) {
      const TraceEvent &event = events[e];
      const Event before = std::exchange(lastOnTrack[event.track], e);
      if (before != none)
        onSameTrack[e] = behind(before, e);
      // The load of a stationary operand and a transfer wait in the stream; the
      // next instruction waits for the load.
      Event &ofEngine = lastOfEngine[event.engine];
      if (event.track != event.engine && ofEngine != none) {
        inStream[e] = behind(ofEngine, e);
        if (event.track != sim::weightsTrack)
          inStream[e].room = 0;
      } else if (const Event load = lastOnTrack[sim::weightsTrack];
                 event.track == 0 && load != none &&
                 events[load].end <= event.start) {
        inStream[e] = behind(load, e);
      }
      if (event.track == event.engine)
        ofEngine = e;
    }
  }

  /// `e` begins when `before` ends, or later.
  Order behind(Event before, Event e) const {
    const Picoseconds gap =
        std::max<Picoseconds>(0, events[e].start - events[before].end);
    return {before, gap, gap};
  }

  template <class Visitor> void forEachBefore(Event e, Visitor visit) const {
    for (std::uint32_t i = result.first[e]; i < result.first[e + 1]; ++i)
      visit(orders[i]);
    for (const Order &order : {onSameTrack[e], inStream[e]})
      if (order.before != none)
        visit(order);
  }

  void findSlack() {
    std::vector<Picoseconds> &slack = result.slack;
    slack.resize(events.size());
    for (Event e = 0; e < events.size(); ++e)
      slack[e] = std::max<Picoseconds>(0, timing.makespan - events[e].visible);
    for (Event e = static_cast<Event>(events.size()); e-- > 0;) {
      // A later instruction of the engine may read what this one writes.
      if (!isQueue(events[e].track)) {
        const std::vector<Event> &list = onTrack[events[e].engine];
        const auto next =
            std::partition_point(list.begin(), list.end(), [&](Event other) {
              return events[other].start < events[e].visible;
            });
        if (next != list.end() && *next > e)
          slack[e] = std::min(slack[e], slack[*next] + events[*next].start -
                                            events[e].visible);
      }
      forEachBefore(e, [&](const Order &order) {
        slack[order.before] =
            std::min(slack[order.before], slack[e] + order.room);
      });
    }
  }

  /// From what a transfer needs to its first byte, always at least so much
  /// passes: the shortest time seen.
  Picoseconds startUp() const {
    Picoseconds shortest = timing.makespan;
    for (Event e = 0; e < events.size(); ++e)
      if (isQueue(events[e].track))
        forEachBefore(e, [&](const Order &order) {
          if (events[order.before].track != events[e].track)
            shortest = std::min(shortest, order.gap);
        });
    return shortest;
  }

  void findCriticalPath() {
    if (events.empty())
      return;
    const Picoseconds startUp = this->startUp();
    Event at = static_cast<Event>(
        std::max_element(events.begin(), events.end(),
                         [](const TraceEvent &a, const TraceEvent &b) {
                           return a.visible < b.visible;
                         }) -
        events.begin());
    while (at != none) {
      result.criticalPath.push_back(at);
      // Tokens first: of two that end at the same time, they say more.
      Order last;
      forEachBefore(at, [&](Order order) {
        if (isQueue(events[at].track) &&
            events[order.before].track != events[at].track)
          order.gap -= startUp;
        if (last.before == none || order.gap < last.gap)
          last = order;
      });
      at = last.before;
    }
    std::reverse(result.criticalPath.begin(), result.criticalPath.end());
  }

  const sim::Timing &timing;
  const std::vector<TraceEvent> &events;
  std::array<std::vector<Event>, 256> onTrack;
  /// By stream and instruction.
  std::array<std::vector<std::vector<Event>>, isa::numEngines> ofInstruction;
  std::vector<Order> orders; ///< Of result.producers.
  std::vector<Order> onSameTrack, inStream;
  Dependences result;
};

} // namespace

Dependences dependencesOf(const sim::Timing &timing) {
  return Builder(timing).build();
}

} // namespace kiln::profile

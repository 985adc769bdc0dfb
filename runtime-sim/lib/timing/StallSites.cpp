//===- StallSites.cpp - What the waits of a run were for -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln::sim::timing {

namespace {

/// May the two operands touch a common byte, wherever registers put them?
bool mayMeet(const PlannedOperand &a, const PlannedOperand &b) {
  if (a.inHbm || b.inHbm)
    return a.inHbm && b.inHbm && a.tensor == b.tensor;
  if (!a.dynamic && !b.dynamic)
    return machine::overlap(a.box, 0, b.box, 0);
  return a.box.space == b.box.space &&
         a.box.partitionBegin < b.box.partitionEnd &&
         b.box.partitionBegin < a.box.partitionEnd &&
         a.box.begin + a.leastShift < b.box.end + b.mostShift &&
         b.box.begin + b.leastShift < a.box.end + a.mostShift;
}

WaitKind relation(const PlannedStream &from, std::uint32_t producer,
                  const PlannedStream &to, std::uint32_t consumer) {
  WaitKind kind = WaitKind::order;
  for (const PlannedOperand &given : from.operands(from.op(producer)))
    for (const PlannedOperand &used : to.operands(to.op(consumer))) {
      if (!(given.writes || used.writes) || !mayMeet(given, used))
        continue;
      if (given.writes && used.reads)
        return WaitKind::data;
      kind = WaitKind::buffer;
    }
  return kind;
}

/// A token covers all that its stream did before it, and a wait all that comes
/// after it: so many instructions to either side are looked at.
constexpr std::uint32_t reach = 16;

/// Finds what a wait is for and sets the producer to who really made it.
void explain(StallSite &site, const PlannedStream &from,
             const PlannedStream &to) {
  site.kind = WaitKind::order;
  for (std::uint32_t ahead = 0; ahead < reach && site.index + ahead < to.size();
       ++ahead) {
    for (std::uint32_t back = 0; back < reach && back <= site.producer.index;
         ++back) {
      const std::uint32_t producer = site.producer.index - back;
      const WaitKind kind = relation(from, producer, to, site.index + ahead);
      if (kind == WaitKind::order)
        continue;
      site.kind = kind;
      site.producer.index = producer;
      return;
    }
    // A wait on an instruction with operands is its own.
    if (to.op(site.index + ahead).operands > 0)
      return;
  }
}

} // namespace

void Simulator::collectStallSites() {
  // Waits are explained as their sites are.
  using Key = std::tuple<std::uint8_t, std::uint32_t, StallReason, std::uint8_t,
                         std::uint16_t, std::uint32_t>;
  const auto keyOf = [](const auto &wait, std::uint8_t engine) {
    return Key(engine, wait.index, wait.reason, wait.producer.engine,
               wait.producer.core, wait.producer.index);
  };
  std::map<Key, StallSite> explained;
  for (const Stream &stream : streams)
    stream.book->forEach([&](StallSite site) {
      const Key key = keyOf(site, static_cast<std::uint8_t>(number(stream)));
      site.engine = static_cast<std::uint8_t>(number(stream));
      if (site.reason == StallReason::dependence)
        site.kind = WaitKind::data;
      else if (isSemaphoreWait(site.reason) &&
               site.producer.engine != Producer::nobody &&
               site.producer.core == Producer::sameCore)
        explain(site, plan.planned[site.producer.engine], *stream.planned);
      result.stallSites.push_back(site);
      if (options.trace)
        explained[key] = site;
    });
  for (TraceWait &wait : result.waits) {
    const StallSite &site = explained.at(keyOf(wait, wait.engine));
    wait.kind = site.kind;
    wait.producer = site.producer;
  }
  std::sort(
      result.stallSites.begin(), result.stallSites.end(),
      [](const StallSite &a, const StallSite &b) {
        return std::tuple(-a.time, a.engine, a.index, a.reason, a.producer.core,
                          a.producer.engine, a.producer.index) <
               std::tuple(-b.time, b.engine, b.index, b.reason, b.producer.core,
                          b.producer.engine, b.producer.index);
      });
}

} // namespace kiln::sim::timing

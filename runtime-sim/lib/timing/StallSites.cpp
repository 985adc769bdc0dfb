//===- StallSites.cpp - What an instruction waited for -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StallSites.h"

namespace kiln::sim::timing {

namespace {

/// True if the two operands may touch a common byte, wherever registers put
/// them.
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

/// A token covers everything that its stream did before it, and a wait
/// everything after it: this many instructions on either side are examined.
constexpr std::uint32_t reach = 16;

/// Finds what the wait of an instruction in `to` for one in `from` is for.
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

WaitKind leastRelation(const PlannedStream &from, std::uint32_t producer,
                       const PlannedStream &to, std::uint32_t consumer) {
  WaitKind kind = WaitKind::order;
  for (const PlannedOperand &given : from.operands(from.op(producer)))
    for (const PlannedOperand &used : to.operands(to.op(consumer))) {
      const bool isFar = given.inHbm != used.inHbm ||
                         (!given.inHbm && given.box.space != used.box.space);
      const bool moves = !given.inHbm && (given.dynamic || used.dynamic);
      if (isFar || (!moves && !mayMeet(given, used)))
        continue;
      // What one buffer holds is never read through another one.
      const bool isOther = !given.inHbm && given.tensor != 0 &&
                           used.tensor != 0 && given.tensor != used.tensor;
      if (given.writes && used.reads && !isOther)
        return WaitKind::data;
      if (used.writes)
        kind = WaitKind::buffer;
    }
  return kind;
}

void explain(StallSite &site, std::span<const PlannedStream> streams) {
  if (site.reason == StallReason::dependence)
    site.kind = WaitKind::data;
  else if (isSemaphoreWait(site.reason) &&
           site.producer.engine != Producer::nobody &&
           site.producer.core == Producer::sameCore)
    explain(site, streams[site.producer.engine], streams[site.engine]);
}

} // namespace kiln::sim::timing

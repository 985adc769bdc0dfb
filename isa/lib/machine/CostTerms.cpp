//===- CostTerms.cpp - What an instruction's time consists of -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/cost_terms.h"

#include "Terms.h"
#include "kiln/isa/info.h"
#include "kiln/isa/meeting.h"
#include "kiln/machine/sequencer_times.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kiln::machine {
namespace {

/// Rounds the running sum, so that the terms add up as the whole does.
std::vector<CostTerm> rounded(const Parts &parts, double picoseconds) {
  std::vector<CostTerm> terms;
  double sum = 0;
  Picoseconds before = 0;
  for (const Part &part : parts) {
    sum += part.amount;
    const auto now =
        static_cast<Picoseconds>(std::floor(sum * picoseconds + 0.5));
    if (now != before)
      terms.push_back({part.name, part.parameter, now - before});
    before = now;
  }
  return terms;
}

/// A whole that is computed from rounded parts may be some picoseconds more or
/// less: as many as a transfer has sources.
void settle(std::vector<CostTerm> &terms, Picoseconds whole) {
  const Picoseconds rest = whole - sumOf(terms);
  if (!terms.empty() && std::abs(rest) <= isa::maxListAccesses)
    terms.back().time += rest;
}

CostTerms termsOfCost(const isa::Body &body, isa::Engine engine,
                      const isa::Target &target, bool addressIsData) {
  CostParts parts;
  const InstructionCost cost =
      costOf(body, engine, target, addressIsData, &parts);
  const double cycle = 1000.0 / target.ghz(engine);
  CostTerms terms{rounded(parts.occupancy, cycle),
                  rounded(parts.latency, cycle), rounded(parts.beside, cycle)};
  settle(terms.occupancy, cost.interval);
  settle(terms.latency, cost.latency);
  settle(terms.beside, cost.weights);
  if (cost.table != 0)
    terms.beside.push_back({"function table", "activation_table_load_ns",
                            nanoseconds(target.activation_table_load_ns)});
  return terms;
}

/// The engine that ends last if nothing limits it, and when it begins.
unsigned lastEngine(const DmaPlan &plan, const isa::Target &target) {
  unsigned last = 0;
  for (unsigned e = 1; e < dmaEngines(target); ++e)
    if (e * dmaSkew(target) + plan.work[e] >
        last * dmaSkew(target) + plan.work[last])
      last = e;
  return last;
}

void add(std::vector<CostTerm> &terms, std::string_view name,
         std::string_view parameter, Picoseconds time) {
  if (time > 0)
    terms.push_back({name, parameter, time});
}

CostTerms termsOfTransfer(const isa::Body &body, isa::Engine engine,
                          const isa::Target &target) {
  DmaParts parts;
  const DmaPlan plan = planDma(body, engine, target, &parts);
  const auto busiest = static_cast<std::size_t>(
      std::ranges::max_element(plan.work) - plan.work.begin());
  CostTerms terms;
  terms.occupancy = rounded(parts[busiest], 1000);
  settle(terms.occupancy, plan.work[busiest]);

  const unsigned last = lastEngine(plan, target);
  const Picoseconds moving = movingTime(plan, target);
  std::vector<CostTerm> moves = rounded(parts[last], 1000);
  settle(moves, plan.work[last]);
  if (moves.empty()) // It has no data.
    add(moves, "its part of the token", "dma_descriptor_ns", plan.work[last]);
  add(terms.latency, "start", "dma_start_ns", nanoseconds(target.dma_start_ns));
  add(terms.latency, "engine's start", "dma_skew_ns", last * dmaSkew(target));
  terms.latency.insert(terms.latency.end(), moves.begin(), moves.end());
  add(terms.latency, "HBM limit", "hbm_bytes_per_ns",
      moving - last * dmaSkew(target) - sumOf(moves));
  add(terms.latency, "completion", "dma_done_ns",
      nanoseconds(target.dma_done_ns));
  add(terms.beside, "descriptor generation",
      plan.mode == isa::DgeMode::hwdge ? "hwdge_fixed_ns, hwdge_row_ns"
                                       : "swdge_ns",
      plan.generation);
  return terms;
}

CostTerms termsOfControl(const SequencerTime &cost) {
  CostTerms terms;
  add(terms.occupancy, "sequencer", cost.parameter, cost.time);
  terms.latency = terms.occupancy;
  return terms;
}

/// That says how fast the slowest link of a meeting is.
std::string_view parameterOfLinks(const MeetingCost &cost) {
  const auto slowest =
      std::ranges::max_element(cost.links, {}, &LinkLoad::alone);
  if (slowest == cost.links.end())
    return {};
  switch (slowest->link.kind) {
  case Link::Kind::core:
    return "dma_engine_bytes_per_ns";
  case Link::Kind::rankOut:
  case Link::Kind::rankIn:
    return "node_core_bytes_per_ns";
  default:
    return "link_bytes_per_ns";
  }
}

/// Of the meeting that takes longest.
CostTerms termsOfMeeting(const isa::Body &body, isa::Engine engine,
                         const isa::Target &target, unsigned coresOfRank) {
  CostTerms longest;
  for (const Meeting &meeting : meetingsOf(body, engine, target, coresOfRank)) {
    const MeetingCost &cost = meeting.cost;
    CostTerms terms;
    add(terms.latency, "launch", cost.launchParameter, cost.launch);
    add(terms.latency, "bytes on links", parameterOfLinks(cost),
        cost.carried(coresOfRank));
    add(terms.latency, "hops", cost.hopParameter, cost.hops);
    add(terms.latency, "data", "dma_engine_bytes_per_ns",
        movingTime(cost.longestTouch(), target, meeting.cores));
    add(terms.latency, "completion", "dma_done_ns",
        nanoseconds(target.dma_done_ns));
    if (sumOf(terms.latency) > sumOf(longest.latency))
      longest = std::move(terms);
  }
  return longest;
}

} // namespace

Picoseconds sumOf(const std::vector<CostTerm> &terms) {
  Picoseconds sum = 0;
  for (const CostTerm &term : terms)
    sum += term.time;
  return sum;
}

CostTerms termsOf(const isa::Body &body, isa::Engine engine,
                  const isa::Target &target,
                  const InstructionSetting &setting) {
  const isa::InstructionInfo &facts = isa::info(opcode(body));
  if (facts.isControl)
    return termsOfControl(controlTime(body, engine, target, setting.goesBack));
  if (isa::meetsAsTransfer(body))
    return termsOfMeeting(body, engine, target, setting.coresOfRank);
  if (facts.state == isa::HiddenState::peers) {
    CostTerms terms;
    add(terms.latency, "meeting", "core_barrier_ns",
        nanoseconds(target.core_barrier_ns));
    return terms;
  }
  return facts.isDma ? termsOfTransfer(body, engine, target)
                     : termsOfCost(body, engine, target, setting.addressIsData);
}

} // namespace kiln::machine

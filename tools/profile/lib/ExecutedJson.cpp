//===- ExecutedJson.cpp - What one run of an instruction is as JSON ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutedJson.h"

#include "CoreJson.h"

#include "kiln/sim/energy.h"

#include <algorithm>
#include <cmath>

namespace kiln::profile {

using json = nlohmann::ordered_json;

json costJson(const Executed &one) {
  json cost = json::object();
  const auto add = [&](const char *term, sim::Picoseconds time) {
    if (time > 0)
      cost[term] = inNanoseconds(time);
  };
  if (one.transfer) {
    add("data", *std::max_element(one.transfer->work.begin(),
                                  one.transfer->work.end()));
    add("descriptors", one.transfer->generation);
    return cost;
  }
  add("start", one.cost.interval - one.cost.stream);
  add("stream", one.cost.stream);
  add("interval", one.cost.interval);
  add("latency", one.cost.latency);
  add("weights", one.cost.weights);
  return cost;
}

json ofRun(const Executed &one, std::uint64_t all) {
  const std::uint64_t runs = std::max<std::uint64_t>(1, one.sums.runs);
  if (all % runs == 0)
    return all / runs;
  return static_cast<double>(all) / static_cast<double>(runs);
}

json dmaJson(const Executed &one, const isa::Target &target) {
  json times = json::array(), bytes = json::array();
  for (unsigned e = 0; e < machine::dmaEngines(target); ++e) {
    times.push_back(inNanoseconds(one.transfer->work[e]));
    bytes.push_back(std::llround(one.dmaShares[e] *
                                 static_cast<double>(one.transfer->bytes)));
  }
  return {{"ns", std::move(times)}, {"bytes", std::move(bytes)}};
}

std::uint64_t operationsOf(const Executed &one, const isa::Target &target) {
  using sim::EnergyOf;
  const sim::EnergyCounts counts = sim::energyCounts(
      *one.instruction, static_cast<isa::Engine>(one.engine), target);
  std::uint64_t all = 0;
  for (const EnergyOf item :
       {EnergyOf::vectorAdd, EnergyOf::vectorMultiply, EnergyOf::vectorOther,
        EnergyOf::scalarAdd, EnergyOf::scalarMultiply, EnergyOf::scalarOther,
        EnergyOf::gpsimdAdd, EnergyOf::gpsimdMultiply, EnergyOf::gpsimdOther})
    all += counts.of(item);
  return all;
}

} // namespace kiln::profile

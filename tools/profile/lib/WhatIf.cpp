//===- WhatIf.cpp - What a better machine would buy ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/what_if.h"

#include "Labels.h"

#include "kiln/isa/target_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace kiln::profile {

namespace {

/// What a factor does to a parameter: rates are multiplied, times divided.
enum class Sense : std::uint8_t { rate, time };
struct Part {
  std::string_view parameter;
  Sense sense = Sense::time;
};
struct Resource {
  std::string_view name;
  std::vector<Part> parts;
};

/// Large enough that nothing waits for it, small enough for times in whole
/// picoseconds.
constexpr double infinite = 1e6;

const std::vector<Resource> &resources() {
  static const std::vector<Resource> all{
      {"TensorE", {{"tensor_ghz", Sense::rate}}},
      {"VectorE", {{"vector_ghz", Sense::rate}}},
      {"ScalarE", {{"scalar_ghz", Sense::rate}}},
      {"GpSimd", {{"gpsimd_ghz", Sense::rate}}},
      {"sequencers", {{"control_instruction_ns"}, {"loop_iteration_ns"}}},
      {"DMA engines",
       {{"dma_engine_bytes_per_ns", Sense::rate},
        {"dma_descriptor_ns"},
        {"dma_element_ns"}}},
      {"HBM", {{"hbm_bytes_per_ns", Sense::rate}}},
      {"DMA descriptors", {{"hwdge_fixed_ns"}, {"hwdge_row_ns"}, {"swdge_ns"}}},
      {"links", {{"link_bytes_per_ns", Sense::rate}}},
      {"links between nodes", {{"node_core_bytes_per_ns", Sense::rate}}},
      {"sendrecv by GpSimd",
       {{"sendrecv_gpsimd_bytes_per_ns", Sense::rate}, {"sendrecv_gpsimd_ns"}}},
  };
  return all;
}

/// Each of them zero at once.
const std::vector<Resource> &latencies() {
  static const std::vector<Resource> all{
      {"semaphore latency", {{"semaphore_ns"}}},
      {"DMA start", {{"dma_start_ns"}, {"dma_skew_ns"}}},
      {"DMA completion", {{"dma_done_ns"}}},
      {"gap between DMAs of a queue",
       {{"dma_queue_gap_ns"}, {"dma_queue_turnaround_ns"}}},
      {"function table loads", {{"activation_table_load_ns"}}},
      {"dependent issue", {{"dependent_issue_cycles"}}},
      {"TensorE latency", {{"pe_latency_cycles"}, {"pe_load_latency_cycles"}}},
      {"VectorE latency", {{"vector_latency_cycles"}}},
      {"ScalarE latency", {{"scalar_latency_cycles"}}},
      {"start of VectorE instructions", {{"vector_ii_extra_cycles"}}},
      {"start of ScalarE instructions", {{"scalar_ii_extra_cycles"}}},
      {"start of GpSimd instructions", {{"gpsimd_start_cycles"}}},
      {"accumulator read-out", {{"accumulator_read_cycles"}}},
      {"copies whose address is data", {{"dynamic_copy_cycles"}}},
      {"loop iterations", {{"loop_iteration_ns"}}},
      {"register loads",
       {{"register_load_sbuf_cycles"}, {"register_load_hbm_ns"}}},
      {"collective launch",
       {{"collective_launch_hbm_ns"}, {"collective_launch_sbuf_ns"}}},
      {"collective hops", {{"collective_hop_ns"}, {"node_hop_ns"}}},
      {"core barriers", {{"core_barrier_ns"}}},
  };
  return all;
}

/// Applies `change` to parameter `name`; returns the new value.
template <class Change>
std::optional<double> setParameter(isa::Target &target, std::string_view name,
                                   Change change) {
  std::optional<double> made;
  isa::forEachParameter(target, [&](const auto &info, auto &field) {
    using Field = std::decay_t<decltype(field)>;
    if (info.name != name)
      return;
    field = static_cast<Field>(change(static_cast<double>(field)));
    made = static_cast<double>(field);
  });
  return made;
}

struct Candidate {
  WhatIf what;
  Variant variant;
};

Candidate candidate(const isa::Target &target, const Resource &resource,
                    std::string_view change, double factor) {
  Candidate made;
  made.what.name = resource.name;
  made.what.change = change;
  made.variant.target = target;
  for (const Part &part : resource.parts) {
    const auto value =
        setParameter(made.variant.target, part.parameter, [&](double now) {
          return part.sense == Sense::rate ? now * factor : now / factor;
        });
    made.what.parameters.emplace_back(part.parameter, value.value_or(0));
  }
  return made;
}

/// No instruction waits until a buffer that it overwrites is free.
Variant endlessBuffers(const Retimer &retimer) {
  Variant variant{retimer.target(), {}};
  const sim::Launch &launch = retimer.launched();
  for (unsigned core = 0; core < launch.modules.size(); ++core)
    for (unsigned e = 0; e < isa::numEngines; ++e) {
      const auto &stream = launch.modules[core].streams[e];
      for (std::uint32_t i = 0; i < stream.size(); ++i) {
        if (stream[i].waits.empty())
          continue;
        sim::CostChange change;
        change.core = core;
        change.engine = static_cast<isa::Engine>(e);
        change.index = i;
        change.ignoresBuffers = true;
        variant.changes.push_back(change);
      }
    }
  return variant;
}

Candidate zero(const isa::Target &target, const Resource &resource) {
  Candidate made;
  made.what.name = resource.name;
  made.what.change = "zero";
  made.variant.target = target;
  for (const Part &part : resource.parts) {
    setParameter(made.variant.target, part.parameter,
                 [](double) { return 0.0; });
    made.what.parameters.emplace_back(part.parameter, 0);
  }
  return made;
}

/// TensorE is warm from the start.
Candidate warm(const isa::Target &target) {
  Candidate made;
  made.what.name = "TensorE warm-up";
  made.what.change = "zero";
  made.variant.target = target;
  made.variant.target.pe_cold_rate = 1;
  made.what.parameters.emplace_back("pe_cold_rate", 1);
  return made;
}

/// All instructions are in the buffers.
Candidate fetched(const isa::Target &target) {
  constexpr int all = 1 << 28;
  Candidate made;
  made.what.name = "instruction fetch";
  made.what.change = "zero";
  made.variant.target = target;
  made.variant.target.fetch_buffer_instructions = all;
  made.what.parameters.emplace_back("fetch_buffer_instructions", all);
  return made;
}

} // namespace

std::vector<WhatIf> whatIf(const Retimer &retimer, sim::Picoseconds before) {
  const isa::Target &target = retimer.target();
  std::vector<Candidate> candidates;
  for (const Resource &resource : resources()) {
    candidates.push_back(candidate(target, resource, "infinite", infinite));
    candidates.push_back(candidate(target, resource, "double", 2));
  }
  for (const Resource &latency : latencies())
    candidates.push_back(zero(target, latency));
  candidates.push_back(warm(target));
  candidates.push_back(fetched(target));
  candidates.push_back(
      {{"waits for buffers", "zero", {}, {}}, endlessBuffers(retimer)});

  std::vector<Variant> variants;
  for (Candidate &one : candidates)
    variants.push_back(std::move(one.variant));
  const auto measured = retimer.time(variants);
  std::vector<WhatIf> all;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (measured[i] && measured[i]->makespan != before) {
      candidates[i].what.measured = *measured[i];
      all.push_back(std::move(candidates[i].what));
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const WhatIf &a, const WhatIf &b) {
                     return a.measured.makespan < b.measured.makespan;
                   });
  return all;
}

isa::Expected<Sweep> sweep(const Retimer &retimer, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  Sweep result;
  result.parameter = name;
  isa::Target now = retimer.target();
  result.current =
      setParameter(now, name, [](double value) { return value; }).value_or(0);
  for (const isa::ParameterInfo &info : isa::parameterTable)
    if (info.name == name)
      result.unit = info.unit;
  std::vector<Variant> variants;
  for (std::size_t at = equals; at != std::string_view::npos;) {
    const std::size_t comma = text.find(',', at + 1);
    const std::string_view value = text.substr(at + 1, comma - at - 1);
    at = comma;
    Variant variant{retimer.target(), {}};
    if (auto wrong = isa::applyOverrides(
            variant.target, fmt::format("{} = {}\n", name, value), "--sweep"))
      return *wrong;
    const auto set = setParameter(variant.target, name,
                                  [](double number) { return number; });
    variants.push_back(std::move(variant));
    result.points.push_back({set.value_or(0), {}});
  }
  const auto measured = retimer.time(variants);
  std::vector<std::pair<double, Retimed>> points;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (measured[i])
      points.emplace_back(result.points[i].first, *measured[i]);
  result.points = std::move(points);
  return result;
}

std::string toTable(const std::vector<WhatIf> &all, sim::Picoseconds before,
                    std::size_t rows) {
  std::string out = "\n  what if            makespan     saves\n";
  bool isSlower = false;
  for (std::size_t i = 0; i < std::min(rows, all.size()); ++i) {
    const WhatIf &one = all[i];
    // The slower ones are the last ones.
    if (!isSlower && one.measured.makespan > before) {
      isSlower = true;
      out += "  slower: what comes earlier, here or on other cores, takes a "
             "queue, a port\n  or HBM before what the end waits for\n";
    }
    const double saved =
        static_cast<double>(before - one.measured.makespan) /
        static_cast<double>(std::max<sim::Picoseconds>(1, before));
    out += fmt::format("  {:>16.2f} us {:>7.1f} %  {} {}\n",
                       inMicroseconds(one.measured.makespan), 100 * saved,
                       one.name,
                       one.change == "infinite" ? "infinitely fast"
                       : one.change == "double" ? "twice as fast"
                                                : "gone");
  }
  if (all.empty())
    out += "  nothing changes the makespan\n";
  return out;
}

std::string toTable(const Sweep &sweep) {
  constexpr std::size_t width = 40;
  std::string out = fmt::format("\n  {} [{}], now {:g}\n", sweep.parameter,
                                sweep.unit, sweep.current);
  sim::Picoseconds most = 1;
  for (const auto &[value, retimed] : sweep.points)
    most = std::max(most, retimed.makespan);
  for (const auto &[value, retimed] : sweep.points)
    out += fmt::format("  {:>14g} {:>12.2f} us  {}\n", value,
                       inMicroseconds(retimed.makespan),
                       std::string(static_cast<std::size_t>(
                                       static_cast<double>(width) *
                                       static_cast<double>(retimed.makespan) /
                                       static_cast<double>(most)),
                                   '#'));
  return out;
}

} // namespace kiln::profile

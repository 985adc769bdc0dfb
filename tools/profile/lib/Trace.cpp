//===- Trace.cpp - Chrome trace-event JSON -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "kiln/isa/assembly.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace kiln::profile {

namespace {

/// Everything about an instruction that is the same each time it runs.
std::string constantPart(const isa::Instruction &instruction, unsigned engine,
                         std::uint32_t index, const isa::Module &module) {
  const isa::SourceLocation &place = placeOf(instruction, module);
  return fmt::format(
      "\"name\":{},\"args\":{{\"source\":{},\"scopes\":{},\"asm\":{},"
      "\"stream\":\"{}\",\"index\":{}",
      jsonString(labelOf(instruction, module)),
      jsonString(sourceOf(instruction, module)), jsonString(place.scopes),
      jsonString(isa::printInstruction(instruction, module)),
      isa::name(static_cast<isa::Engine>(engine)), index);
}

/// Microseconds with all digits of a picosecond.
std::string micros(sim::Picoseconds time) {
  return fmt::format("{}.{:06}", time / 1'000'000, time % 1'000'000);
}

/// The tracks and events of one core, as one process of the trace.
void addCore(std::string &out, const isa::Module &module,
             std::span<const isa::Module> modules, const sim::Timing &timing,
             unsigned process, const std::string &name) {
  std::set<unsigned> tracks{0, 1, 2, 3, 4};
  for (const sim::TraceEvent &event : timing.events)
    tracks.insert(event.track);
  out += fmt::format("{}{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\","
                     "\"args\":{{\"name\":{}}}}}",
                     process == 1 ? "" : ",\n", process, jsonString(name));
  for (unsigned track : tracks)
    out += fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":{2},\"tid\":{0},\"name\":\"thread_name\","
        "\"args\":{{\"name\":\"{1}\"}}}},\n{{\"ph\":\"M\",\"pid\":{2},"
        "\"tid\":{0},\"name\":\"thread_sort_index\",\"args\":"
        "{{\"sort_index\":{0}}}}}",
        track, trackName(track), process);

  std::array<std::vector<std::string>, isa::numEngines> constant;
  for (std::size_t i = 0; i < constant.size(); ++i)
    constant[i].resize(module.streams[i].size());
  // Slices of a track may not overlap: a transfer is drawn from when its queue
  // was done with the one before; `first_byte` is when it really began.
  std::array<sim::Picoseconds, 256> drawnTo{};
  for (const sim::TraceEvent &event : timing.events) {
    const isa::Instruction *instruction = instructionOf(event, module);
    if (!instruction)
      continue;
    std::string &text = constant[event.engine][event.index];
    if (text.empty())
      text = constantPart(*instruction, event.engine, event.index, module);
    const sim::Picoseconds begin =
        std::min(event.end, std::max(event.start, drawnTo[event.track]));
    drawnTo[event.track] = std::max(drawnTo[event.track], event.end);
    fmt::format_to(
        std::back_inserter(out),
        ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},"
        "\"dur\":{},\"cat\":\"{}\",{},\"visible\":{}",
        process, event.track, micros(begin), micros(event.end - begin),
        event.track < isa::numEngines || event.track == sim::weightsTrack
            ? "engine"
            : "dma",
        text, micros(event.visible));
    if (begin != event.start)
      fmt::format_to(std::back_inserter(out), ",\"first_byte\":{}",
                     micros(event.start));
    out += "}}";
  }
  // A wait is drawn where its engine is; within an instruction if that is slow.
  for (const sim::TraceWait &wait : timing.waits)
    fmt::format_to(std::back_inserter(out),
                   ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},"
                   "\"dur\":{},\"cat\":\"wait\",\"name\":\"{}\",\"args\":"
                   "{{\"who\":{},\"index\":{},\"for\":{},\"kind\":\"{}\"}}}}",
                   process, wait.engine, micros(wait.start),
                   micros(wait.end - wait.start), nameOf(wait.reason),
                   jsonString(placeText(module, wait.engine, wait.index)),
                   wait.index, jsonString(producerText(wait, module, modules)),
                   sim::waitKindNames[static_cast<std::size_t>(wait.kind)]);
}

std::string head(const isa::Module &module, const isa::Target &target,
                 sim::Picoseconds makespan) {
  return "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{" +
         fmt::format("\"kernel\":{},\"target\":{},\"tick\":\"1 ps\","
                     "\"timestamps\":\"microseconds, six decimals: whole "
                     "picoseconds\",\"makespan_ps\":{}",
                     jsonString(module.kernel), jsonString(target.name.view()),
                     makespan) +
         "},\n\"traceEvents\":[\n";
}

} // namespace

std::string toTrace(const isa::Module &module, const sim::Timing &timing,
                    const isa::Target &target) {
  std::string out = head(module, target, timing.makespan);
  addCore(out, module, {&module, 1}, timing, 1, module.kernel);
  return out += "\n]}\n";
}

std::string toTrace(const LaunchProfile &launch) {
  const std::string &kernel = launch.modules.front().kernel;
  std::string out =
      head(launch.modules.front(), launch.target, launch.timing.makespan);
  for (std::size_t i = 0; i < launch.reports.size(); ++i) {
    const std::string name = launch.name(i);
    addCore(out, launch.module(i), launch.modules, launch.timing.cores[i],
            static_cast<unsigned>(i + 1),
            name.empty() ? kernel : fmt::format("{}, {}", kernel, name));
  }
  return out += "\n]}\n";
}

} // namespace kiln::profile

//===- ScheduleReport.cpp - What each loop takes, as text -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/schedule_report.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/noun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace kiln::compiler;
namespace isa = kiln::isa;

namespace {

using Loop = ScheduleReport::Loop;

/// Of a chain, the links that are printed.
constexpr std::size_t mostLinks = 12;
/// Of a resource, the instructions that are named.
constexpr std::size_t mostUsers = 3;

std::string nanoseconds(double picoseconds) {
  return fmt::format("{} ns", std::llround(picoseconds / 1000));
}

std::string nameOf(const ScheduleReport::Operation &operation) {
  std::string text = operation.name;
  if (!operation.place.file.empty() && !operation.engine.empty())
    text += " (" + operation.place.str() + ")";
  return text;
}

std::string usersText(const ScheduleReport::Resource &resource) {
  std::string text;
  for (std::size_t i = 0; i < std::min(mostUsers, resource.users.size()); ++i) {
    const ScheduleReport::Operation &user = resource.users[i];
    text += fmt::format("{}{}{} {}", i > 0 ? ", " : "",
                        user.times > 1 ? fmt::format("{} x ", user.times) : "",
                        nameOf(user), nanoseconds(user.time));
  }
  if (resource.users.size() > mostUsers)
    text += fmt::format(", and {} more", resource.users.size() - mostUsers);
  return text;
}

/// "a (k.cpp:3) -> 200 ns -> b (k.cpp:4) -> 70 ns, 1 iteration later -> ..".
std::string chainText(const ScheduleReport::Recurrence &recurrence) {
  std::string text;
  std::size_t shown = 0;
  for (const ScheduleReport::Link &link : recurrence.links) {
    if (shown++ == mostLinks) {
      text +=
          fmt::format("... {} more -> ", recurrence.links.size() - mostLinks);
      break;
    }
    text +=
        fmt::format("{} -> {}", nameOf(link.from), nanoseconds(link.latency));
    if (!link.buffer.empty())
      text += fmt::format(", frees {}", link.buffer);
    if (link.distance > 0)
      text +=
          fmt::format(", {} later", isa::counted(link.distance, "iteration"));
    text += " -> ";
  }
  return text + "the first one";
}

/// What a recurrence is about, in a word.
std::string kindOf(const ScheduleReport::Recurrence &recurrence) {
  for (const ScheduleReport::Link &link : recurrence.links)
    if (!link.buffer.empty())
      return "buffer";
  return "dependence";
}

std::string headOf(const Loop &loop) {
  std::string text = fmt::format("{}: loop", loop.place.str());
  if (loop.turns)
    text += fmt::format(" of {}", isa::counted(*loop.turns, "iteration"));
  else
    text += ", iterations not known";
  text += fmt::format(", {}", isa::counted(loop.instructions, "instruction"));
  if (loop.iterations > 1)
    text += fmt::format(", {} iterations of the source in the body",
                        loop.iterations);
  if (loop.stages > 1)
    text += fmt::format(", {} stages", loop.stages);
  return text;
}

std::string loopText(const Loop &loop) {
  const std::string indent(std::size_t{2} * loop.depth, ' ');
  std::string out = indent + headOf(loop) + "\n";
  const auto line = [&](const std::string &text) {
    out += indent + "  " + text + "\n";
  };
  if (loop.interval) {
    std::string text = fmt::format("II {}", nanoseconds(*loop.interval));
    if (loop.bound() > 0)
      text += fmt::format(", {:.1f} % above the bound",
                          100 * (*loop.interval / loop.bound() - 1));
    line(text);
  } else {
    line("no II: " + loop.whyNot);
  }
  if (const std::string why = loop.whyNoShorter(); !why.empty())
    line(why);
  for (const ScheduleReport::Resource &resource : loop.resources)
    line(fmt::format("{:<16} {:>10}  {}", resource.name.str(),
                     nanoseconds(resource.bound), usersText(resource)));
  for (const ScheduleReport::Recurrence &recurrence : loop.recurrences)
    line(fmt::format("{:<16} {:>10}  {}", kindOf(recurrence) + " cycle",
                     nanoseconds(recurrence.bound),
                     (recurrence.times > 1
                          ? fmt::format("{} times: ", recurrence.times)
                          : "") +
                         chainText(recurrence)));
  for (const ScheduleReport::Ring &ring : loop.rings)
    line(fmt::format(
        "ring {}{}: {} of {} bytes in {}{}",
        ring.times > 1 ? fmt::format("{} x ", ring.times) : "", ring.name,
        isa::counted(ring.copies, "copy", "copies"), ring.bytes, ring.space,
        ring.lifetime
            ? fmt::format(", each in use for {:.2f} iterations", *ring.lifetime)
            : ""));
  // What was done at an instruction is seen in the lines above.
  for (const ScheduleReport::Decision &decision : loop.decisions)
    if (decision.isDeclined || decision.place == loop.place)
      line(fmt::format(
          "{}: {}{} [{}: {}] at {}", decision.isDeclined ? "declined" : "done",
          decision.text,
          decision.times > 1 ? fmt::format(" ({} times)", decision.times) : "",
          decision.pass, decision.name, decision.place.str()));
  for (const std::string &note : loop.notes)
    line("note: " + note);
  return out;
}

} // namespace

std::string ScheduleReport::Place::str() const {
  return file.empty() ? "?" : file + ":" + std::to_string(line);
}

const ScheduleReport::Recurrence *Loop::bindingRecurrence() const {
  const bool binds = !recurrences.empty() &&
                     (resources.empty() ||
                      recurrences.front().bound > resources.front().bound);
  return binds ? &recurrences.front() : nullptr;
}

const ScheduleReport::Resource *Loop::bindingResource() const {
  return bindingRecurrence() || resources.empty() ? nullptr
                                                  : &resources.front();
}

double Loop::bound() const {
  if (const Recurrence *recurrence = bindingRecurrence())
    return recurrence->bound;
  return resources.empty() ? 0 : resources.front().bound;
}

std::string Loop::whyNoShorter() const {
  if (bound() <= 0)
    return "";
  std::string text = "an II below " + nanoseconds(bound()) + " is impossible";
  if (const Recurrence *recurrence = bindingRecurrence())
    return text + " because of this chain: " + chainText(*recurrence);
  const Resource &resource = *bindingResource();
  const ResourceName::Kind kind = resource.name.kind;
  return text + ": an iteration keeps " +
         (kind == ScheduleReport::ResourceName::Kind::dma ? "the DMA engines"
          : kind == ScheduleReport::ResourceName::Kind::hbm
              ? "HBM"
              : resource.name.str()) +
         " busy for that long";
}

std::string ScheduleReport::ResourceName::str() const {
  switch (kind) {
  case Kind::engine:
    return std::string(isa::name(static_cast<isa::Engine>(number)));
  case Kind::behindTensor:
    return "behind tensor";
  case Kind::dma:
    return "dma";
  case Kind::hbm:
    return "hbm";
  case Kind::memory:
    return std::string(isa::name(static_cast<isa::Space>(number)));
  case Kind::sbufPort:
    return "sbuf port";
  case Kind::psumBankPort:
    return fmt::format("psum bank {} port", number);
  }
  return {};
}

std::string ScheduleReport::str() const {
  if (loops.empty())
    return "the kernel has no loop\n";
  std::string text;
  for (const Loop &loop : loops)
    text += loopText(loop);
  return text;
}

void kiln::compiler::addDecisions(ScheduleReport &report,
                                  const std::vector<CompileRemark> &remarks) {
  for (const CompileRemark &remark : remarks) {
    if (remark.kind == RemarkKind::analysis || remark.file.empty())
      continue;
    ScheduleReport::Decision decision;
    decision.pass = remark.pass;
    decision.name = remark.name;
    decision.text = remark.text;
    decision.isDeclined = remark.kind == RemarkKind::missed;
    decision.place = {remark.file, remark.line};
    decision.times = remark.times;
    for (const CompileRemark::Value &value : remark.values)
      decision.values.emplace_back(value.key, value.value);
    for (Loop &loop : report.loops)
      if (std::find(loop.lines.begin(), loop.lines.end(), decision.place) !=
          loop.lines.end())
        loop.decisions.push_back(decision);
  }
}

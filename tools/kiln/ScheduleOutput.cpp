//===- ScheduleOutput.cpp - The report of the loops as JSON ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleOutput.h"

#include "Messages.h"

#include "kiln/tool/files.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <iostream>

namespace kiln::tool {
namespace {

using json = nlohmann::ordered_json;
using compiler::ScheduleReport;

/// Whole picoseconds.
double nanoseconds(double picoseconds) {
  return std::round(picoseconds) / 1000;
}

json placeJson(const ScheduleReport::Place &place) {
  return placeOf(place.file, place.line, 0);
}

json operationJson(const ScheduleReport::Operation &operation) {
  return {
      {"name", operation.name},
      {"engine", operation.engine.empty() ? json() : json(operation.engine)},
      {"place", placeJson(operation.place)},
      {"ns", nanoseconds(operation.time)},
      {"times", operation.times}};
}

json resourceJson(const ScheduleReport::Resource &resource) {
  json users = json::array();
  for (const ScheduleReport::Operation &user : resource.users)
    users.push_back(operationJson(user));
  return {{"name", resource.name.str()},
          {"bound_ns", nanoseconds(resource.bound)},
          {"users", std::move(users)}};
}

json recurrenceJson(const ScheduleReport::Recurrence &recurrence) {
  json chain = json::array();
  for (const ScheduleReport::Link &link : recurrence.links)
    chain.push_back(
        {{"name", link.from.name},
         {"engine", link.from.engine},
         {"place", placeJson(link.from.place)},
         {"latency_ns", nanoseconds(link.latency)},
         {"distance", link.distance},
         {"buffer", link.buffer.empty() ? json() : json(link.buffer)}});
  return {{"bound_ns", nanoseconds(recurrence.bound)},
          {"chain", std::move(chain)},
          {"times", recurrence.times}};
}

json ringJson(const ScheduleReport::Ring &ring) {
  json lifetime; // null
  if (ring.lifetime)
    lifetime = std::round(1000 * *ring.lifetime) / 1000;
  return {{"name", ring.name},    {"space", ring.space},
          {"bytes", ring.bytes},  {"copies", ring.copies},
          {"lifetime", lifetime}, {"place", placeJson(ring.place)},
          {"times", ring.times}};
}

/// A number where it is one.
json valueOf(const std::string &text) {
  std::int64_t number = 0;
  const char *end = text.data() + text.size();
  if (!text.empty() && std::from_chars(text.data(), end, number).ptr == end)
    return number;
  return text;
}

json decisionJson(const ScheduleReport::Decision &decision) {
  json values = json::object();
  for (const auto &[key, value] : decision.values)
    values[key] = valueOf(value);
  return {{"pass", decision.pass},
          {"name", decision.name},
          {"declined", decision.isDeclined},
          {"text", decision.text},
          {"place", placeJson(decision.place)},
          {"values", std::move(values)},
          {"times", decision.times}};
}

template <class Items, class Convert>
json listOf(const Items &items, Convert convert) {
  json list = json::array();
  for (const auto &item : items)
    list.push_back(convert(item));
  return list;
}

json bindingJson(const ScheduleReport::Loop &loop) {
  if (loop.bound() <= 0)
    return nullptr;
  if (const ScheduleReport::Resource *resource = loop.bindingResource())
    return {{"kind", "resource"},
            {"resource", resource->name.str()},
            {"text", loop.whyNoShorter()}};
  return {{"kind", "recurrence"},
          {"resource", nullptr},
          {"text", loop.whyNoShorter()}};
}

json loopJson(const ScheduleReport::Loop &loop) {
  json interval, gap, turns, parent; // null
  if (loop.interval) {
    interval = nanoseconds(*loop.interval);
    if (loop.bound() > 0)
      gap = std::round(1e6 * (*loop.interval / loop.bound() - 1)) / 1e6;
  }
  if (loop.turns)
    turns = *loop.turns;
  if (loop.parent)
    parent = *loop.parent;
  return {{"place", placeJson(loop.place)},
          {"depth", loop.depth},
          {"parent", std::move(parent)},
          {"turns", std::move(turns)},
          {"iterations_in_body", loop.iterations},
          {"stages", loop.stages},
          {"instructions", loop.instructions},
          {"interval_ns", std::move(interval)},
          {"why_no_interval", loop.interval ? json() : json(loop.whyNot)},
          {"bound_ns", nanoseconds(loop.bound())},
          {"gap", std::move(gap)},
          {"binding", bindingJson(loop)},
          {"resources", listOf(loop.resources, resourceJson)},
          {"recurrences", listOf(loop.recurrences, recurrenceJson)},
          {"rings", listOf(loop.rings, ringJson)},
          {"decisions", listOf(loop.decisions, decisionJson)},
          {"notes", loop.notes}};
}

json scheduleJson(const KernelSchedule &schedule) {
  json cores = json::array();
  for (const ScheduleReport &core : schedule.cores)
    cores.push_back({{"loops", listOf(core.loops, loopJson)}});
  return {{"severity", "schedule"},
          {"kernel", schedule.kernel},
          {"target", schedule.target},
          {"cores", std::move(cores)}};
}

std::string scheduleText(const KernelSchedule &schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.cores.size(); ++i) {
    text += schedule.kernel + " on " + schedule.target;
    if (schedule.cores.size() > 1)
      text += ", core " + std::to_string(i);
    text += "\n" + schedule.cores[i].str();
  }
  return text;
}

} // namespace

std::string scheduleAsJson(const KernelSchedule &schedule) {
  return scheduleJson(schedule).dump(-1, ' ', false,
                                     json::error_handler_t::replace);
}

void tellSchedule(const KernelSchedule &schedule, const std::string &file) {
  const auto dumped = [&](int indent) {
    return scheduleJson(schedule).dump(indent, ' ', false,
                                       json::error_handler_t::replace) +
           "\n";
  };
  if (file.empty())
    std::cerr << (tellsJson() ? dumped(-1) : scheduleText(schedule));
  else
    writeTextFile(file,
                  file.ends_with(".json") ? dumped(2) : scheduleText(schedule));
}

} // namespace kiln::tool

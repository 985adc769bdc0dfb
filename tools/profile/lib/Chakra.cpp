//===- Chakra.cpp - Execution traces for simulators of networks -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The execution trace of MLCommons Chakra (github.com/mlcommons/chakra,
// schema/protobuf/et_def.proto, version 0.0.4): a GlobalMetadata, then a Node
// for each executed instruction that works, each behind its length. Numbers of
// fields and enumerations are those of that file.
//
//===----------------------------------------------------------------------===//

#include "Binary.h"
#include "Labels.h"
#include "ProtoWriter.h"
#include "kiln/profile/causes.h"
#include "kiln/profile/render.h"

#include "kiln/isa/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace kiln::profile {

namespace {

/// et_def.proto, NodeType.
enum class NodeType : std::uint8_t {
  load = 2,
  store = 3,
  compute = 4,
  send = 5,
  receive = 6,
  collective = 7
};

/// et_def.proto, CollectiveCommType.
std::uint64_t communicationOf(isa::Opcode opcode) {
  switch (opcode) {
  case isa::Opcode::AllReduce:
    return 0;
  case isa::Opcode::AllToAll:
  case isa::Opcode::AllToAllV:
  case isa::Opcode::AllToAllVTrigger:
    return 6;
  case isa::Opcode::ReduceScatter:
  case isa::Opcode::ReduceScatterV:
    return 7;
  default:
    return 2; // ALL_GATHER
  }
}

/// An AttributeProto with one of its values.
ProtoWriter attribute(std::string_view name) {
  ProtoWriter made;
  made.text(1, name);
  return made;
}
ProtoWriter integer(std::string_view name, std::uint64_t value) { // int64_val
  ProtoWriter made = attribute(name);
  made.number(9, value);
  return made;
}
ProtoWriter small(std::string_view name, std::uint64_t value) { // int32_val
  ProtoWriter made = attribute(name);
  made.number(7, value);
  return made;
}
ProtoWriter numbers(std::string_view name,
                    std::span<const std::uint64_t> values) { // uint32_list
  ProtoWriter list, made = attribute(name);
  list.list(1, values);
  made.message(12, list);
  return made;
}
ProtoWriter flag(std::string_view name, bool value) { // bool_val
  ProtoWriter made = attribute(name);
  made.number(27, value ? 1 : 0);
  return made;
}
ProtoWriter words(std::string_view name, std::string_view value) { // string_val
  ProtoWriter made = attribute(name);
  made.text(29, value);
  return made;
}

/// A field of a collective, or null.
const isa::RankLists *listsOf(const isa::Body &body, std::string_view field) {
  const isa::RankLists *found = nullptr;
  std::visit(
      [&](const auto &op) {
        forEachOperand(op, [&](std::string_view name, const auto &value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>,
                                       isa::RankLists>)
            if (name == field)
              found = &value;
        });
      },
      body);
  return found;
}

/// A step of a ring: each rank of a list sends to the next one.
isa::RankLists ringPairs(const isa::RankLists &lists) {
  isa::RankLists pairs;
  for (const auto &list : lists)
    for (std::size_t i = 0; list.size() > 1 && i < list.size(); ++i)
      pairs.push_back({list[i], list[(i + 1) % list.size()]});
  return pairs;
}

bool isRingStep(isa::Opcode opcode) {
  return opcode == isa::Opcode::CollectivePermuteImplicit ||
         opcode == isa::Opcode::CollectivePermuteImplicitReduce;
}

/// The contribution of a rank: the bytes that it reads, except tables.
std::uint64_t bytesGiven(const Executed &one) {
  std::uint64_t bytes = 0;
  for (const isa::OperandAccess &entry : one.accesses)
    if (entry.effect == isa::Effect::read && entry.name != "metadata_tensor" &&
        entry.name != "prepared" && entry.name != "srcs1")
      bytes +=
          entry.access->totalElements() * isa::sizeInBytes(entry.access->dtype);
  return bytes;
}

/// The nodes of one core, appended to those of its rank.
class CoreNodes {
public:
  CoreNodes(const LaunchProfile &launch, std::size_t core, std::string &file,
            std::uint64_t &next)
      : launch(launch), core(core), rank(core / launch.modules.size()),
        module(launch.module(core)), timing(launch.timing.cores[core]),
        causes(findCauses(module, launch.target, timing)),
        binary(module, launch.target, timing, causes), file(file), next(next),
        nodeOf(timing.events.size(), none) {
    inStream.fill(none);
    for (const sim::TraceMeeting &meeting : timing.meetings)
      meetings[binary.numberOf(meeting.engine, meeting.index)].push_back(
          &meeting);
  }

  /// In the order in which streams acted, so that what a node needs comes
  /// first.
  void write() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t e = 0; e < timing.events.size(); ++e)
      if (hasNode(timing.events[e]))
        order.push_back(e);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return timing.events[a].run < timing.events[b].run;
    });
    for (const std::uint32_t e : order)
      add(e);
  }

private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  const Executed &executed(const sim::TraceEvent &event) const {
    return binary.all[binary.numberOf(event.engine, event.index)];
  }

  /// Instructions that work: transfers on their queue, others on their engine.
  bool hasNode(const sim::TraceEvent &event) const {
    const Executed &one = executed(event);
    const bool isDma = isa::info(isa::opcode(one.instruction->body)).isDma;
    return one.kind != "control" && (isDma ? event.track >= isa::numEngines &&
                                                 event.track < sim::weightsTrack
                                           : event.track == event.engine);
  }

  void add(std::uint32_t e) {
    const sim::TraceEvent &event = timing.events[e];
    const Executed &one = executed(event);
    std::vector<std::uint64_t> order, needs;
    if (inStream[event.engine] != none)
      order.push_back(inStream[event.engine]);
    for (const std::uint32_t producer : causes.producersOf(e))
      if (nodeOf[producer] != none)
        needs.push_back(nodeOf[producer]);
    const isa::Body &body = one.instruction->body;
    if (const isa::RankLists *pairs = listsOf(body, "source_target_pairs"))
      addPermute(event, one, *pairs, order, needs);
    else if (const isa::RankLists *lists = listsOf(body, "replica_group");
             lists && isRingStep(isa::opcode(body)))
      addPermute(event, one, ringPairs(*lists), order, needs);
    else if (lists && isa::info(isa::opcode(body)).operand("dsts"))
      addCollective(event, one, *lists, order, needs);
    else
      addWork(event, one, order, needs);
    nodeOf[e] = inStream[event.engine] = next - 1;
  }

  /// The fields of all nodes.
  ProtoWriter node(const Executed &one, NodeType type,
                   std::span<const std::uint64_t> order,
                   std::span<const std::uint64_t> needs, sim::Picoseconds begin,
                   sim::Picoseconds end) {
    constexpr std::uint64_t micro = 1'000'000;
    const auto start = static_cast<std::uint64_t>(begin),
               length = static_cast<std::uint64_t>(end - begin);
    ProtoWriter made;
    made.number(1, next++)
        .text(2, isa::mnemonic(isa::opcode(one.instruction->body)))
        .number(3, static_cast<std::uint64_t>(type))
        .list(4, order)
        .list(5, needs)
        .number(6, start / micro)
        .number(7, (length + micro / 2) / micro)
        .message(10, flag("is_cpu_op", false))
        .message(10, integer("start_ps", start))
        .message(10, integer("duration_ps", length))
        .message(10, words("engine", isa::engineNames[one.engine]))
        .message(10, words("source", sourceOf(*one.instruction, module)));
    if (launch.modules.size() > 1)
      made.message(10, small("core", core % launch.modules.size()));
    return made;
  }

  void addWork(const sim::TraceEvent &event, const Executed &one,
               std::span<const std::uint64_t> order,
               std::span<const std::uint64_t> needs) {
    const NodeType type = one.kind == "dma_in"    ? NodeType::load
                          : one.kind == "dma_out" ? NodeType::store
                                                  : NodeType::compute;
    ProtoWriter made = node(one, type, order, needs, event.start, event.end);
    if (one.transfer)
      made.message(10, integer("tensor_size", one.transfer->bytes));
    else
      made.message(10, integer("num_ops", one.cost.flops));
    made.appendTo(file);
  }

  /// The next meeting of an instruction; null for one that meets no other core.
  const sim::TraceMeeting *meetingOf(const sim::TraceEvent &event) {
    const std::uint32_t number = binary.numberOf(event.engine, event.index);
    const std::size_t visit = visits[number]++;
    const auto &known = meetings[number];
    return visit < known.size() ? known[visit] : nullptr;
  }

  /// From where this rank came; its wait for others is a part of it.
  static sim::Picoseconds beginOf(const sim::TraceEvent &event,
                                  const sim::TraceMeeting *meeting) {
    return meeting ? meeting->came : event.start;
  }

  void addCollective(const sim::TraceEvent &event, const Executed &one,
                     const isa::RankLists &lists,
                     std::span<const std::uint64_t> order,
                     std::span<const std::uint64_t> needs) {
    const sim::TraceMeeting *meeting = meetingOf(event);
    std::vector<std::uint64_t> group;
    for (const auto &list : lists)
      if (std::find(list.begin(), list.end(),
                    static_cast<std::int32_t>(rank)) != list.end())
        group.assign(list.begin(), list.end());
    ProtoWriter made = node(one, NodeType::collective, order, needs,
                            beginOf(event, meeting), event.end);
    made.message(10,
                 integer("comm_type",
                         communicationOf(isa::opcode(one.instruction->body))))
        .message(10, integer("comm_size", bytesGiven(one)))
        .message(10, words("pg_name", nameOf(group)))
        .message(10, numbers("comm_group", group));
    if (meeting)
      made.message(10, words("algorithm", meeting->algorithm));
    made.appendTo(file);
  }

  /// A send and a receive for the pairs of this rank, one after the other; the
  /// last one represents all. No rank waits for what it receives before it
  /// sends, or a ring would pass one piece at a time.
  void addPermute(const sim::TraceEvent &event, const Executed &one,
                  const isa::RankLists &pairs, std::vector<std::uint64_t> order,
                  std::span<const std::uint64_t> needs) {
    const sim::TraceMeeting *meeting = meetingOf(event);
    const std::uint64_t tag = permutes++, bytes = bytesGiven(one);
    bool passes = false;
    for (const NodeType type : {NodeType::send, NodeType::receive})
      for (const auto &pair : pairs) {
        const auto from = static_cast<std::uint64_t>(pair.front()),
                   to = static_cast<std::uint64_t>(pair.back());
        if ((type == NodeType::send ? from : to) != rank)
          continue;
        ProtoWriter made =
            node(one, type, order, needs, beginOf(event, meeting), event.end);
        made.message(10, integer("comm_size", bytes))
            .message(10, small("comm_src", from))
            .message(10, small("comm_dst", to))
            .message(10, small("comm_tag", tag));
        made.appendTo(file);
        order = {next - 1};
        passes = true;
      }
    if (!passes)
      addWork(event, one, order, needs);
  }

  /// "0,1,2,3", and the core where ranks have two.
  std::string nameOf(const std::vector<std::uint64_t> &group) const {
    std::string name = fmt::format("{}", fmt::join(group, ","));
    if (launch.modules.size() > 1)
      name += fmt::format(" core {}", core % launch.modules.size());
    return name;
  }

  const LaunchProfile &launch;
  const std::size_t core, rank;
  const isa::Module &module;
  const sim::Timing &timing;
  const Causes causes;
  const Binary binary;
  std::string &file;
  std::uint64_t &next;               ///< Id of the next node.
  std::vector<std::uint64_t> nodeOf; ///< By event.
  std::array<std::uint64_t, isa::numEngines> inStream{}; ///< The last one.
  std::uint64_t permutes = 0;
  /// By instruction of the binary.
  std::map<std::uint32_t, std::vector<const sim::TraceMeeting *>> meetings;
  std::map<std::uint32_t, std::size_t> visits;
};

} // namespace

std::string toChakra(const LaunchProfile &launch, std::size_t rank) {
  std::string file;
  ProtoWriter metadata;
  metadata.text(1, "0.0.4")
      .message(2, words("kernel", launch.reports.front().kernel))
      .message(2, words("target", launch.reports.front().target))
      .message(2, small("rank", rank))
      .message(2,
               small("ranks", launch.reports.size() / launch.modules.size()));
  metadata.appendTo(file);
  std::uint64_t next = 0;
  for (std::size_t core = 0; core < launch.modules.size(); ++core)
    CoreNodes(launch, rank * launch.modules.size() + core, file, next).write();
  return file;
}

} // namespace kiln::profile

//===- ChainRules.cpp - Rules on instructions in a row -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/isa/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace kiln::profile::insights {

namespace {

/// One step that the next instruction could include.
bool isSimple(const Item &item) {
  if (!item.isLane() || !item.written() || item.writes(isa::Space::psum))
    return false;
  const isa::Body &body = item.instruction->body;
  if (const auto *scalar = std::get_if<isa::TensorScalar>(&body))
    return !scalar->op1;
  return std::holds_alternative<isa::TensorCopy>(body);
}

/// It has room for one step more.
bool hasRoom(const Item &item) {
  const isa::Body &body = item.instruction->body;
  if (const auto *scalar = std::get_if<isa::TensorScalar>(&body))
    return !scalar->op1;
  return std::holds_alternative<isa::TensorTensor>(body) ||
         std::holds_alternative<isa::Activation>(body) ||
         std::holds_alternative<isa::TensorCopy>(body);
}

using Place = std::tuple<unsigned, isa::Space, unsigned, std::int64_t>;
Place placeOf(const Item &item, const isa::Access &access) {
  return {item.core, access.space, access.partition, access.offset};
}

/// The accesses to a place, in the order of the program.
struct Use {
  const Item *item = nullptr;
  bool writes = false;
};
using Uses = std::map<Place, std::vector<Use>>;

Uses usesOf(const Facts &facts) {
  Uses uses;
  for (const Item &item : facts.items)
    for (const isa::OperandAccess &entry : item.accesses)
      if (entry.access->space != isa::Space::hbm)
        uses[placeOf(item, *entry.access)].push_back(
            {&item, entry.effect == isa::Effect::write});
  for (auto &[place, all] : uses)
    std::stable_sort(all.begin(), all.end(), [](const Use &a, const Use &b) {
      const std::uint32_t first = a.item->instruction->position;
      const std::uint32_t second = b.item->instruction->position;
      return first != second ? first < second : a.writes < b.writes;
    });
  return uses;
}

/// Those that read what `item` writes.
std::vector<const Item *> readersOf(const Uses &uses, const Item &item) {
  const std::vector<Use> &all = uses.at(placeOf(item, *item.written()));
  std::vector<const Item *> readers;
  bool isPast = false;
  for (const Use &use : all) {
    if (use.item == &item && use.writes)
      isPast = true;
    else if (isPast && use.writes)
      break;
    else if (isPast)
      readers.push_back(use.item);
  }
  return readers;
}

std::optional<Finding> unfused(const Facts &facts) {
  const Uses uses = usesOf(facts);
  // Each includes one; those of a chain form pairs.
  std::set<const Item *> full; // Looked up, never walked.
  auto finding = collect(
      facts, 2, 0.01,
      [&](const Item &item) {
        if (!isSimple(item) || full.contains(&item))
          return false;
        const isa::Access &written = *item.written();
        const std::vector<const Item *> readers = readersOf(uses, item);
        const Item *reader = readers.size() == 1 ? readers.front() : nullptr;
        const bool fits = reader && reader != &item && hasRoom(*reader) &&
                          reader->runs == item.runs && reader->read() &&
                          reader->read()->elements() == written.elements() &&
                          reader->read()->partitions == written.partitions;
        return fits && full.insert(reader).second;
      },
      [](Finding &found, const Item &item) { found.free(item); });
  if (finding)
    finding->condition = fmt::format(
        "{} a tile that only one other instruction reads, and that instruction "
        "could do both",
        runsText(*finding, "instruction prepares", "instructions prepare"));
  return finding;
}

/// A copy whose source a DMA could have read directly.
std::optional<Finding> stagingCopy(const Facts &facts) {
  const Uses uses = usesOf(facts);
  auto finding = collect(
      facts, 1, 0.01,
      [&](const Item &item) {
        if (!item.isLane() || item.opcode() != isa::Opcode::TensorCopy ||
            !item.reads(isa::Space::sbuf) ||
            item.read()->dtype != item.written()->dtype)
          return false;
        const std::vector<const Item *> readers = readersOf(uses, item);
        return !readers.empty() &&
               std::all_of(readers.begin(), readers.end(), [](const Item *one) {
                 return one->transfer.has_value();
               });
      },
      [](Finding &found, const Item &item) { found.free(item); });
  if (finding)
    finding->condition = fmt::format(
        "{} read by stores only",
        runsText(*finding, "copy within SBUF is", "copies within SBUF are"));
  return finding;
}

std::optional<Finding> tableSwitches(const Facts &facts) {
  constexpr std::uint64_t few = 3;
  std::map<std::uint8_t, std::uint64_t> tables;
  const auto usesTable = [](const Item &item) {
    return item.isLane() && item.cost.table != 0;
  };
  for (const Item &item : facts.items)
    if (usesTable(item))
      tables[item.cost.table] += item.runs;
  const double share = facts.share(facts.stall(StallReason::table));
  std::uint64_t switches = 0;
  if (facts.target.activation_table_load_ns > 0)
    switches = static_cast<std::uint64_t>(
        static_cast<double>(facts.stall(StallReason::table)) / 1000 /
        facts.target.activation_table_load_ns);
  if (tables.size() < 2 || switches < few)
    return std::nullopt;
  std::uint8_t most = tables.begin()->first;
  for (const auto &[table, runs] : tables)
    if (runs > tables[most])
      most = table;
  auto finding =
      collect(facts, 1, 0, usesTable, [&](Finding &found, const Item &item) {
        machine::InstructionCost cost = item.cost;
        cost.table = most; // One load is left.
        found.set(item, cost);
      });
  if (finding)
    finding->condition = fmt::format(
        "ScalarE loads a function table {} times, {:.1f} % of the makespan",
        switches, 100 * share);
  return finding;
}

std::optional<Finding> dependentChain(const Facts &facts) {
  constexpr double least = 0.05;
  const double share = facts.share(facts.stall(StallReason::dependence));
  if (share < least)
    return std::nullopt;
  Finding finding(facts);
  isa::Target &without = finding.without.target;
  without.dependent_issue_cycles = 0;
  for (const Item &item : facts.items) {
    if (item.stalls[static_cast<std::size_t>(StallReason::dependence)] > 0)
      finding.items.push_back(&item);
    if (!item.isLane())
      continue;
    machine::InstructionCost cost = item.cost;
    cost.latency = std::min(cost.latency, cost.interval);
    finding.set(item, cost);
  }
  finding.condition = fmt::format(
      "engines wait {:.1f} % of the makespan for their own last result",
      100 * share);
  return finding;
}

std::optional<Finding> control(const Facts &facts) {
  constexpr double least = 0.05;
  const double share = facts.share(facts.stall(StallReason::control));
  if (share < least)
    return std::nullopt;
  Finding finding(facts);
  isa::Target &without = finding.without.target;
  without.control_instruction_ns = without.loop_iteration_ns = 0;
  for (const Item &item : facts.items)
    if (item.stalls[static_cast<std::size_t>(StallReason::control)] > 0)
      finding.items.push_back(&item);
  finding.condition =
      fmt::format("sequencers keep engines waiting {:.1f} % of the makespan "
                  "with loops and registers",
                  100 * share);
  return finding;
}

std::optional<Finding> fetch(const Facts &facts) {
  constexpr double least = 0.01;
  constexpr int all = 1 << 28;
  const double share = facts.share(facts.stall(StallReason::fetch));
  if (share < least)
    return std::nullopt;
  Finding finding(facts);
  finding.without.target.fetch_buffer_instructions = all;
  for (const Item &item : facts.items)
    if (item.stalls[static_cast<std::size_t>(StallReason::fetch)] > 0)
      finding.items.push_back(&item);
  finding.condition = fmt::format(
      "engines wait {:.1f} % of the makespan for instructions: loop bodies "
      "are longer than the {} instructions that a buffer holds",
      100 * share, facts.target.fetch_buffer_instructions);
  return finding;
}

constexpr Rule chainRuleList[] = {
    {"unfused", "R6", "several passes where one would do",
     "the earlier instruction of each pair",
     "use the two-operation forms: tensor_scalar has two, "
     "scalar_tensor_tensor too, activation scales and adds a bias",
     "nc::tensor_scalar(y, x, AluOp::multiply, 2.f, {.op1 = AluOp::add, "
     ".operand1 = 1.f});",
     unfused},
    {"staging-copy", "R23", "tiles are copied only to be stored",
     "those copies",
     "write the result where the store reads it: one tile for all blocks, "
     "stored once",
     "store(y.rows_at(r, n), t);  // t itself, not a copy of it", stagingCopy},
    {"table-switches", "R30", "ScalarE switches function tables",
     "all loads of tables but one",
     "compute one function for several tiles before the next function, or move "
     "one function to VectorE",
     "for (int i = 0; i < 8; ++i) nc::activation(u.cols(i, 64_c), "
     "nc::ActivationFunction::exp, x.cols(i, 64_c));  // then a loop for sqrt",
     tableSwitches},
    {"dependent-chain", "R5a", "each instruction needs the one before",
     "the latency between them",
     "interleave two independent tiles, or use one instruction for the "
     "recurrence",
     "nc::tensor_tensor_scan(h, a, b, 0.f, AluOp::multiply, AluOp::add);",
     dependentChain},
    {"loop-overhead", "R26", "loops cost more time than their bodies",
     "the time of loop and register instructions",
     "do more in each iteration: larger tiles, or unroll",
     "for (int i = 0; i < 4; ++i) ..  // a C++ loop is unrolled", control},
    {"fetch", "R5a", "instructions come late", "the waits for instructions",
     "roll the code up into loops that fit in the buffer",
     "tiles(\"rows\", rows, 128_c, ..);  // instead of a C++ loop", fetch},
};

} // namespace

std::span<const Rule> chainRules() { return chainRuleList; }

} // namespace kiln::profile::insights

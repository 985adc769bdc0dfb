//===- Meetings.cpp - Where cores and ranks meet -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"

#include "Collectives.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kiln::interpret {

bool isMeeting(std::string_view mnemonic) {
  return mnemonic == "core_barrier" || mnemonic == "sendrecv" ||
         isCollective(mnemonic);
}

/// The list that holds the rank; -1 separates lists.
static std::vector<std::int64_t> ownList(const Machine &machine,
                                         std::vector<std::int64_t> lists) {
  const auto own = static_cast<std::int64_t>(machine.rank);
  auto begin = lists.begin();
  while (begin != lists.end()) {
    const auto end = std::find(begin, lists.end(), -1);
    if (std::find(begin, end, own) != end)
      return {begin, end};
    begin = end == lists.end() ? end : end + 1;
  }
  return {};
}

void loadRank(Machine &machine, const Op &op) {
  const program::InstructionCall &call = *op.call();
  if (call.mnemonic == "rank_id")
    return machine.setRegister(op.result, machine.rank);
  const auto list = ownList(machine, listOf(call, "replica_group"));
  const auto *step = call.get<program::IndexRef>("iteration_id");
  if (list.empty() || !step)
    return machine.fail(Fault::invalid,
                        "a rank is not in any list of its ring");
  const auto count = static_cast<std::int64_t>(list.size());
  const std::int64_t place =
      std::find(list.begin(), list.end(), machine.rank) - list.begin();
  const std::int64_t at =
      (((place - machine.index(step->index)) % count) + count) % count;
  machine.setRegister(op.result, list[static_cast<std::size_t>(at)]);
}

namespace {

class Launch {
public:
  Launch(Machines &machines, std::size_t coresPerRank)
      : machines(machines), coresPerRank(coresPerRank) {}

  void run() {
    while (true) {
      bool isDone = true;
      for (const std::unique_ptr<Machine> &machine : machines) {
        machine->run();
        if (machine->failed())
          return;
        isDone &= machine->finished();
      }
      if (isDone)
        return;
      if (!meetSome())
        return failWaiting();
    }
  }

private:
  /// Runs every operation whose partners have all arrived.
  bool meetSome() {
    bool any = false;
    for (const std::unique_ptr<Machine> &machine : machines) {
      if (!machine->meeting())
        continue;
      const std::vector<Machine *> partners = partnersOf(*machine);
      if (machine->failed())
        return true;
      if (!allHere(*machine, partners))
        continue;
      meet(partners);
      for (Machine *partner : partners)
        partner->met();
      any = true;
    }
    return any;
  }

  Machine &machineOf(std::size_t rank, std::size_t core) {
    return *machines[rank * coresPerRank + core];
  }

  /// All participants, in the order of the list; a single one continues at
  /// once.
  std::vector<Machine *> partnersOf(Machine &machine) {
    const program::InstructionCall &call = *machine.meeting()->call();
    const std::string_view mnemonic = call.mnemonic;
    std::vector<Machine *> partners;
    if (!isCollective(mnemonic)) {
      for (std::size_t core = 0; core < coresPerRank; ++core)
        partners.push_back(&machineOf(machine.rank, core));
      return partners;
    }
    const bool isPermutation = mnemonic == "collective_permute";
    std::vector<std::int64_t> list;
    if (isPermutation) {
      // The partners of an exchange: each core is in a pair.
      list = listOf(call, "source_target_pairs");
      std::erase(list, -1);
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      if (std::find(list.begin(), list.end(), machine.rank) == list.end())
        return {&machine};
    } else {
      list = ownList(machine, listOf(call, "replica_group"));
    }
    for (const std::int64_t rank : list)
      if (rank < 0 || static_cast<std::size_t>(rank) >= machine.ranks) {
        machine.fail(Fault::invalid,
                     "rank " + std::to_string(rank) + " is not in the launch");
        return {};
      } else {
        partners.push_back(
            &machineOf(static_cast<std::size_t>(rank), machine.program.core));
      }
    if (partners.empty())
      machine.fail(Fault::invalid, "a rank is not in any list of a collective");
    return partners;
  }

  static bool allHere(const Machine &machine,
                      const std::vector<Machine *> &partners) {
    const auto pipeOf = [](const Op &op) {
      const auto *pipe = op.call()->get<std::int64_t>("pipe_id");
      return pipe ? *pipe : 0;
    };
    const Op &op = *machine.meeting();
    return std::all_of(partners.begin(), partners.end(),
                       [&](const Machine *partner) {
                         const Op *other = partner->meeting();
                         return other && other->mnemonic() == op.mnemonic() &&
                                pipeOf(*other) == pipeOf(op);
                       });
  }

  static void meet(const std::vector<Machine *> &partners) {
    std::vector<Call> calls;
    for (Machine *partner : partners) {
      calls.emplace_back(*partner, *partner->meeting());
      if (partner->failed())
        return;
    }
    if (calls.front().mnemonic == "sendrecv")
      exchange(calls);
    else if (calls.front().mnemonic == "collective_permute")
      permute(calls);
    else if (calls.front().mnemonic != "core_barrier")
      interpretCollective(calls);
  }

  /// Between the two cores of a rank, or of a core with itself.
  static void exchange(std::vector<Call> &calls) {
    std::vector<Array> sources;
    for (Call &call : calls)
      sources.push_back(call.read("src"));
    for (std::size_t core = 0; core < calls.size(); ++core) {
      const auto from =
          static_cast<std::size_t>(calls[core].integer("recv_from_rank"));
      if (from >= calls.size() || calls[from].integer("send_to_rank") !=
                                      static_cast<std::int64_t>(core))
        return calls[core].fail("the cores of a sendrecv do not name each "
                                "other");
      calls[core].write("dst", sources[from]);
    }
  }

  static void permute(std::vector<Call> &calls) {
    std::vector<Array> sources;
    for (Call &call : calls)
      sources.push_back(call.read("srcs"));
    const auto callOf = [&](std::int64_t rank) {
      for (std::size_t i = 0; i < calls.size(); ++i)
        if (calls[i].machine.rank == rank)
          return i;
      return calls.size();
    };
    std::vector<std::int64_t> pairs = calls.front().list("source_target_pairs");
    std::erase(pairs, -1);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const std::size_t source = callOf(pairs[i]),
                        target = callOf(pairs[i + 1]);
      if (source < calls.size() && target < calls.size())
        calls[target].write("dsts", sources[source]);
    }
  }

  void failWaiting() {
    for (const std::unique_ptr<Machine> &machine : machines)
      if (machine->meeting())
        return machine->fail(Fault::invalid,
                             "core " + std::to_string(machine->program.core) +
                                 " of rank " + std::to_string(machine->rank) +
                                 " waits in '" +
                                 std::string(machine->meeting()->mnemonic()) +
                                 "' for others that do not come there");
  }

  Machines &machines;
  std::size_t coresPerRank;
};

} // namespace

void runTogether(Machines &machines, std::size_t coresPerRank) {
  Launch(machines, coresPerRank).run();
}

} // namespace kiln::interpret

//===- OrderRules.cpp - Recording order and semaphores --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels are numbers of operations until Finish.h numbers them in text order.
//
//===----------------------------------------------------------------------===//

#include "OrderRules.h"

#include "kiln/isa/info.h"

#include <limits>

namespace kiln::dsl {

Id recordSemaphore(Recorder &recorder, std::string_view name,
                   const Where &where) {
  std::vector<std::string> &names = recorder.program.semaphores;
  const auto found = std::find(names.begin(), names.end(), name);
  const auto id = static_cast<Id>(found - names.begin());
  if (found != names.end())
    return id;
  if (names.size() == isa::userSemaphores)
    fail("KILN-A030",
         "semaphore \"" + std::string(name) + "\" is number <|" +
             std::to_string(names.size() + 1) + "|>; a kernel has at most [|" +
             std::to_string(isa::userSemaphores) + "|] of its own",
         "reuse a semaphore whose tokens have been taken", where);
  names.emplace_back(name);
  return id;
}

void recordToken(Recorder &recorder, Id operation, bool isWait, Id semaphore,
                 std::int64_t count, const Where &where) {
  const std::string &name = recorder.program.semaphores[semaphore];
  auto failCount = [&](std::int64_t found) {
    fail("KILN-A031",
         std::string(isWait ? "a wait for" : "a signal of") + " semaphore \"" +
             name + "\" has <|" + std::to_string(found) +
             "|> tokens; expected [|1 to " + std::to_string(isa::maxTokens) +
             "|]",
         "count blocks or tiles, not bytes or elements", where);
  };
  if (count < 1 || count > isa::maxTokens)
    failCount(count);
  program::Order &order = recorder.ops[operation].order;
  std::vector<program::Tokens> &list = isWait ? order.waits : order.signals;
  for (program::Tokens &tokens : list)
    if (tokens.semaphore == semaphore) {
      if ((tokens.count += count) > isa::maxTokens)
        failCount(tokens.count);
      return;
    }
  list.push_back({semaphore, count});
}

void recordAfter(Recorder &recorder, Id later, Id earlier, const Where &where) {
  if (earlier >= later)
    fail("KILN-A032",
         earlier == later
             ? "an operation is ordered after itself"
             : "an operation is ordered after one that is recorded later",
         "after() takes an operation of an earlier line; move one of the two",
         where);
  recorder.ops[earlier].order.label = earlier;
  recorder.ops[later].order.label = later;
  std::vector<std::int64_t> &list = recorder.ops[later].order.after;
  if (std::find(list.begin(), list.end(), earlier) == list.end())
    list.push_back(earlier);
}

void recordUrgency(Recorder &recorder, Id operation, std::int64_t urgency,
                   const Where &where) {
  constexpr std::int64_t most = program::mostUrgency;
  if (urgency < -most || urgency > most)
    fail("KILN-A040",
         "an urgency is <|" + std::to_string(urgency) + "|>; expected [|" +
             std::to_string(-most) + " to " + std::to_string(most) + "|]",
         "0 is usual, and more is more urgent; small numbers suffice, because "
         "only their order counts",
         where);
  if (operation == none)
    recorder.openUrgency(urgency);
  else
    Recorder::setUrgency(recorder.ops[operation], urgency);
}

/// "banks 2 to 3".
static std::string rangeText(isa::Space space, std::int64_t begin,
                             std::int64_t end) {
  return (space == isa::Space::psum ? "banks " : "bytes ") +
         std::to_string(begin) + " to " + std::to_string(end - 1);
}

void recordMemory(Recorder &recorder, const std::string &name,
                  const MemoryRange *ranges, std::size_t count,
                  const Where &where) {
  program::MemoryScope scope = recorder.memoryScope();
  if (count == 2 && ranges[0].space == ranges[1].space)
    fail("KILN-A039",
         "allocate_in \"" + name + "\" has <|two ranges of " +
             std::string(isa::name(ranges[0].space)) +
             "|>; expected [|one, or one of sbuf and one of psum|]",
         "tiles that have to lie in different parts of a memory are recorded "
         "in scopes of their own",
         where);
  for (std::size_t i = 0; i < count; ++i) {
    const auto [space, begin, end] = ranges[i];
    const bool isPsum = space == isa::Space::psum;
    const std::int64_t most = isPsum ? static_cast<std::int64_t>(isa::psumBanks)
                                     : std::numeric_limits<std::int32_t>::max();
    if (begin < 0 || end <= begin || end > most)
      fail("KILN-A039",
           "allocate_in \"" + name + "\" is from " +
               (isPsum ? "bank" : "byte") + " <|" + std::to_string(begin) +
               " up to " + std::to_string(end) + "|>",
           isPsum ? "the end is not part of the range: psum_banks(0, 2) are "
                    "banks 0 and 1, and psum_banks(0, 8) are all"
                  : "the end is not part of the range: sbuf_bytes(0, 4096) "
                    "are the first 4096 bytes of each partition",
           where);
    auto &limit = isPsum ? scope.psum : scope.sbuf;
    const auto outer = limit;
    limit = {name, begin, end};
    if (!outer)
      continue;
    limit->begin = std::max(limit->begin, outer->begin);
    limit->end = std::min(limit->end, outer->end);
    if (limit->begin >= limit->end)
      fail("KILN-A039",
           "allocate_in \"" + name + "\" has <|" +
               rangeText(space, begin, end) + "|>, but \"" + outer->name +
               "\" around it has [|" +
               rangeText(space, outer->begin, outer->end) + "|]",
           "an inner range narrows the outer one: choose a part of it, or "
           "close the outer scope first",
           where);
  }
  recorder.openMemory(std::move(scope));
}

static std::string placeText(const Where &where) {
  const std::string file = where.file_name();
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line());
}

void checkNothingPrepared(const Recorder &recorder) {
  if (!recorder.prepared.isTriggered)
    fail("KILN-A036", "a prepared collective is never triggered",
         "trigger it in the loop body that prepares it",
         recorder.prepared.where);
}

Id recordPrepare(Recorder &recorder, const Where &where) {
  Recorder::Preparation &last = recorder.prepared;
  if (!last.isTriggered)
    fail("KILN-A036",
         "a collective is prepared while the one of " + placeText(last.where) +
             " is not triggered; a core has room for one",
         "trigger that one first", where);
  if (!isa::info(isa::Opcode::AllToAllVPrepare).isOn(recorder.targetGeneration))
    fail("KILN-A036",
         "trn3 connects ranks by a switch and prepares no collectives",
         "call all_to_all_v or all_gather_v where the data is ready", where);
  last = {last.number + 1, recorder.currentBody(), where, false};
  return last.number;
}

void recordTrigger(Recorder &recorder, Id number, const Where &where) {
  Recorder::Preparation &last = recorder.prepared;
  if (last.number != number || last.isTriggered)
    fail("KILN-A036", "a collective is triggered twice",
         "prepare it again, or call it without preparation", where);
  if (last.body != recorder.currentBody())
    fail("KILN-A036",
         "a collective is triggered in another loop body than that of " +
             placeText(last.where) + ", which prepares it",
         "prepare and trigger it in one body", where);
  last.isTriggered = true;
}

} // namespace kiln::dsl

//===- LateWriter.cpp - Who would have written the bytes ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Faults.h"
#include "../Scheduler.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

void Scheduler::findLateWriter(const MemoryRange &unwritten) {
  constexpr std::uint64_t patience = 100'000;
  Fault report = std::move(*fault);
  const FaultParty reader = report.parties.front();
  fault.reset();
  checker = nullptr;
  watchedRange = unwritten;
  stepLimit = std::min(stepLimit, steps + patience);
  // An engine instruction that was refused has taken its tokens; it is left
  // out. A transfer is still in its queue.
  Stream &stream = streams[static_cast<std::size_t>(reader.engine)];
  if (!stream.cursor.atEnd() && stream.cursor.index() == reader.index &&
      !stream.cursor.headIsDma() && stream.cursor.advance())
    signal(stream.plan.instructions()[reader.index], reader.engine,
           reader.index, nullptr);
  if (!fault)
    runStreams();
  fault = std::move(report);
  if (!stopped)
    return;
  fault->text += fmt::format("; {} writes it only later, so let the reader "
                             "wait for a signal of that",
                             nameOf(*stopped));
  fault->parties.push_back(*stopped);
  stopped.reset();
}

} // namespace kiln::sim

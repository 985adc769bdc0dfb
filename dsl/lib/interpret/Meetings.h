//===- Meetings.h - Where cores and ranks meet ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each core runs until it reaches an operation in which others take part. When
// no core can continue, operations whose partners have all arrived run, for all
// of them at once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_MEETINGS_H
#define KILN_INTERPRET_MEETINGS_H

#include "Machine.h"

#include <memory>
#include <string_view>
#include <vector>

namespace kiln::interpret {

/// True if the instruction waits for other cores.
bool isMeeting(std::string_view mnemonic);

/// Sets the register of rank_id and of the rank whose data is available.
void loadRank(Machine &machine, const Op &op);

/// The cores of all ranks: core c of rank r is r * coresPerRank + c.
using Machines = std::vector<std::unique_ptr<Machine>>;

/// Runs all of them to their ends, or until one fails.
void runTogether(Machines &machines, std::size_t coresPerRank);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_MEETINGS_H

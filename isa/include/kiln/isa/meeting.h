//===- meeting.h - Instructions that meet other cores ---------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_MEETING_H
#define KILN_ISA_MEETING_H

#include "kiln/isa/instruction.h"

#include <vector>

namespace kiln::isa {

/// True if the instruction runs on a queue and meets others. A preparation
/// counts too, although it meets only itself.
bool meetsAsTransfer(const Body &body);

/// True for the first or the second part of a two-part collective.
bool isPreparation(const Body &body);
bool isTrigger(const Body &body);

/// True if a table in memory gives the sizes that it moves.
bool hasTable(const Body &body);

/// The ranks that an instruction names, or null.
const RankLists *rankListsOf(const Body &body);

/// All ranks of the pairs, each once, in order.
std::vector<unsigned> ranksOfPairs(const RankLists &pairs);

/// The ranks that meet in a collective: a list for each of its meetings.
std::vector<std::vector<unsigned>> meetingsOf(const Body &body);

} // namespace kiln::isa

#endif // KILN_ISA_MEETING_H

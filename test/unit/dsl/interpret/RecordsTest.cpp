//===- RecordsTest.cpp - Every record has a meaning ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"
#include "catch.h"
#include "instructions/Meanings.h"
#include "kiln/isa/info.h"

#include <algorithm>
#include <set>

using namespace kiln;

TEST_CASE("every instruction of the language has a meaning") {
  const auto meanings = interpret::meanings();
  const auto elsewhere = interpret::instructionsElsewhere();
  const auto isMeant = [&](std::string_view mnemonic) {
    return std::any_of(
        meanings.begin(), meanings.end(),
        [&](const auto &entry) { return entry.mnemonic == mnemonic; });
  };
  const auto isExcluded = [&](std::string_view mnemonic) {
    return std::any_of(
        elsewhere.begin(), elsewhere.end(),
        [&](const auto &entry) { return entry.mnemonic == mnemonic; });
  };
  for (const isa::InstructionInfo &entry : isa::instructionTable) {
    INFO(entry.mnemonic);
    // In one of the three, and in one only.
    CHECK(isMeant(entry.mnemonic) + isExcluded(entry.mnemonic) +
              interpret::isMeeting(entry.mnemonic) ==
          1);
    // What a call records, an instruction of an engine, is never excluded.
    CHECK((entry.isControl || !isExcluded(entry.mnemonic)));
  }
  // And nothing else is claimed.
  for (const auto &entry : meanings)
    CHECK(isa::parseOpcode(entry.mnemonic));
  for (const auto &entry : elsewhere) {
    CHECK(isa::parseOpcode(entry.mnemonic));
    CHECK(!entry.reason.empty());
  }
}

//===- semantics_test.cpp - Every record has a meaning --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "function/Machine.h"
#include "peers/PeerGroup.h"

#include "catch.h"

using namespace kiln;

TEST_CASE("the executor has a meaning for every record") {
  for (const auto &entry : isa::opcodeTable) {
    CAPTURE(std::string(entry.name));
    const isa::Body body = isa::makeBody(entry.value);
    // What meets others has its meaning in lib/peers and is only known by kind
    // here; test/unit/runtime-sim/peers runs each of them.
    const bool meets = sim::meetsAsTransfer(body) ||
                       std::holds_alternative<isa::CoreBarrier>(body);
    CHECK((meets || sim::Machine::understands(body)));
  }
}

//===- semantics_test.cpp - Every record has a meaning --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchChecks.h"
#include "kernels/Kernels.h"

#include "catch.h"

using namespace kiln;

TEST_CASE("the executor has a meaning for every record") {
  for (const auto &entry : isa::opcodeTable) {
    CAPTURE(std::string(entry.name));
    const isa::Body body = isa::makeBody(entry.value);
    // What meets others is only known by kind here;
    // test/unit/runtime-sim/peers runs each of them.
    CHECK(sim::hasMeaning(body));
  }
}

// The meanings look them up without asking: what a record allows, isa's checks
// let through, and what it does not, they refuse.
TEST_CASE("every operator has the row functions that records allow it") {
  const sim::Kernels &kernels = sim::kernels();
  for (const auto &entry : isa::EnumTraits<isa::AluOp>::entries) {
    CAPTURE(std::string(entry.name));
    const isa::AluOp op = entry.value;
    const auto index = static_cast<std::size_t>(op);
    if (op == isa::AluOp::average) // Only tensor_partition_reduce, which adds.
      continue;
    if (isa::isBitwise(op)) {
      CHECK(kernels.onUnsigned[index]);
      continue;
    }
    CHECK(kernels.vs[index]);
    CHECK(kernels.sv[index]);
    if (isa::isUnary(op) || op == isa::AluOp::bypass)
      continue;
    CHECK(kernels.vv[index]);
    // GpSimd computes on 32-bit integers exactly.
    if (op != isa::AluOp::power) {
      CHECK(kernels.onUnsigned[index]);
      CHECK(kernels.onSigned[index]);
    }
  }
  for (const auto &entry : isa::EnumTraits<isa::ActivationFunction>::entries) {
    CAPTURE(std::string(entry.name));
    CHECK((kernels.activation[static_cast<std::size_t>(entry.value)] ||
           entry.value == isa::ActivationFunction::prelu));
  }
}

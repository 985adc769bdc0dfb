//===- Mutation.cpp - Decisions taken wrongly, for tests of the checkers --===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Mutation.h"

using namespace kiln::compiler;

namespace {
thread_local Mutation planted = Mutation::none;
thread_local std::int64_t left = -1;
} // namespace

void kiln::compiler::testing::plant(Mutation mutation, std::int64_t countdown) {
  planted = mutation;
  left = countdown;
}

bool kiln::compiler::testing::unplant() {
  planted = Mutation::none;
  return left < 0;
}

bool kiln::compiler::isMutated(Mutation mutation) {
  return mutation == planted && left-- == 0;
}

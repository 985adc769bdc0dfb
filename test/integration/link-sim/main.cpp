//===- main.cpp - The executor on its own -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/assembly.h"
#include "kiln/sim/executor.h"
#include "kiln/sim/timing.h"

#include <cstdio>

using namespace kiln;

/// Runs a kernel without instructions: it ends, in no time, without a fault.
int main() {
  isa::Module module;
  module.kernel = "nothing";
  sim::Result result = sim::run(module, isa::trn2, {}, sim::Options());
  if (result.fault) {
    std::puts(result.fault->text.c_str());
    return 1;
  }
  isa::Expected<sim::Timing> timing = sim::simulateTiming(module, isa::trn2);
  if (!timing) {
    std::puts(timing.error().text.c_str());
    return 1;
  }
  return timing->makespan < 0;
}

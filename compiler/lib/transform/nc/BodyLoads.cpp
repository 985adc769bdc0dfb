//===- BodyLoads.cpp - How busy a body keeps each engine -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyLoads.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/machine/dma_plan.h"

#include <algorithm>

using namespace kiln::compiler::nc;

/// A transfer takes longer than its share of the DMA engines: they are not
/// evenly busy.
static constexpr double transferMargin = 1.05;

void BodyLoads::add(NcInstruction op) {
  if (llvm::isa<RegisterLoadOp>(op.getOperation()))
    return;
  const BuiltInstruction instruction = built(op);
  const std::optional<isa::Engine> assigned = op.getAssignedEngine();
  if (infoOf(op).isDma) {
    const isa::Engine engine = assigned.value_or(isa::Engine::sync);
    const machine::DmaPlan plan =
        machine::planDma(instruction.body, engine, costs->target());
    work += static_cast<double>(
        *std::max_element(plan.work.begin(), plan.work.end()));
    issue[static_cast<size_t>(engine)] +=
        static_cast<double>(costs->of(instruction, engine).issue);
    return;
  }
  const auto timeOn = [&](isa::Engine engine) {
    return static_cast<double>(costs->of(instruction, engine).pace);
  };
  const auto portOn = [&](isa::Engine engine) {
    return portTime(instruction.body, engine, costs->target());
  };
  EngineChoice choice;
  if (assigned)
    choice.engines.push_back(*assigned);
  else
    choice.engines = legalEngines(op);
  if (choice.engines.size() == 1) {
    const isa::Engine engine = choice.engines.front();
    fixed.add(engine, timeOn(engine), portOn(engine));
    return;
  }
  for (const isa::Engine engine : choice.engines) {
    choice.times.push_back(timeOn(engine));
    choice.streams.push_back(portOn(engine));
  }
  if (!choice.engines.empty())
    choices.push_back(std::move(choice));
}

EngineLoads BodyLoads::balanced() const {
  EngineLoads loads = fixed;
  for (size_t i = 0; i < issue.size(); ++i)
    loads.add(static_cast<isa::Engine>(i), issue[i], 0);
  balanceEngines(choices, loads);
  return loads;
}

double BodyLoads::transfers() const {
  return std::max(*std::max_element(issue.begin(), issue.end()),
                  work * transferMargin);
}

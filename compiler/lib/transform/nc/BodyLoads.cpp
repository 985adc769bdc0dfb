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

BodyLoads::Part BodyLoads::measure(NcInstruction op) const {
  Part part;
  if (llvm::isa<RegisterLoadOp>(op.getOperation()))
    return part;
  const BuiltInstruction instruction = built(op);
  const std::optional<isa::Engine> assigned = op.getAssignedEngine();
  if (infoOf(op).isDma) {
    part.queue = assigned.value_or(isa::Engine::sync);
    const machine::DmaPlan plan =
        machine::planDma(instruction.body, part.queue, costs->target());
    part.work = static_cast<double>(
        *std::max_element(plan.work.begin(), plan.work.end()));
    part.issue = static_cast<double>(costs->of(instruction, part.queue).issue);
    return part;
  }
  if (assigned)
    part.choice.engines.push_back(*assigned);
  else
    part.choice.engines = legalEngines(op);
  for (const isa::Engine engine : part.choice.engines) {
    part.choice.times.push_back(
        static_cast<double>(costs->of(instruction, engine).pace));
    part.choice.streams.push_back(
        portTime(instruction.body, engine, costs->target()));
  }
  return part;
}

void BodyLoads::add(const Part &part) {
  work += part.work;
  issue[static_cast<size_t>(part.queue)] += part.issue;
  const EngineChoice &choice = part.choice;
  if (choice.engines.size() == 1)
    fixed.add(choice.engines.front(), choice.times.front(),
              choice.streams.front());
  else if (!choice.engines.empty())
    choices.push_back(choice);
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

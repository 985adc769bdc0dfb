//===- HbmStack.cpp - Cores that share the bandwidth of a stack -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HbmStack.h"

#include "DmaModel.h"

namespace kiln::sim::timing {

HbmStack::HbmStack(const isa::Target &target, unsigned simulated)
    : rate(machine::hbmRate(target, simulated)) {}

bool HbmStack::isTight() const {
  double most = 0;
  for (const DmaModel *user : users) {
    if (user->isThrottled())
      return true;
    most += user->mostDemand();
  }
  return most > rate;
}

bool HbmStack::rebalance(Picoseconds now, const DmaModel &self) {
  double demand = 0;
  for (DmaModel *user : users) {
    user->separate();
    demand += user->demand();
  }
  const std::int64_t scale =
      demand > rate ? std::max<std::int64_t>(
                          1, static_cast<std::int64_t>(
                                 static_cast<double>(fullRate) * rate / demand))
                    : fullRate;
  bool others = false;
  for (DmaModel *user : users)
    if (user->changeScale(now, scale))
      others |= user != &self;
  return others;
}

} // namespace kiln::sim::timing

//===- HbmStack.h - Cores that share the bandwidth of a stack -- -*- C++
//-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_HBMSTACK_H
#define KILN_SIM_LIB_TIMING_HBMSTACK_H

#include "kiln/isa/target.h"
#include "kiln/sim/trace.h"

#include <vector>

namespace kiln::sim::timing {

class DmaModel;

/// The HBM stack that some cores of a launch have in common. While they could
/// request more than it delivers, their traffic slows down alike; a core
/// without HBM traffic continues at full speed.
class HbmStack {
public:
  /// `simulated` of the stack's cores are those of the launch. They get what
  /// the busy ones among the other cores leave, which take a core's share each.
  HbmStack(const isa::Target &target, unsigned simulated);

  void add(DmaModel &user) { users.push_back(&user); }

  /// True if the cores together may exceed the bandwidth with their traffic in
  /// flight. Then all of them must advance in one order of time.
  bool isTight() const;
  /// What moves has changed at `now`. Returns whether a user other than `self`
  /// continues at another speed.
  bool rebalance(Picoseconds now, const DmaModel &self);

private:
  double rate; ///< Bytes in a picosecond.
  std::vector<DmaModel *> users;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_HBMSTACK_H

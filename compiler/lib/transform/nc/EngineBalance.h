//===- EngineBalance.h - Work of a loop spread over engines ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ENGINEBALANCE_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ENGINEBALANCE_H

#include "kiln/compiler/dialect/nc/Cost.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>

namespace kiln::compiler::nc {

/// ps for which the engines are busy.
struct EngineLoads {
  std::array<double, isa::numEngines> engines{};
  double port = 0;        ///< Of SBUF: see portTime().
  double gpsimdsPort = 0; ///< GpSimd's part of that.

  void add(isa::Engine engine, double busy, double streams) {
    engines[static_cast<size_t>(engine)] += busy;
    port += streams;
    gpsimdsPort += engine == isa::Engine::gpsimd ? streams : 0;
  }
  void add(const EngineLoads &other) {
    for (size_t i = 0; i < engines.size(); ++i)
      engines[i] += other.engines[i];
    port += other.port;
    gpsimdsPort += other.gpsimdsPort;
  }
  double of(isa::Engine engine) const {
    return engines[static_cast<size_t>(engine)];
  }
  /// Of whatever is busier with one more.
  double with(isa::Engine engine, double busy, double streams) const {
    const double own = engines[static_cast<size_t>(engine)] + busy;
    return streams > 0 ? std::max(own, port + streams) : own;
  }
  double busiest() const {
    return std::max(port, *std::max_element(engines.begin(), engines.end()));
  }
  /// The same if VectorE and GpSimd come to their port at any time: each waits
  /// for the other while both want it.
  double busiestWithWaits() const {
    const double most = busiest();
    if (most <= 0)
      return most;
    const double wait = (port - gpsimdsPort) * gpsimdsPort / most;
    return std::max(most, wait + std::max(of(isa::Engine::vector),
                                          of(isa::Engine::gpsimd)));
  }
  /// Of the engines in a mask.
  double busiestOf(std::uint32_t mask) const {
    double most = port;
    for (size_t i = 0; i < engines.size(); ++i)
      if (mask & isa::maskOf(static_cast<isa::Engine>(i)))
        most = std::max(most, engines[i]);
    return most;
  }
};

/// ps for which it streams through the port of SBUF that VectorE and GpSimd
/// hold in turn or, in fast modes, share cycle by cycle.
double portTime(const isa::Body &body, isa::Engine engine,
                const isa::Target &target);

/// An instruction that several engines run, and what it takes on each, in ps.
struct EngineChoice {
  llvm::SmallVector<isa::Engine, 4> engines;
  llvm::SmallVector<double, 4> times, streams;
};

/// All engines that some choice is between.
std::uint32_t enginesOf(llvm::ArrayRef<EngineChoice> choices);

/// By choice, the index of its engine, so that whatever is busiest is least
/// busy, by local search: one or two choices at a time move. `loads` is what
/// the rest of the body takes, and becomes what all of it does.
llvm::SmallVector<size_t> balanceEngines(llvm::ArrayRef<EngineChoice> choices,
                                         EngineLoads &loads);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ENGINEBALANCE_H

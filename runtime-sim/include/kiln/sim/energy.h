//===- energy.h - What a run takes, by an estimate ------------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Energy is a sum over kinds of work: how often a core does it, times the
// energy of doing it once (td/Target.td, `energy_`). No figures are published
// for these chips, so this is an estimate, for comparing kernels. It is
// computed from the totals of a run: a run without a profile pays nothing.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_ENERGY_H
#define KILN_SIM_ENERGY_H

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/sim/trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln::sim {

/// A kind of work that is counted, and the parameter with its energy.
struct EnergyItem {
  std::string_view name; ///< "16-bit products"
  std::string_view part; ///< "TensorE", .., "SBUF", "PSUM", "HBM", "DMA", ..
  std::string_view unit; ///< "multiply-adds", "elements", "bytes", ..
  std::string_view parameter;
  double isa::TargetParameters::*each; ///< In pJ.
};

/// For each engine, the order is: additions, multiplications, others.
enum class EnergyOf : std::uint8_t {
  macF32,
  mac16,
  mac8,
  mac4,
  transposed,
  vectorAdd,
  vectorMultiply,
  vectorOther,
  scalarAdd,
  scalarMultiply,
  scalarOther,
  gpsimdAdd,
  gpsimdMultiply,
  gpsimdOther,
  sbufRead,
  sbufWrite,
  psumRead,
  psumWrite,
  hbmRead,
  hbmWrite,
  dma,
  link,
  node,
  instruction,
};
inline constexpr std::size_t numEnergyItems = 24;
/// One per EnergyOf.
extern const std::array<EnergyItem, numEnergyItems> energyItems;

/// What the estimate leaves out on every target.
inline constexpr std::array<std::string_view, 5> energyUnknowns{
    "the process, voltage and frequency of each generation: all three have the "
    "values of 7 nm",
    "registers and control within engines",
    "values: those that toggle few bits take less",
    "how transfers open rows of HBM, and its refresh: only bytes count",
    "supplies, cooling, hosts and idle cores"};

struct EnergyCounts : std::array<std::uint64_t, numEnergyItems> {
  std::uint64_t &of(EnergyOf item) {
    return (*this)[static_cast<std::size_t>(item)];
  }
  std::uint64_t of(EnergyOf item) const {
    return (*this)[static_cast<std::size_t>(item)];
  }
  /// Without the energy that passing time takes.
  double joules(const isa::Target &target) const;
};

inline double joulesOf(EnergyOf item, std::uint64_t count,
                       const isa::Target &target) {
  return static_cast<double>(count) *
         target.*energyItems[static_cast<std::size_t>(item)].each * 1e-12;
}

/// The counts of one run of an instruction, without those that only a launch
/// knows: links, and the traffic of collectives.
EnergyCounts energyCounts(const isa::Instruction &instruction,
                          isa::Engine engine, const isa::Target &target);

/// Counts everything that a core did.
EnergyCounts energyCounts(const isa::Module &module, const Timing &timing,
                          const isa::Target &target);

/// The energy that the machine takes even while nothing happens.
double staticJoules(const Timing &timing, const isa::Target &target);

/// The highest average power over equal intervals of the makespan. The energy
/// of an instruction is spread over its time.
struct PeakPower {
  double watts = 0;
  Picoseconds stretch = 0;
};
/// Intervals are as short as possible, but at least `least`. Energy that
/// belongs to no event is spread over the makespan. Empty for a timing without
/// events.
std::optional<PeakPower> peakPower(const isa::Module &module,
                                   const Timing &timing,
                                   const isa::Target &target,
                                   Picoseconds least);

/// An estimate of one core.
struct EnergyReport {
  EnergyCounts counts{};
  std::array<double, numEnergyItems> pj{}; ///< For one of each.
  /// True where the target overrides the value of its generation.
  std::array<bool, numEnergyItems> isGiven{};
  double joules = 0; ///< Including staticJoules.
  double staticJoules = 0;
  double averageWatts = 0;
  std::optional<PeakPower> peak; ///< Only of a run with events.
  std::uint64_t tokens = 0;      ///< The module's model_tokens; 0: unknown.
  double tokensPerJoule = 0;

  double joulesOf(std::size_t item) const {
    return static_cast<double>(counts[item]) * pj[item] * 1e-12;
  }
};

EnergyReport estimateEnergy(const isa::Module &module, const Timing &timing,
                            const isa::Target &target, std::uint64_t tokens);

/// The shortest interval over which peak power is averaged.
inline constexpr Picoseconds powerWindow = 1'000'000;

} // namespace kiln::sim

#endif // KILN_SIM_ENERGY_H

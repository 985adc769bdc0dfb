//===- EnergyText.h - The estimate of energy, for all outputs -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_ENERGYTEXT_H
#define KILN_PROFILE_LIB_ENERGYTEXT_H

#include "kiln/profile/render.h"

#include <nlohmann/json.hpp>

namespace kiln::profile {

nlohmann::ordered_json energyJson(const sim::EnergyReport &energy);

/// What the estimate leaves out: in general, and with this target.
std::vector<std::string> unknownsOf(const sim::EnergyReport &energy);

/// Of all cores together.
struct LaunchEnergy {
  double joules = 0, averageWatts = 0;
  std::uint64_t tokens = 0; ///< Of all ranks.
  double tokensPerJoule = 0;
};
LaunchEnergy energyOf(const LaunchProfile &launch);
nlohmann::ordered_json energyJson(const LaunchEnergy &energy);

/// "42.1 uJ, 2.40 W (estimate): HBM 45 %, ..", for the terminal.
std::string energyText(const sim::EnergyReport &energy);
/// "512, 3.21 Mtokens/J (estimate)"
std::string tokensText(std::uint64_t tokens, double tokensPerJoule);
std::string energyText(const LaunchEnergy &energy);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_ENERGYTEXT_H

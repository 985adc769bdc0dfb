//===- what_if.h - What a better machine would buy -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_WHATIF_H
#define KILN_PROFILE_WHATIF_H

#include "kiln/profile/retime.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::profile {

/// One resource of the machine made better.
struct WhatIf {
  std::string name;        ///< "TensorE", "DMA engines", "DMA start", ...
  std::string_view change; ///< "infinite", "double" or "zero".
  std::vector<std::pair<std::string, double>> parameters; ///< As changed.
  Retimed measured;
};

/// Each resource infinitely fast, twice as fast, and each latency zero: those
/// that change anything, largest saving first. `before` is the makespan now.
std::vector<WhatIf> whatIf(const Retimer &retimer, sim::Picoseconds before);

/// The makespan for each value of a parameter of the machine.
struct Sweep {
  std::string parameter;
  std::string unit;
  double current = 0;
  std::vector<std::pair<double, Retimed>> points; ///< As they were asked for.
};
/// `text` is NAME=VALUE,VALUE,...; fails as a line of a --machine file does.
isa::Expected<Sweep> sweep(const Retimer &retimer, std::string_view text);

/// For the terminal: a row for each, at most `rows`.
std::string toTable(const std::vector<WhatIf> &all, sim::Picoseconds before,
                    std::size_t rows);
std::string toTable(const Sweep &sweep);

} // namespace kiln::profile

#endif // KILN_PROFILE_WHATIF_H

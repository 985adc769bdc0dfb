//===- Parts.h - The parts of a kernel, and what each one took -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_PARTS_H
#define KILN_PROFILE_LIB_PARTS_H

#include "Binary.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kiln::profile {

/// The work of the instructions of an outermost scope. Transfers in which a
/// part meets other cores form a part of their own.
struct Part {
  std::string name;
  /// Its time is `sums.critical`: that of the critical path. The times of all
  /// parts add up to the makespan, also where parts overlap.
  Sums sums;
  sim::Picoseconds start = -1, end = 0; ///< -1: it never ran.
  /// The resource that it keeps busy longest, and for how long.
  std::string_view boundBy = "none";
  sim::Picoseconds bound = 0;
  double hbmShare = 0; ///< Of what the stack could move in its time.
  double mfu = 0;      ///< Of the peak of bf16, by flops as executed.
};

/// In the order in which they end; then what is in no scope, if that took
/// time. None unless the module says that it has parts.
std::vector<Part> partsOf(const Binary &binary, const isa::Target &target,
                          sim::Picoseconds makespan);

nlohmann::ordered_json partsJson(const std::vector<Part> &parts,
                                 sim::Picoseconds makespan);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_PARTS_H

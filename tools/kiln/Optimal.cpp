//===- Optimal.cpp - Whether the exact solver's schedules are faster ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimal.h"

#include "CompilerRemarks.h"
#include "Execute.h"
#include "Messages.h"

#include <fmt/format.h>

namespace kiln::tool {
namespace {

/// Nothing if it depends on values or on other ranks.
std::optional<sim::Picoseconds>
makespanOf(const std::vector<isa::Module> &cores, const isa::Target &target) {
  ModuleInput input;
  input.cores = cores;
  input.target = target;
  RankTensors tensors;
  tensors.own.resize(1);
  sim::Options options;
  options.function = options.checks = options.values = false;
  options.timing = true;
  const sim::LaunchResult result = attempt(input, tensors, options);
  if (result.fault || !result.timing)
    return std::nullopt;
  return result.timing->makespan;
}

} // namespace

CompiledCores compileOptimal(const CompileSettings &settings,
                             const CompileOnce &compile) {
  // The remarks of the kept one are printed.
  CompileSettings own = settings;
  own.tellRemarks = std::nullopt;
  own.keepRemarks |= settings.tellRemarks.has_value();
  CompiledCores exact = compile(own);
  const auto made = makespanOf(exact.cores, settings.target);
  own.isOptimal = false;
  own.isQuiet = true;
  own.dumpDir.clear();
  CompiledCores usual = compile(own);
  const auto before = makespanOf(usual.cores, settings.target);
  const bool isSlower = made && before && *before < *made;
  if (isSlower) {
    tellProgress(fmt::format(
        "kiln: with the schedules of '--optimal' the kernel takes {:.2f} us, "
        "without {:.2f} us: they are not used\n",
        static_cast<double>(*made) * 1e-6,
        static_cast<double>(*before) * 1e-6));
    if (!settings.dumpDir.empty()) { // They are of the other one.
      own.dumpDir = settings.dumpDir;
      usual = compile(own);
    }
  }
  CompiledCores &kept = isSlower ? usual : exact;
  if (isSlower)
    kept.milliseconds += exact.milliseconds;
  if (settings.tellRemarks)
    tellRemarks(kept.remarks, *settings.tellRemarks);
  return std::move(kept);
}

} // namespace kiln::tool

//===- Record.h - What a run was, to see it again ------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_RECORD_H
#define KILN_TOOLS_KILN_RECORD_H

#include "Tensors.h"

#include "kiln/sim/launch.h"

#include <map>
#include <string>

namespace kiln::tool {

/// A run as text, one `KEY = VALUE` a line: digests of the binary, of each
/// input and output, of the order of events for each seed, and how the run
/// ended. Executing the same binary on the same inputs gives the same record,
/// on every computer.
class RunRecord {
public:
  /// Reads what `save` wrote; throws a Failure.
  static RunRecord load(const std::string &path);
  void save(const std::string &path) const;

  void noteLaunch(const ModuleInput &input, const RankTensors &tensors,
                  unsigned ranks, std::optional<std::uint64_t> randomSeed,
                  std::uint64_t interleavings, const sim::Numerics &numerics);
  /// One run of that launch.
  void noteRun(std::uint64_t interleaveSeed, const sim::LaunchResult &result);

  std::optional<std::uint64_t> number(const std::string &key) const;
  /// How the recorded launch converted values.
  sim::Numerics numerics() const;
  /// Throws a Failure that names the first difference of `again`.
  void compare(const RunRecord &again, const std::string &path) const;

private:
  std::map<std::string, std::string> values;
};

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_RECORD_H

//===- source_loops.h - The loops of the source around a place -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The streams of a module do not show a loop that the compiler unrolled. The
// fact "loops" names, for a location, those of its scopes that are loops with a
// known number of trips, by their place in the path: "5:0=8 6:0=8,1=4@2". If a
// loop was unrolled, @ says which of its iterations the location is in,
// starting at 0.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_SOURCE_LOOPS_H
#define KILN_ISA_SOURCE_LOOPS_H

#include "kiln/isa/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::isa {

inline constexpr const char *sourceLoopsFact = "loops";

struct SourceLoop {
  std::uint32_t depth = 0; ///< Among the scopes of the location.
  std::uint64_t trips = 0;
  std::optional<std::uint64_t> turn; ///< If it was unrolled.
  friend bool operator==(const SourceLoop &, const SourceLoop &) = default;
};

/// "0=8,1=4@2", and back; invalid entries are left out.
std::string textOf(const std::vector<SourceLoop> &loops);
std::vector<SourceLoop> sourceLoopsFrom(std::string_view text);

class SourceLoops {
public:
  explicit SourceLoops(const Module &module);

  /// Outermost first.
  const std::vector<SourceLoop> &of(std::uint32_t location) const;
  /// True if one of them has several trips.
  bool isRepeated(std::uint32_t location) const;

private:
  std::map<std::uint32_t, std::vector<SourceLoop>> loops;
};

/// Adds to the fact that `location` is in such loops.
void noteSourceLoops(Module &module, std::uint32_t location,
                     std::string_view text);

} // namespace kiln::isa

#endif // KILN_ISA_SOURCE_LOOPS_H

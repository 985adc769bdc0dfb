//===- callers.h - The calls that lead to a place of the source -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction in a helper of a kernel has a location in the helper. The fact
// "callers" of its module names the location from which the helper was called:
// "5:3 8:5", location 5 is called from 3, and 8 from 5. A caller has the lower
// number.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_CALLERS_H
#define KILN_ISA_CALLERS_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kiln::isa {

inline constexpr const char *callersFact = "callers";

class Callers {
public:
  /// Reads the module's table and leaves out invalid entries.
  explicit Callers(const Module &module);

  /// The locations of the calls, innermost first.
  std::vector<std::uint32_t> of(std::uint32_t location) const;

private:
  std::map<std::uint32_t, std::uint32_t> callers;
};

/// Adds to the fact that `location` is called from `caller`.
void noteCaller(Module &module, std::uint32_t location, std::uint32_t caller);

/// A party of the diagnostic for each call that leads to `location`.
void tellCalls(const Module &module, std::uint32_t location,
               Diagnostic &diagnostic);

} // namespace kiln::isa

#endif // KILN_ISA_CALLERS_H

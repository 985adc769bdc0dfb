//===- Values.h - What a run with data adds to a profile -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_VALUES_H
#define KILN_PROFILE_LIB_VALUES_H

#include "kiln/isa/module.h"
#include "kiln/sim/values.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::profile {

/// The values of a core, grouped for the reader.
struct ValueSums {
  struct Line {
    std::string source; ///< "file.cpp:12", or empty.
    sim::InstructionValues values;
    std::vector<std::uint64_t> instructions; ///< Stream after stream.
  };
  ValueSums(const sim::CoreValues &values, const isa::Module &module);

  sim::InstructionValues all;
  std::vector<Line> lines; ///< In the order of their files and lines.
};

/// `values` of a core in docs/profile.schema.json.
nlohmann::ordered_json valuesJson(const sim::CoreValues &values,
                                  const isa::Module &module);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_VALUES_H

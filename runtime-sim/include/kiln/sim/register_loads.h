//===- register_loads.h - What register_load read -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// register_load is the only way in which tensor data can steer control flow. A
// function run records the values; a timing run replays them and so never
// touches a tensor.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_REGISTER_LOADS_H
#define KILN_SIM_REGISTER_LOADS_H

#include "kiln/isa/dtype.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kiln::sim {

/// Per engine: the value of each executed register_load, in program order.
using RegisterLoads = std::array<std::vector<std::int32_t>, isa::numEngines>;

} // namespace kiln::sim

#endif // KILN_SIM_REGISTER_LOADS_H

//===- Multiply.h - Products of tiles ---------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_MULTIPLY_H
#define KILN_SIM_LIB_FUNCTION_MULTIPLY_H

#include "Lanes.h"

namespace kiln::sim {

/// dst (+)= stationary^T moving, where each lane of the operands holds
/// `rowsPerLane` rows of K.
void multiply(Lanes &lanes, const View &dst, const View &stationary,
              const View &moving, bool accumulate, unsigned rowsPerLane = 1);

/// The product of operands with `depth` rows of m and n columns, into `dst`; at
/// the latest when products settle.
void multiplyRows(Lanes &lanes, const View &dst,
                  const Kernels::Rows &stationary, const Kernels::Rows &moving,
                  std::size_t depth, std::size_t m, std::size_t n,
                  bool accumulate);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_MULTIPLY_H

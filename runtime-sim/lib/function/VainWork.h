//===- VainWork.h - Work that data made vain --------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_VAINWORK_H
#define KILN_SIM_LIB_FUNCTION_VAINWORK_H

#include "../Memory.h"
#include "../PlacedAccess.h"
#include "../StreamCursor.h"

#include "kiln/sim/values.h"

#include <span>
#include <vector>

namespace kiln::sim {

/// The lanes of an operand as fp32, whatever its type.
class FloatRows {
public:
  explicit FloatRows(const View &view);
  /// Valid until the next call.
  std::span<const float> row(unsigned lane);

private:
  View view;
  std::vector<std::uint32_t> raw;
  std::vector<float> wide;
};

/// Elements that a masking instruction replaces by a number; none for other
/// instructions, and for those that choose between two tiles.
PartCount maskedOf(const isa::Body &body, const StreamCursor &cursor,
                   Memory &memory);

/// The multiplications of a product, and those that have a 0 as an operand. A
/// transpose has none.
PartCount idleOf(const isa::Body &body, const StreamCursor &cursor,
                 Memory &memory);

/// True if its first result is an exponential.
bool isExp(const isa::Body &body);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_VAINWORK_H

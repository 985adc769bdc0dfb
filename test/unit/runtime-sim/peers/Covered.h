//===- Covered.h - Which operands took which types ------------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_COVERED_H
#define KILN_TEST_RUNTIME_SIM_COVERED_H

#include "Scene.h"

#include <set>

namespace ranks {

inline constexpr std::array operators{isa::AluOp::add, isa::AluOp::maximum,
                                      isa::AluOp::minimum};

using Covered = std::set<std::string>;
inline std::string key(std::string_view mnemonic, std::string_view operand,
                       DType type) {
  return std::string(mnemonic) + " " + std::string(operand) + " " +
         std::string(isa::name(type));
}

/// A NaN stays one in every operator; -0 is below +0.
inline float combined(isa::AluOp op, float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::bit_cast<float>(0x7fc00000u);
  if (op != isa::AluOp::add && a == b)
    return std::signbit(a) == (op == isa::AluOp::maximum) ? b : a;
  return combine(op, a, b);
}
/// Operands one after the other in fp32.
inline Row folded(DType dtype, isa::AluOp op,
                  const std::vector<Row> &operands) {
  Row result;
  for (std::size_t i = 0; i < operands[0].size(); ++i) {
    float sum = lab::widen(dtype, operands[0][i]);
    for (std::size_t m = 1; m < operands.size(); ++m)
      sum = combined(op, sum, lab::widen(dtype, operands[m][i]));
    result.push_back(lab::narrow(dtype, lab::settled(sum)));
  }
  return result;
}

/// Tries what moves as much as a table says: counted_types_test.cpp.
void tryCountedTypes(Covered &covered);

} // namespace ranks

#endif // KILN_TEST_RUNTIME_SIM_COVERED_H

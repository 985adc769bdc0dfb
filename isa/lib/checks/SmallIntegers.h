//===- SmallIntegers.h - Buffers whose integers fp32 holds exactly --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_CHECKS_SMALLINTEGERS_H
#define KILN_ISA_LIB_CHECKS_SMALLINTEGERS_H

#include "CheckContext.h"

#include <vector>

namespace kiln::isa {

inline bool isWideInteger(DType type) {
  return type == DType::i32 || type == DType::u32;
}

/// Buffers of 32-bit integers to which a module writes only numbers that fp32
/// holds exactly: results of comparisons and logical operators, which are 0 or
/// 1, and copies of such buffers and of shorter integers.
class SmallIntegers {
public:
  SmallIntegers(const Module &module, const Target &target);

  /// False in HBM and where the operand names no buffer.
  bool contains(const Access &access) const {
    return access.space != Space::hbm && access.tensor != 0 &&
           !wide[access.tensor] && !wide[0];
  }

private:
  /// What a write says about the buffer that its operand names.
  void note(const CheckContext &context, const Access &written);

  /// By buffer: whether it may hold other integers. A write that names no
  /// buffer, which has number 0, may be to any of them.
  std::vector<bool> wide;
  /// By buffer: those that it is copied to.
  std::vector<std::vector<std::uint32_t>> copies;
};

} // namespace kiln::isa

#endif // KILN_ISA_LIB_CHECKS_SMALLINTEGERS_H

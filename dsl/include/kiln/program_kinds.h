//===- program_kinds.h - Enumerations of a recorded Program ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names that both a kernel file and the reader of a Program use. They are
// separate from program.h so that a kernel file compiles without its
// containers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_KINDS_H
#define KILN_PROGRAM_KINDS_H

#include "kiln/isa/argument_kind.h"
#include "kiln/isa/dtype.h"

#include <cstdint>
#include <limits>

namespace kiln::program {

using isa::DType;
using isa::Space;

/// Changes with the layout of anything that a kernel library and its host
/// share.
inline constexpr std::uint32_t abiVersion = 19;
/// How urgent an operation can be, or the opposite.
inline constexpr std::int64_t mostUrgency = 100;
using Id = std::uint32_t;
inline constexpr Id none = std::numeric_limits<Id>::max();

enum class IndexKind : std::uint8_t {
  constant,    ///< value
  variable,    ///< value `lhs`: of a loop, or a register (an Op::result)
  add,         ///< lhs + rhs
  multiply,    ///< lhs * value
  floorDivide, ///< floor(lhs / value), value > 0
  modulo,      ///< lhs - value * floor(lhs / value), value > 0
  minimum,     ///< min(lhs, rhs); loop bounds only
  maximum,     ///< max(lhs, rhs); loop bounds only
};

enum class ValueKind : std::uint8_t {
  tensor,
  tile,
  buffer,
  loop, ///< Induction value of a loop.
  index ///< Register, loaded by an instruction.
};

using isa::ArgumentKind;

/// The operations of a Program: the enumerator of each, and its struct in
/// program_operations.h, which describes it. Nothing else lists them.
#define KILN_PROGRAM_OPERATIONS(X)                                             \
  X(declare, Declare)                                                          \
  X(assign, Assign)                                                            \
  X(load, Load)                                                                \
  X(loadTransposed, LoadTransposed)                                            \
  X(store, Store)                                                              \
  X(fill, Fill)                                                                \
  X(matmul, Matmul)                                                            \
  X(transpose, Transpose)                                                      \
  X(unary, Unary)                                                              \
  X(binary, Binary)                                                            \
  X(scalar, Scalar)                                                            \
  X(compare, Compare)                                                          \
  X(select, Select)                                                            \
  X(keep, Keep)                                                                \
  X(reduce, Reduce)                                                            \
  X(cast, Cast)                                                                \
  X(copy, Copy)                                                                \
  X(quantize, Quantize)                                                        \
  X(loop, Loop)                                                                \
  X(instruction, Instruction)                                                  \
  X(apply, Apply)

#define KILN_ENUMERATOR(enumerator, Struct) enumerator,
enum class OpKind : std::uint8_t { KILN_PROGRAM_OPERATIONS(KILN_ENUMERATOR) };
#undef KILN_ENUMERATOR

} // namespace kiln::program

#endif // KILN_PROGRAM_KINDS_H

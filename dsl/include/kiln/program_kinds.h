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

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <limits>

namespace kiln::program {

using isa::DType;
using isa::Space;

/// Changes with the layout of anything that a kernel library and its host
/// share.
inline constexpr std::uint32_t abiVersion = 7;
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

enum class ArgumentKind : std::uint8_t { input, output, inout };

/// Tile operations, and two structural ones (loop, instruction). Each lists its
/// operands, then its attributes, then its result:
///
/// declare: -; partition?, byte?, bank?, ring?; buffer
/// assign: buffer view, tile; -; -
/// load: HBM view; -; tile
/// loadTransposed: HBM view [R, C]; -; [C, R]
/// store: HBM view, tile; -; -
/// fill: -; value (double); tile
/// matmul: a, b; transpose_a, transpose_b (0/1), precision?; f32
/// transpose: [R, C]; -; [C, R]
/// unary: x; op; tile
/// binary: x, y (broadcasting); op; tile
/// scalar: x; op, value, reverse (0/1); tile
/// compare: as binary or scalar; op, value?; u8
/// select: mask, x, y; -; tile
/// keep: x; row_step, col_step, offset (IndexRef), compare, otherwise; tile
/// reduce: x; op (add, multiply, maximum, minimum); [R, 1]
/// cast: x; - (the type is the result's); tile
/// copy: x (a view); -; tile
/// loop: -; begin, end (IndexRef), step, name; loop value
/// instruction: buffer and tensor views; mnemonic, operands (the names of the
///   views), fields; -
/// apply: tiles; as instruction, without its destination, which is the result;
///   tile (done on 128 rows at a time)
///
/// matmul(a, b): a is [M, K] (transpose_a: [K, M]), b is [K, N] (transpose_b:
/// [N, K]); the result is [M, N] f32. `keep` keeps x[r, c] where
/// `row_step * r + col_step * c + offset  compare  0`, else `otherwise`.
/// `unary` op is an ActivationFunction name; `binary`/`scalar` op an AluOp name
/// or "divide". Broadcasting: a dimension of 1 repeats.
///
/// Every operand is a View; an operand that names a whole value has the
/// value's own sizes and dense strides. Reading a buffer yields the value it
/// holds at that point of the program order.
enum class OpKind : std::uint8_t {
  declare,
  assign,
  load,
  loadTransposed,
  store,
  fill,
  matmul,
  transpose,
  unary,
  binary,
  scalar,
  compare,
  select,
  keep,
  reduce,
  cast,
  copy,
  loop,
  instruction,
  apply,
};

} // namespace kiln::program

#endif // KILN_PROGRAM_KINDS_H

//===- program.h - What a kernel recorded: a plain value ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running a kernel struct records a Program. It is the whole of what the
// language hands to the compiler: no pointers, no callbacks, printable
// (program_text.h) and parsable back.
//
// Values. Every operation refers to values by number. There are three kinds:
//  * HBM tensors: the arguments and scratch tensors;
//  * tiles: immutable results of tile operations, dim 0 = rows (partition
//    axis), the rest free; they have no memory until the compiler gives one;
//  * buffers: mutable tiles. A `declare` operation makes one. Variables that
//    are assigned, and everything the instruction level names, are buffers.
// A view is an operand, not a value: (value, offset, sizes, strides), so chains
// of slice / select / permute / reshape / broadcast are already folded.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_H
#define KILN_PROGRAM_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::program {

using isa::DType;
using isa::Space;

inline constexpr std::uint32_t abiVersion = 1;
using Id = std::uint32_t;
inline constexpr Id none = std::numeric_limits<Id>::max();

//===----------------------------------------------------------------------===//
// Index expressions: integers that may depend on enclosing loops
//===----------------------------------------------------------------------===//

enum class IndexKind : std::uint8_t {
  constant,    ///< value
  variable,    ///< induction value of loop operation `lhs` (its Op::result)
  add,         ///< lhs + rhs
  multiply,    ///< lhs * value
  floorDivide, ///< floor(lhs / value), value > 0
  modulo,      ///< lhs - value * floor(lhs / value), value > 0
  minimum,     ///< min(lhs, rhs); loop bounds only
  maximum,     ///< max(lhs, rhs); loop bounds only
};

struct IndexNode {
  IndexKind kind = IndexKind::constant;
  std::int64_t value = 0;
  Id lhs = none;
  Id rhs = none;
  friend bool operator==(const IndexNode &, const IndexNode &) = default;
};

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

struct Location {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string scopes; ///< Open scopes and loop names, joined by '/'.
  friend bool operator==(const Location &, const Location &) = default;
};

//===----------------------------------------------------------------------===//
// Values and operands
//===----------------------------------------------------------------------===//

enum class ValueKind : std::uint8_t { tensor, tile, buffer, loop };

struct Value {
  ValueKind kind = ValueKind::tile;
  DType dtype = DType::f32;
  Space space = Space::sbuf; ///< tensors: hbm; tiles: sbuf, meaningless
  std::vector<std::int64_t> shape;
  std::string name; ///< User's name, may be empty.
  friend bool operator==(const Value &, const Value &) = default;
};

/// A strided window on a value. Unit: elements. For HBM tensors, offset and
/// strides address the row-major tensor. For tiles and buffers dim 0 of the
/// view is rows: `row` is the first row (static), strides[0] is 1 and counts
/// rows; `offset` and the other strides address the row-major free dimensions.
/// Stride 0 repeats (broadcast). sizes.size() == strides.size().
struct View {
  Id value = none;
  Id offset = none; ///< IndexNode; none = 0.
  std::int64_t row = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  /// Element type the bytes are read as; equal to the value's type for now.
  DType dtype = DType::f32;
  friend bool operator==(const View &, const View &) = default;
};

/// An attribute of an operation: integer, float, enumerator or text, integer
/// list, or an index expression.
struct IndexRef {
  Id index = none;
  friend bool operator==(const IndexRef &, const IndexRef &) = default;
};
using Attribute = std::variant<std::int64_t, double, std::string,
                               std::vector<std::int64_t>, IndexRef>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Tile operations, and two structural ones (loop, instruction).
///
/// | kind        | operands            | attributes                  | result |
/// |-------------|---------------------|-----------------------------|--------|
/// | declare     | -                   | partition?, byte?, bank?, ring? |
/// buffer | | assign      | buffer view, tile   | -                           |
/// -      | | load        | HBM view            | -                           |
/// tile   | | loadTransposed | HBM view [R, C]  | -                           |
/// [C, R] | | store       | HBM view, tile      | -                           |
/// -      | | fill        | -                   | value (double)              |
/// tile   | | matmul      | a, b                | transpose_a, transpose_b
/// (0/1), precision? | f32 | | transpose   | [R, C]              | - | [C, R] |
/// | unary       | x                   | op                          | tile   |
/// | binary      | x, y (broadcasting) | op                          | tile   |
/// | scalar      | x                   | op, value, reverse (0/1)    | tile   |
/// | compare     | as binary or scalar | op, value?                  | u8     |
/// | select      | mask, x, y          | -                           | tile   |
/// | keep        | x                   | row_step, col_step, offset (IndexRef),
/// compare, otherwise | tile | | reduce      | x                   | op (add,
/// maximum)           | [R, 1] | | cast        | x                   | -
/// (result dtype)            | tile   | | copy        | x (a view)          | -
/// | tile   | | loop        | -                   | begin, end (IndexRef),
/// step, name | loop value | | instruction | buffer / tensor views | mnemonic,
/// fields, operands: names of the view operands | - |
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
};

struct Op {
  OpKind kind = OpKind::fill;
  std::vector<View> operands;
  std::map<std::string, Attribute> attributes;
  Id result = none;     ///< Index into Program::values.
  Id location = none;   ///< Index into Program::locations.
  std::string name;     ///< User's name for it: name("x").
  std::vector<Op> body; ///< loop only.
  friend bool operator==(const Op &, const Op &) = default;
};

/// Parameters as the command line, the cache key and the profile show them.
struct Parameter {
  std::string name;
  std::string value;
  friend bool operator==(const Parameter &, const Parameter &) = default;
};

enum class ArgumentKind : std::uint8_t { input, output, inout };

struct Argument {
  Id value = none;
  ArgumentKind kind = ArgumentKind::input;
  friend bool operator==(const Argument &, const Argument &) = default;
};

struct Program {
  std::string kernel;
  std::vector<Parameter> parameters;
  std::vector<Argument> arguments; ///< HBM tensors, in order.
  std::vector<Value> values;
  std::vector<IndexNode> indices;
  std::vector<Location> locations;
  std::vector<Op> body;
  /// Useful floating point operations, declared by the kernel; 0 = unknown.
  std::int64_t flops = 0;
  friend bool operator==(const Program &, const Program &) = default;
};

} // namespace kiln::program

#endif // KILN_PROGRAM_H

//===- program.h - What a kernel recorded: a plain value ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running a kernel struct records a Program. It is everything that the language
// hands to the compiler. It holds no pointers and no callbacks, and it can be
// printed (program_text.h) and parsed back.
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

#include "kiln/program_kinds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::program {

//===----------------------------------------------------------------------===//
// Index expressions: integers that may depend on enclosing loops
//===----------------------------------------------------------------------===//

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
  std::uint32_t line = 0; ///< No column: compilers see different ones.
  std::string scopes;     ///< Open scopes and loop names, joined by '/'.
  friend bool operator==(const Location &, const Location &) = default;
};

//===----------------------------------------------------------------------===//
// Values and operands
//===----------------------------------------------------------------------===//

struct Value {
  ValueKind kind = ValueKind::tile;
  DType dtype = DType::f32;
  Space space = Space::sbuf; ///< tensors: hbm; tiles: sbuf, meaningless
  std::vector<std::int64_t> shape;
  std::string name;    ///< User's name, may be empty.
  bool shared = false; ///< tensors: scratch that the cores of a rank share
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

/// Equality, with NaN equal to NaN.
inline bool same(const Attribute &a, const Attribute &b) {
  const auto *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
  return a == b || (x && y && *x != *x && *y != *y);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

struct Op {
  OpKind kind = OpKind::fill;
  std::vector<View> operands;
  std::map<std::string, Attribute> attributes;
  Id result = none;     ///< Index into Program::values.
  Id location = none;   ///< Index into Program::locations.
  std::string name;     ///< The user's name for it: name("x").
  std::vector<Op> body; ///< loop only.

  friend bool operator==(const Op &a, const Op &b) {
    return a.kind == b.kind && a.operands == b.operands &&
           a.result == b.result && a.location == b.location &&
           a.name == b.name && a.body == b.body &&
           std::equal(a.attributes.begin(), a.attributes.end(),
                      b.attributes.begin(), b.attributes.end(),
                      [](const auto &x, const auto &y) {
                        return x.first == y.first && same(x.second, y.second);
                      });
  }
};

/// Parameters as the command line, the cache key and the profile show them.
struct Parameter {
  std::string name;
  std::string value;
  friend bool operator==(const Parameter &, const Parameter &) = default;
};

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
  std::vector<std::string> semaphores; ///< Names of the kernel's own.
  std::vector<Op> body;
  /// Useful floating point operations, declared by the kernel; 0 = unknown.
  std::int64_t flops = 0;
  /// The core of a rank that it is for, and the number of cores of a rank.
  std::uint32_t core = 0, cores = 1;
  friend bool operator==(const Program &, const Program &) = default;
};

/// An operand called x_index lists rows or elements of operand x (of the last
/// one if x is a list). Holds the positions of one such pair in `operands`.
struct IndexedOperand {
  std::size_t index = 0;
  std::size_t indexed = 0;
};
inline std::vector<IndexedOperand> indexedOperands(const Op &op) {
  std::vector<IndexedOperand> result;
  const auto found = op.attributes.find("operands");
  const auto *list = found == op.attributes.end()
                         ? nullptr
                         : std::get_if<std::string>(&found->second);
  if (!list || list->find("_index") == std::string::npos)
    return result;
  std::vector<std::string> names(1);
  for (const char c : *list)
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  const std::size_t count =
      names.size() < op.operands.size() ? names.size() : op.operands.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = count; k-- > 0;)
      if (names[i] == names[k] + "_index") {
        result.push_back({i, k});
        break;
      }
  return result;
}

} // namespace kiln::program

#endif // KILN_PROGRAM_H

//===- Shape.h - The bytes of an access in a normal form --------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_SHAPE_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_SHAPE_H

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace kiln::problems::checker {

/// `run` contiguous bytes at each sum of strides, all of them positive and
/// larger than `run`, largest first.
struct Shape {
  struct Stride {
    std::int64_t bytes;
    std::int64_t count;
    friend bool operator==(const Stride &, const Stride &) = default;
  };
  std::int64_t run = 1;
  std::int64_t extent = 1; ///< From the first byte to past the last.
  std::vector<Stride> strides;

  bool isDense() const { return strides.empty(); }
};

/// The offset of the first byte, and the shape from there.
struct Normal {
  std::int64_t base = 0;
  Shape shape;
};
Normal normalise(std::int64_t run, std::vector<Shape::Stride> strides);

/// Equal shapes have one number.
class Shapes {
public:
  const Shape &operator[](std::uint32_t number) const { return list[number]; }
  std::size_t size() const { return list.size(); }
  std::uint32_t numberOf(Shape shape);

private:
  std::vector<Shape> list;
  std::map<std::vector<std::int64_t>, std::uint32_t> numbers;
  std::vector<std::int64_t> key;
};

/// The number of an access's shape in `shapes`, and where its first byte is.
/// Remembers some: of the same accesses there are many.
class NormalForms {
public:
  explicit NormalForms(Shapes &shapes) : shapes(shapes) {}

  struct Form {
    std::int64_t base = 0; ///< See Normal.
    std::uint32_t shape = 0;
  };
  Form of(std::int64_t run, std::span<const Shape::Stride> strides);

private:
  struct Known {
    std::int64_t run = 0; ///< No access has so few bytes.
    std::vector<Shape::Stride> strides;
    Form form;
  };
  Shapes &shapes;
  std::array<Known, 64> table; ///< By a hash.
};

/// Do `a` from byte 0 and `b` from byte `distance` share a byte? Decided by
/// halving: what spans more is cut along its largest stride until one range of
/// bytes meets another.
bool meet(const Shape &a, const Shape &b, std::int64_t distance);

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_SHAPE_H

//===- program_fields.h - What the operations of a Program are made of ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_FIELDS_H
#define KILN_PROGRAM_FIELDS_H

#include "kiln/isa/enums.h"
#include "kiln/program_kinds.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::program {

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
  /// The bytes are read as this type, which may differ from the value's.
  DType dtype = DType::f32;
  friend bool operator==(const View &, const View &) = default;
};

/// A field that few operations have. If it is absent, it takes only the space
/// of a pointer. Like std::optional, it is a value: a copy copies what it
/// holds.
template <class T> class Rare {
public:
  Rare() = default;
  Rare(T value) : value(std::make_unique<T>(std::move(value))) {}
  Rare(const Rare &other)
      : value(other.value ? std::make_unique<T>(*other.value) : nullptr) {}
  Rare(Rare &&) noexcept = default;
  Rare &operator=(Rare other) noexcept {
    value = std::move(other.value);
    return *this;
  }
  ~Rare() = default;

  bool has_value() const { return value != nullptr; }
  explicit operator bool() const { return has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T &emplace() { return *(value = std::make_unique<T>()); }
  friend bool operator==(const Rare &a, const Rare &b) {
    return a.value && b.value ? *a.value == *b.value
                              : a.has_value() == b.has_value();
  }

private:
  std::unique_ptr<T> value;
};

/// A number of an index expression.
struct IndexRef {
  Id index = none;
  friend bool operator==(const IndexRef &, const IndexRef &) = default;
};

/// A number that equals itself, also as NaN: Programs are compared.
struct Real {
  double value = 0;
  Real() = default;
  Real(double value) : value(value) {} // NOLINT: it is one.
  operator double() const { return value; }
  friend bool operator==(const Real &a, double b) {
    return a.value == b || (a.value != a.value && b != b);
  }
  friend bool operator==(const Real &a, const Real &b) { return a == b.value; }
};

/// What binary and scalar compute: an operator of the instruction set, or
/// division, which no instruction computes.
struct Operator {
  std::optional<isa::AluOp> alu; ///< None: division.
  friend bool operator==(const Operator &, const Operator &) = default;
};
constexpr std::string_view name(const Operator &op) {
  return op.alu ? isa::name(*op.alu) : "divide";
}
constexpr std::optional<Operator> parseOperator(std::string_view text) {
  if (text == "divide")
    return Operator();
  const auto alu = isa::parse<isa::AluOp>(text);
  return alu ? std::optional(Operator{alu}) : std::nullopt;
}

/// `count` tokens of a semaphore, which is a number in Program::semaphores.
struct Tokens {
  std::int64_t semaphore = 0;
  std::int64_t count = 0;
  friend bool operator==(const Tokens &, const Tokens &) = default;
};

/// The number of a no_reorder, and a place in it.
struct Place {
  std::int64_t scope = 0;
  std::int64_t number = 0;
  friend bool operator==(const Place &, const Place &) = default;
};

/// The value of an attribute in the text: an integer, a float, an enumerator or
/// text, a list of integers, or an index expression.
using Attribute = std::variant<std::int64_t, Real, std::string,
                               std::vector<std::int64_t>, IndexRef>;

/// An operand of an instruction; lists have several of one name.
struct Operand {
  std::string name;
  View view;
  friend bool operator==(const Operand &, const Operand &) = default;
};
using Operands = std::vector<Operand>;
/// Fields of an instruction that are no views. The records of the instructions
/// (kiln/isa/info.h) are their schema.
using CallFields = std::map<std::string, Attribute, std::less<>>;

template <class T, class Class> struct Field {
  std::string_view name;
  T Class::*member;
};
template <class T, class Class>
Field(const char *, T Class::*) -> Field<T, Class>;

} // namespace kiln::program

#endif // KILN_PROGRAM_FIELDS_H

//===- nc_call.h - Operands of an instruction call ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the Program: OpKind::instruction with attribute "mnemonic"; view operands
// in order, their names in attribute "operands", joined by commas; all other
// operands as attributes of their own name.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_CALL_H
#define KILN_DSL_NC_CALL_H

#include "kiln/dsl/order.h"
#include "kiln/dsl/tile.h"
#include "kiln/isa/enums.h"

#include <optional>
#include <utility>

namespace kiln {

namespace nc {

using isa::ActivationFunction;
using isa::AluOp;
using isa::DgeMode;
using isa::Engine;
using isa::ReduceCommand;

/// An operand that is read: a tile, buffer or view, for DMA also an HBM view.
struct Source {
  dsl::ViewRef view;
  template <class X>
    requires dsl::TileLike<X> || dsl::ReadableHbm<X>
  Source(const X &x) : view(x.viewOf(dsl::Where())) {}
};

/// An operand that is written.
struct Target {
  dsl::ViewRef view;
  template <class X>
    requires dsl::TileLike<X> || dsl::WritableHbm<X>
  Target(const X &x) : view(x.viewOf(dsl::Where())) {
    if constexpr (dsl::TileLike<X>)
      dsl::recording(dsl::Where()).markWritten(view);
  }
};

/// A number, or a [P, 1] tile with one number per partition.
struct ScalarOrTile {
  double number = 0;
  dsl::ViewRef tile;
  ScalarOrTile(double number) : number(number) {}
  template <dsl::TileLike X>
  ScalarOrTile(const X &x) : tile(x.viewOf(dsl::Where())) {}
};

/// [step, size] pairs of iota and affine_select, outermost first.
class Pattern {
public:
  using Pair = std::pair<std::int64_t, std::int64_t>;
  Pattern(std::initializer_list<Pair> pairs) : dims(pairs.size()) {
    std::size_t at = 0;
    for (const Pair &pair : pairs)
      if (at < 8) {
        numbers[at++] = pair.first;
        numbers[at++] = pair.second;
      }
  }
  const std::int64_t *data() const { return numbers; }
  std::size_t size() const { return dims; }

private:
  std::int64_t numbers[8] = {};
  std::size_t dims;
};

/// Collects the operands of one instruction.
class Call {
public:
  Call(const char *mnemonic, const dsl::Where &where)
      : mnemonic(mnemonic), where(where) {}
  Call &view(const char *name, const dsl::ViewRef &operand) {
    add(name, dsl::Field::view).operand = operand;
    return *this;
  }
  Call &view(const char *name, const std::optional<Target> &operand) {
    return operand ? view(name, operand->view) : *this;
  }
  Call &scalar(const char *name, const std::optional<ScalarOrTile> &operand) {
    if (!operand)
      return *this;
    if (operand->tile.id == dsl::none)
      return number(name, operand->number);
    add(name, dsl::Field::column).operand = operand->tile;
    return *this;
  }
  template <class E> Call &choice(const char *name, E value) {
    add(name, dsl::Field::word).text = isa::name(value);
    return *this;
  }
  template <class E>
  Call &choice(const char *name, const std::optional<E> &value) {
    return value ? choice(name, *value) : *this;
  }
  Call &number(const char *name, double value) {
    add(name, dsl::Field::number).real = value;
    return *this;
  }
  Call &integer(const char *name, std::int64_t value) {
    add(name, dsl::Field::integer).whole = value;
    return *this;
  }
  Call &index(const char *name, const Index &value) {
    add(name, dsl::Field::index).expression = value.value();
    return *this;
  }
  Call &pattern(const char *name, const Pattern &value) {
    dsl::Field &field = add(name, dsl::Field::pattern);
    field.list = value.data();
    field.count = value.size();
    return *this;
  }
  Instruction record(std::string_view name) {
    return Instruction(dsl::recording(where).instruction(mnemonic, fields,
                                                         count, name, where));
  }

private:
  dsl::Field &add(const char *name, dsl::Field::Kind kind) {
    dsl::Field &field = fields[count++];
    field.name = name;
    field.kind = kind;
    return field;
  }

  const char *mnemonic;
  dsl::Field fields[12];
  std::size_t count = 0;
  dsl::Where where;
};

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_CALL_H

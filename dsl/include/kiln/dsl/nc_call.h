//===- nc_call.h - Operands of an instruction call ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the Program, a call is a program::Instruction. Its view operands are in
// order, each with its name. All others are fields of their own name.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_CALL_H
#define KILN_DSL_NC_CALL_H

#include "kiln/dsl/optional.h"
#include "kiln/dsl/order.h"
#include "kiln/dsl/rank_lists.h"
#include "kiln/dsl/tile.h"

#include <array>
#include <concepts>
#include <initializer_list>
#include <utility>

namespace kiln {

namespace nc {

using isa::Engine;
inline std::string_view word(Engine engine) { return isa::name(engine); }

/// What an instruction reads or writes.
struct Operand {
  dsl::ViewRef view;
};

/// An operand in memory that is read: a tile, buffer or view, or an HBM view.
struct Source : Operand {
  template <class X>
    requires dsl::TileLike<X> || dsl::ReadableHbm<X>
  Source(const X &x) : Operand{x.viewOf(dsl::Where())} {}
};

/// An operand in memory that is written.
struct Target : Operand {
  template <class X>
    requires dsl::TileLike<X> || dsl::WritableHbm<X>
  Target(const X &x) : Operand{x.viewOf(dsl::Where())} {
    if constexpr (dsl::TileLike<X>)
      dsl::recording(dsl::Where()).markWritten(view);
  }
};

/// The same, but on chip: engines do not access HBM.
struct TileSource : Source {
  template <class X>
    requires dsl::TileLike<X> || dsl::HbmLike<X>
  TileSource(const X &x) : Source(x) {
    static_assert(dsl::TileLike<X>, "kiln: an engine reads on-chip memory "
                                    "only; load the tensor, or dma_copy it");
  }
};
struct TileTarget : Target {
  template <class X>
    requires dsl::TileLike<X> || dsl::HbmLike<X>
  TileTarget(const X &x) : Target(x) {
    static_assert(dsl::TileLike<X>, "kiln: an engine writes on-chip memory "
                                    "only; store the tile, or dma_copy it");
  }
};

/// One to 16 operands: the sources of dma_compute, the tensors of a collective.
template <class Entry> class OperandList {
public:
  static constexpr std::size_t limit = 16;
  OperandList(std::initializer_list<Entry> list) : count(list.size()) {
    std::size_t at = 0;
    for (const Entry &entry : list)
      if (at < limit)
        operands[at++] = entry;
  }
  /// A single operand.
  template <class X>
    requires std::convertible_to<const X &, Entry>
  OperandList(const X &x) : count(1) {
    operands[0] = Entry(x);
  }
  std::size_t size() const { return count; }
  const Operand &operator[](std::size_t i) const { return operands[i]; }

private:
  Operand operands[limit];
  std::size_t count;
};
using Sources = OperandList<Source>;
using Targets = OperandList<Target>;

/// A number, or a [P, 1] tile with one number per partition. An integer stays
/// an integer: bitwise operators take it as it is.
struct ScalarOrTile {
  double number = 0;
  std::int64_t whole = 0;
  bool isInteger = false;
  dsl::ViewRef tile;
  template <std::floating_point F>
  ScalarOrTile(F number) : number(static_cast<double>(number)) {}
  template <std::integral I>
  ScalarOrTile(I number)
      : number(static_cast<double>(number)),
        whole(static_cast<std::int64_t>(number)), isInteger(true) {}
  template <dsl::TileLike X>
  ScalarOrTile(const X &x) : tile(x.viewOf(dsl::Where())) {}
};

/// Whether a product adds to the contents of PSUM: known, or decided for each
/// element while recording.
class Accumulate {
public:
  constexpr Accumulate(bool adds) : value(adds) {}
  /// The first product that writes an element after its buffer was declared
  /// overwrites it; the others add. NKI does this by default.
  static const Accumulate first_writes;
  constexpr operator std::int64_t() const { return value; }

private:
  struct FirstWrites {};
  constexpr explicit Accumulate(FirstWrites) : value(2) {}
  std::int64_t value;
};
inline constexpr Accumulate Accumulate::first_writes{Accumulate::FirstWrites{}};

/// Two integers: rows and columns of a tile of the PE array.
struct Pair {
  std::int64_t numbers[2];
  Pair(std::int64_t first, std::int64_t second) : numbers{first, second} {}
};

/// For each of the 32 lanes of a quadrant: the lane that it reads, or 255.
class Lanes {
public:
  Lanes(const std::array<int, 32> &lanes) {
    for (std::size_t i = 0; i < 32; ++i)
      numbers[i] = lanes[i];
  }
  const std::int64_t *data() const { return numbers; }

private:
  std::int64_t numbers[32];
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

/// Collects the operands of one instruction. Absent optional operands, and
/// those that equal their default, are not recorded.
class Call {
public:
  Call(const char *mnemonic, const dsl::Where &where)
      : mnemonic(mnemonic), where(where) {}

  Call &view(const char *name, const Operand &operand) {
    add(name, dsl::Field::view).operand = operand.view;
    return *this;
  }
  template <class T> Call &view(const char *name, const Optional<T> &operand) {
    return operand ? view(name, *operand) : *this;
  }
  template <class Entry>
  Call &view(const char *name, const OperandList<Entry> &operands) {
    if (operands.size() == 0 || operands.size() > Sources::limit)
      failList(name, operands.size(), Sources::limit);
    for (std::size_t i = 0; i < operands.size(); ++i)
      view(name, operands[i]);
    return *this;
  }

  Call &scalar(const char *name, const ScalarOrTile &operand) {
    return either(name, dsl::Field::column, operand);
  }
  Call &scalar(const char *name, const Optional<ScalarOrTile> &operand) {
    return operand ? scalar(name, *operand) : *this;
  }
  Call &scalar(const char *name, const ScalarOrTile &operand, double init) {
    const bool isTile = operand.tile.id != dsl::none;
    return isTile || operand.number != init ? scalar(name, operand) : *this;
  }
  Call &tileOrNumber(const char *name, const ScalarOrTile &operand) {
    return either(name, dsl::Field::view, operand);
  }

  template <class E> Call &choice(const char *name, E value) {
    add(name, dsl::Field::word).text = word(value);
    return *this;
  }
  template <class E> Call &choice(const char *name, E value, E init) {
    return value != init ? choice(name, value) : *this;
  }
  template <class E> Call &choice(const char *name, const Optional<E> &value) {
    return value ? choice(name, *value) : *this;
  }

  Call &number(const char *name, double value) {
    add(name, dsl::Field::number).real = value;
    return *this;
  }
  Call &number(const char *name, double value, double init) {
    return value != init ? number(name, value) : *this;
  }
  Call &integer(const char *name, std::int64_t value) {
    add(name, dsl::Field::integer).whole = value;
    return *this;
  }
  Call &integer(const char *name, std::int64_t value, std::int64_t init) {
    return value != init ? integer(name, value) : *this;
  }
  Call &integer(const char *name, const Optional<std::int32_t> &value) {
    return value ? integer(name, std::int64_t(*value)) : *this;
  }
  Call &index(const char *name, const Index &value) {
    add(name, dsl::Field::index).expression = value.value();
    return *this;
  }
  Call &index(const char *name, const Index &value, std::int64_t init) {
    const bool same = value.isConstant() && value.constantValue() == init;
    return same ? *this : index(name, value);
  }
  Call &pattern(const char *name, const Pattern &value) {
    return numbers(name, dsl::Field::pattern, value.data(), value.size());
  }
  Call &list(const char *name, const Lanes &value) {
    return numbers(name, dsl::Field::numbers, value.data(), 32);
  }
  Call &list(const char *name, const Optional<Pair> &value) {
    return value ? numbers(name, dsl::Field::numbers, value->numbers, 2)
                 : *this;
  }

  Call &list(const char *name, const RankLists &value) {
    if (value.size() > RankLists::limit)
      failList(name, value.size(), RankLists::limit);
    return numbers(name, dsl::Field::numbers, value.data(), value.size());
  }
  Call &list(const char *name, const Integers &value) {
    if (value.size() > Integers::limit)
      failList(name, value.size(), Integers::limit);
    return value.size() == 0
               ? *this
               : numbers(name, dsl::Field::numbers, value.data(), value.size());
  }

  /// Applies the instruction to tiles, 128 rows at a time; its destination is a
  /// tile.
  dsl::Id apply(isa::DType dtype, dsl::Recording::Extents shape) {
    return dsl::recording(where).apply(mnemonic, fields, count, dtype, shape,
                                       where);
  }
  Instruction record(std::string_view name) {
    return Instruction(dsl::recording(where).instruction(mnemonic, fields,
                                                         count, name, where));
  }

  /// The register that the instruction sets.
  Index readRegister() {
    return dsl::recording(where).readRegister(mnemonic, fields, count, where);
  }

private:
  dsl::Field &add(const char *name, dsl::Field::Kind kind) {
    dsl::Field &field = fields[count++];
    field.name = name;
    field.kind = kind;
    return field;
  }
  Call &either(const char *name, dsl::Field::Kind kind,
               const ScalarOrTile &operand) {
    if (operand.tile.id != dsl::none)
      add(name, kind).operand = operand.tile;
    else if (operand.isInteger)
      integer(name, operand.whole);
    else
      number(name, operand.number);
    return *this;
  }
  Call &numbers(const char *name, dsl::Field::Kind kind,
                const std::int64_t *list, std::size_t size) {
    dsl::Field &field = add(name, kind);
    field.list = list;
    field.count = size;
    return *this;
  }
  [[noreturn]] KILN_COLD void failList(const char *name, std::size_t size,
                                       std::size_t most) {
    dsl::failHere("KILN-A015", {"operand ", name, " has ", size, " entries"},
                  {"give one to ", most}, where);
  }

  const char *mnemonic;
  dsl::Field fields[3 * Sources::limit + 12];
  std::size_t count = 0;
  dsl::Where where;
};

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_CALL_H

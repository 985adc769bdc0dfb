//===- tile.h - Tiles, their views, buffers, assignment -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three types hold rows and columns on chip:
//  * Tile      the result of an operation, and a variable that you may assign;
//  * TileView  a window on a tile or buffer; it sees later assignments;
//  * Buffer    memory with an address, for the instruction level.
// Copying a Tile takes a snapshot; a copy of a Buffer names the same memory.
//
// Assignment. If you assign a tile in the loop body that declares it, the name
// then means the new tile: nothing is recorded. If you assign it in an inner
// loop, it is a variable carried from one iteration to the next: it becomes a
// buffer, declared and initialised where the tile was made.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_TILE_H
#define KILN_DSL_TILE_H

#include "kiln/dsl/tensor.h"

namespace kiln {

namespace dsl {

template <class Self> struct Arithmetic;

template <class X>
concept TileLike = requires { requires std::remove_cvref_t<X>::isTile; };

/// The right-hand side of an assignment to a Target: a tile of its shape, or a
/// number. The conversion checks the shapes and keeps the user's line.
template <class Target> struct Assigned : Source {
  Where where;

  template <TileLike X>
    requires(!std::same_as<std::remove_cvref_t<X>, Assigned>)
  Assigned(X &&tile, Where where = Where::current()) : where(where) {
    using Want = typename ShapeOf<typename Target::StaticShape>::AsWant;
    using Got =
        typename ShapeOf<typename std::remove_cvref_t<X>::StaticShape>::AsGot;
    static_assert(shapes_differ<Got, Want>::agree,
                  "kiln: an assigned tile must have the shape of the variable");
    view = tile.viewOf(where);
    if constexpr (!std::is_lvalue_reference_v<X> &&
                  requires { tile.temporaryId(); })
      temporary = tile.temporaryId();
  }
  Assigned(double value, Where where = Where::current()) : where(where) {
    number = value;
    isNumber = true;
  }
};

//===----------------------------------------------------------------------===//
// TileView
//===----------------------------------------------------------------------===//

/// A window on a tile or buffer. Assigning to it writes that part.
template <ElementType T, class S>
class TileView : public ViewMethods<TileView<T, S>>,
                 public Arithmetic<TileView<T, S>> {
public:
  using Element = T;
  using StaticShape = S;
  static constexpr bool isTile = true;

  explicit TileView(ViewRef view) : window(view) {}
  TileView(const TileView &) = default;
  template <class S2> static auto make(ViewRef view) {
    return TileView<T, S2>(view);
  }

  // Both would hide the assignment that carries the user's line.
  TileView &operator=(const TileView &)
    requires(!std::same_as<S, S>);
  TileView &operator=(TileView &&)
    requires(!std::same_as<S, S>);
  void operator=(const Assigned<TileView> &from) {
    recording(from.where).assignView(window, from, from.where);
  }

  ViewRef viewOf(const Where &) const { return window; }

private:
  ViewRef window;
};

//===----------------------------------------------------------------------===//
// Tile
//===----------------------------------------------------------------------===//

template <ElementType T, class S>
class TileOf : public ViewMethods<TileOf<T, S>>,
               public Arithmetic<TileOf<T, S>> {
public:
  using Element = T;
  using StaticShape = S;
  static constexpr bool isTile = true;

  static TileOf fromId(Id id) { return TileOf(id, Adopt{}); }
  template <class S2> static auto make(ViewRef view) {
    recording(Where()).markViewed(view);
    return TileView<T, S2>(view);
  }

  TileOf(const TileOf &other, Where where = Where::current())
      : id(recording(where).copied(other.id, where)) {}
  /// Takes the other's tile, except into an inner loop: a name declared there
  /// is new in each iteration.
  TileOf(TileOf &&other) : id(recording(Where()).moved(other.id)) {}

  // Both would hide the assignment that carries the user's line.
  TileOf &operator=(const TileOf &)
    requires(!std::same_as<S, S>);
  TileOf &operator=(TileOf &&)
    requires(!std::same_as<S, S>);
  void operator=(const Assigned<TileOf> &from) {
    id = recording(from.where).assignTile(id, from, from.where);
  }

  ViewRef viewOf(const Where &) const { return ViewRef::whole(id); }
  Id temporaryId() const { return id; }

  /// A name for messages, dumps and profiles.
  TileOf &name(std::string_view text) & {
    recording(Where()).setName(id, text);
    return *this;
  }
  TileOf &&name(std::string_view text) && {
    recording(Where()).setName(id, text);
    return std::move(*this);
  }

  /// For kiln/dsl/order.h: the operation that computes it.
  Id operation() const { return recording(Where()).operationOf(id); }
  /// It is computed when the most recent `earlier` before it is complete.
  template <class X>
  TileOf &after(const X &earlier, Where where = Where::current()) & {
    recording(where).orderAfter(operation(), earlier.operation(), where);
    return *this;
  }
  template <class X>
  TileOf &&after(const X &earlier, Where where = Where::current()) && {
    after(earlier, where);
    return std::move(*this);
  }
  /// For kiln/dsl/order.h: how urgent the operation is that computes it.
  TileOf &urgency(std::int64_t n, Where where = Where::current()) & {
    recording(where).setUrgency(operation(), n, where);
    return *this;
  }
  TileOf &&urgency(std::int64_t n, Where where = Where::current()) && {
    urgency(n, where);
    return std::move(*this);
  }

private:
  struct Adopt {};
  TileOf(Id id, Adopt) : id(id) {}
  Id id;
};

} // namespace dsl

/// A tile with its extents; -1 (kiln::dynamic) for those known only while
/// recording.
template <ElementType T, std::int64_t... Extents>
using Tile = dsl::TileOf<T, Shape<Extents...>>;

//===----------------------------------------------------------------------===//
// Buffer
//===----------------------------------------------------------------------===//

constexpr Placement at(std::int64_t partition, std::int64_t byte) {
  return {.partition = partition, .byte = byte};
}
constexpr Placement bank(std::int64_t n) { return {.bank = n}; }
template <std::int64_t N> inline constexpr Placement ring{.ring = N};

/// Memory on chip. Copies name the same memory; assignment writes it.
template <ElementType T, class S>
class Buffer : public dsl::ViewMethods<Buffer<T, S>>,
               public dsl::Arithmetic<Buffer<T, S>> {
public:
  using Element = T;
  using StaticShape = S;
  static constexpr bool isTile = true;

  explicit Buffer(dsl::Id id) : id(id) {}
  Buffer(const Buffer &) = default;
  template <class S2> static auto make(dsl::ViewRef view) {
    return dsl::TileView<T, S2>(view);
  }

  Buffer &operator=(const Buffer &)
    requires(!std::same_as<S, S>);
  Buffer &operator=(Buffer &&)
    requires(!std::same_as<S, S>);
  void operator=(const dsl::Assigned<Buffer> &from) {
    dsl::recording(from.where).assignView(viewOf(from.where), from, from.where);
  }

  dsl::ViewRef viewOf(const dsl::Where &) const {
    return dsl::ViewRef::whole(id);
  }
  Buffer &name(std::string_view text) {
    dsl::recording(dsl::Where()).setName(id, text);
    return *this;
  }

private:
  dsl::Id id;
};

namespace dsl {
template <ElementType T, Extent... E>
auto declared(isa::Space space, const Placement &place, const Where &where,
              const E &...extents) {
  return Buffer<T, ExtentShape<E...>>(recording(where).declare(
      space, T::dtype, {extentValue(extents)...}, place, where));
}
} // namespace dsl

/// Declares memory in SBUF or PSUM: sbuf<f32>(128_c, 512_c, at(0, 4096)).
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto sbuf(const R &rows, const C &cols, Placement place = {},
          dsl::Where where = dsl::Where::current()) {
  return dsl::declared<T>(isa::Space::sbuf, place, where, rows, cols);
}
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto psum(const R &rows, const C &cols, Placement place = {},
          dsl::Where where = dsl::Where::current()) {
  return dsl::declared<T>(isa::Space::psum, place, where, rows, cols);
}

/// With two dimensions of columns.
template <ElementType T, dsl::Extent R, dsl::Extent C, dsl::Extent D>
auto sbuf(const R &rows, const C &cols, const D &inner, Placement place = {},
          dsl::Where where = dsl::Where::current()) {
  return dsl::declared<T>(isa::Space::sbuf, place, where, rows, cols, inner);
}
template <ElementType T, dsl::Extent R, dsl::Extent C, dsl::Extent D>
auto psum(const R &rows, const C &cols, const D &inner, Placement place = {},
          dsl::Where where = dsl::Where::current()) {
  return dsl::declared<T>(isa::Space::psum, place, where, rows, cols, inner);
}

} // namespace kiln

#endif // KILN_DSL_TILE_H

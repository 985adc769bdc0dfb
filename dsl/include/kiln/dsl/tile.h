//===- tile.h - Tiles, their views, buffers, assignment -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three kinds of things hold rows and columns on chip:
//  * Tile      the result of an operation, and a variable one may assign;
//  * TileView  a window on a tile or buffer; it sees later assignments;
//  * Buffer    memory with an address, for the instruction level.
// Copying a Tile takes a snapshot; copying a Buffer names the same memory.
//
// Assignment. Where a tile is assigned in the loop body that declares it, the
// name simply means the new tile: nothing is recorded. Assigned in an inner
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

/// `view` as a value of type `dtype`.
inline View converted(View view, DType dtype, const Where &where) {
  if (view.dtype == dtype)
    return view;
  Recorder &recorder = Recorder::current(where);
  Op op;
  op.kind = OpKind::cast;
  const std::vector<std::int64_t> shape = view.sizes;
  op.operands.push_back(std::move(view));
  return recorder.whole(
      recorder.appendTile(std::move(op), dtype, shape, where));
}

/// What stands right of an assignment to a Target: a tile of its shape, or a
/// number. Converting to it checks the shapes and keeps the user's line.
template <class Target> struct Assigned {
  View view;
  Id temporary = none; ///< A tile nobody else can name.
  double number = 0;
  bool isNumber = false;
  Where where;

  template <TileLike X>
    requires(!std::same_as<std::remove_cvref_t<X>, Assigned>)
  Assigned(X &&tile, Where where = Where::current())
      : view(tile.viewOf(where)), where(where) {
    using Want = typename ShapeOf<typename Target::StaticShape>::AsWant;
    using Got =
        typename ShapeOf<typename std::remove_cvref_t<X>::StaticShape>::AsGot;
    static_assert(shapes_differ<Got, Want>::agree,
                  "kiln: assigned tile has another shape");
    if constexpr (!std::is_lvalue_reference_v<X> &&
                  requires { tile.temporaryId(); })
      temporary = tile.temporaryId();
  }
  Assigned(double number, Where where = Where::current())
      : number(number), isNumber(true), where(where) {}
};

/// The source of an assignment as a view of shape and type of `target`.
template <class Target>
View assignedView(const Assigned<Target> &from, const View &target) {
  if (from.isNumber) {
    Recorder &recorder = Recorder::current(from.where);
    Op op;
    op.kind = OpKind::fill;
    op.attributes["value"] = from.number;
    return recorder.whole(recorder.appendTile(std::move(op), target.dtype,
                                              target.sizes, from.where));
  }
  if (from.view.sizes != target.sizes)
    fail("KILN-A005",
         "a tile of shape " + shapeText(from.view.sizes) +
             " is assigned to a variable of shape " + shapeText(target.sizes),
         "give both the same shape", from.where);
  return converted(from.view, target.dtype, from.where);
}

inline void recordAssign(View target, View source, const Where &where) {
  Op op;
  op.kind = OpKind::assign;
  op.operands.push_back(std::move(target));
  op.operands.push_back(std::move(source));
  Recorder::current(where).append(std::move(op), where);
}

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

  explicit TileView(View view) : window(std::move(view)) {}
  TileView(const TileView &) = default;
  template <class S2> static auto make(View view) {
    return TileView<T, S2>(std::move(view));
  }

  // Both would hide the assignment that carries the user's line.
  TileView &operator=(const TileView &)
    requires(!std::same_as<S, S>);
  TileView &operator=(TileView &&)
    requires(!std::same_as<S, S>);
  void operator=(const Assigned<TileView> &from) {
    const View source = assignedView(from, window);
    Recorder::current(from.where).makeVariable(window.value);
    recordAssign(window, source, from.where);
  }

  std::int64_t dim(std::int64_t i, Where where = Where::current()) const {
    checkDim(window, i, where);
    return window.sizes[static_cast<std::size_t>(i)];
  }
  const View &viewOf(const Where &) const { return window; }

private:
  View window;
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
  template <class S2> static auto make(View view) {
    Recorder::current().markViewed(view.value);
    return TileView<T, S2>(std::move(view));
  }

  TileOf(const TileOf &other, Where where = Where::current())
      : id(Recorder::current(where).appendAlias(other.id, where)) {}
  /// Takes the other's tile, except into an inner loop: a name declared there
  /// is fresh in each iteration.
  TileOf(TileOf &&other)
      : id(Recorder::current().isLocal(other.id)
               ? other.id
               : Recorder::current().appendAlias(other.id, Where::current())) {}

  // Both would hide the assignment that carries the user's line.
  TileOf &operator=(const TileOf &)
    requires(!std::same_as<S, S>);
  TileOf &operator=(TileOf &&)
    requires(!std::same_as<S, S>);
  void operator=(const Assigned<TileOf> &from) {
    Recorder &recorder = Recorder::current(from.where);
    recorder.checkVisible(id, from.where);
    const View source = assignedView(from, recorder.whole(id));
    const bool sameBody = recorder.isLocal(id) && !recorder.isBuffer(id) &&
                          !recorder.isViewed(id);
    if (!sameBody) {
      recorder.makeVariable(id);
      recordAssign(recorder.whole(id), source, from.where);
    } else if (from.isNumber || source.value != from.view.value ||
               (source.value == from.temporary &&
                recorder.isLocal(source.value))) {
      id = source.value;
    } else if (source == recorder.whole(source.value)) {
      id = recorder.appendAlias(source.value, from.where);
    } else {
      Op op;
      op.kind = OpKind::copy;
      op.operands.push_back(source);
      id = recorder.appendTile(std::move(op), T::dtype, source.sizes,
                               from.where);
    }
  }

  std::int64_t dim(std::int64_t i, Where where = Where::current()) const {
    const View view = viewOf(where);
    checkDim(view, i, where);
    return view.sizes[static_cast<std::size_t>(i)];
  }
  View viewOf(const Where &where) const {
    return Recorder::current(where).whole(id);
  }
  Id temporaryId() const { return id; }

  /// A name for messages, dumps and profiles.
  TileOf &name(std::string text) & {
    Recorder::current().setName(id, std::move(text));
    return *this;
  }
  TileOf &&name(std::string text) && {
    Recorder::current().setName(id, std::move(text));
    return std::move(*this);
  }

private:
  struct Adopt {};
  TileOf(Id id, Adopt) : id(id) {}
  Id id;
};

} // namespace dsl

/// A tile with its extents; -1 (kiln::dynamic) where known only while
/// recording.
template <ElementType T, std::int64_t... Extents>
using Tile = dsl::TileOf<T, Shape<Extents...>>;

//===----------------------------------------------------------------------===//
// Buffer
//===----------------------------------------------------------------------===//

/// Where a buffer lives, if the user says so: at(partition, byte), bank(n),
/// ring<N>. A pinned buffer stays pinned, or compiling fails.
struct Placement {
  std::int64_t partition = -1, byte = -1, bank = -1, ring = -1;
};
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
  template <class S2> static auto make(dsl::View view) {
    return dsl::TileView<T, S2>(std::move(view));
  }

  Buffer &operator=(const Buffer &)
    requires(!std::same_as<S, S>);
  Buffer &operator=(Buffer &&)
    requires(!std::same_as<S, S>);
  void operator=(const dsl::Assigned<Buffer> &from) {
    const dsl::View target = viewOf(from.where);
    dsl::recordAssign(target, dsl::assignedView(from, target), from.where);
  }

  std::int64_t dim(std::int64_t i,
                   dsl::Where where = dsl::Where::current()) const {
    const dsl::View view = viewOf(where);
    dsl::checkDim(view, i, where);
    return view.sizes[static_cast<std::size_t>(i)];
  }
  dsl::View viewOf(const dsl::Where &where) const {
    return dsl::Recorder::current(where).whole(id);
  }
  Buffer &name(std::string text) {
    dsl::Recorder::current().setName(id, std::move(text));
    return *this;
  }

private:
  dsl::Id id;
};

namespace dsl {

inline Id declareBuffer(isa::Space space, DType dtype,
                        std::vector<std::int64_t> shape, const Placement &place,
                        const Where &where) {
  for (std::int64_t extent : shape)
    if (extent < 1)
      fail("KILN-A012",
           "a buffer has shape " + shapeText(shape) +
               "; every extent must be at least 1",
           "guard the call with a C++ if", where);
  if (place.partition != -1 && (place.partition < 0 || place.partition > 127 ||
                                place.partition + shape[0] > 128))
    fail("KILN-A014",
         "a buffer of " + std::to_string(shape[0]) +
             " rows is pinned to partition " + std::to_string(place.partition) +
             "; there are 128 partitions",
         "pin it lower, or give it fewer rows", where);
  if (place.byte < -1 ||
      (place.bank != -1 &&
       (place.bank < 0 || place.bank > 7 || space != isa::Space::psum)))
    fail("KILN-A014",
         "a buffer is pinned to byte " + std::to_string(place.byte) +
             ", bank " + std::to_string(place.bank),
         "PSUM has banks 0 to 7; SBUF is addressed by byte", where);
  Recorder &recorder = Recorder::current(where);
  Value value;
  value.kind = ValueKind::buffer;
  value.dtype = dtype;
  value.space = space;
  value.shape = std::move(shape);
  Op op;
  op.kind = OpKind::declare;
  op.result = recorder.addValue(std::move(value));
  const Id result = op.result;
  const auto set = [&op](const char *key, std::int64_t number) {
    if (number != -1)
      op.attributes[key] = number;
  };
  set("partition", place.partition);
  set("byte", place.byte);
  set("bank", place.bank);
  set("ring", place.ring);
  recorder.append(std::move(op), where);
  return result;
}

} // namespace dsl

/// Declares memory in SBUF or PSUM: sbuf<f32>(128_c, 512_c, at(0, 4096)).
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto sbuf(const R &rows, const C &cols, Placement place = {},
          dsl::Where where = dsl::Where::current()) {
  return Buffer<T, dsl::ExtentShape<R, C>>(dsl::declareBuffer(
      isa::Space::sbuf, T::dtype,
      {dsl::extentValue(rows), dsl::extentValue(cols)}, place, where));
}
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto psum(const R &rows, const C &cols, Placement place = {},
          dsl::Where where = dsl::Where::current()) {
  return Buffer<T, dsl::ExtentShape<R, C>>(dsl::declareBuffer(
      isa::Space::psum, T::dtype,
      {dsl::extentValue(rows), dsl::extentValue(cols)}, place, where));
}

} // namespace kiln

#endif // KILN_DSL_TILE_H

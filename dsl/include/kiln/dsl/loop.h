//===- loop.h - Recorded loops and scopes ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A C++ `for` unrolls; loop() is recorded once and stays a loop down to the
// instruction streams. Its body is called once, with the loop's value.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LOOP_H
#define KILN_DSL_LOOP_H

#include "kiln/dsl/index.h"

namespace kiln {

/// Names a part of the kernel in locations, traces and profiles.
class scope {
public:
  explicit scope(std::string_view name,
                 dsl::Where where = dsl::Where::current())
      : scope(name, {}, where) {}
  scope(std::string_view name, std::string_view suffix, const dsl::Where &where)
      : recorder(dsl::recording(where)) {
    recorder.openScope(name, suffix);
  }
  ~scope() { recorder.closeScope(); }
  scope(const scope &) = delete;
  scope &operator=(const scope &) = delete;

private:
  dsl::Recording &recorder;
};

namespace dsl {

/// The open body of a recorded loop; of one without trips, none. It does not
/// depend on what the body does, so that each body costs little code.
class LoopBody {
public:
  LoopBody(std::string_view name, const Index &begin, const Index &end,
           std::int64_t step, const Where &where) {
    if (begin.isConstant() && end.isConstant() &&
        end.constantValue() <= begin.constantValue())
      return;
    recorder = &recording(where);
    variable =
        recorder->openLoop(name, begin.value(), end.value(), step, where);
  }
  LoopBody(std::string_view name, const Index &trips, const Where &where)
      : LoopBody(name, 0, trips, 1, where) {}
  ~LoopBody() {
    if (recorder)
      recorder->closeLoop();
  }
  LoopBody(const LoopBody &) = delete;
  LoopBody &operator=(const LoopBody &) = delete;

  explicit operator bool() const { return recorder; }
  const Index &index() const { return variable; }

private:
  Recording *recorder = nullptr;
  Index variable = 0;
};

/// The blocks that tiles() covers an extent with, one after the other. Not a
/// template: a kernel file has many calls of tiles().
class Blocks {
public:
  Blocks(std::string_view name, std::int64_t extent, std::int64_t block,
         const Where &where)
      : name(name), where(where), block(block) {
    if (block < 1)
      failHere("KILN-A012",
               {"tiles \"", name, "\" have size <|", block,
                "|>; it must be [|at least 1|]"},
               "choose a positive block size", where);
    whole = extent / block;
    rest = extent % block;
  }
  ~Blocks() { close(); }
  Blocks(const Blocks &) = delete;
  Blocks &operator=(const Blocks &) = delete;

  /// Opens the loop over the whole blocks, then the scope of the rest; false if
  /// nothing is left.
  bool next() {
    close();
    if (whole > 0) {
      recorder = &recording(where);
      if (whole == 1)
        recorder->openScope(name);
      else
        first = Index(recorder->openLoop(name, Index(0).value(),
                                         Index(whole).value(), 1, where)) *
                block;
      open = whole == 1 ? Kind::scope : Kind::loop;
      covered = whole * block;
      length = block;
      whole = 0;
      return true;
    }
    if (rest <= 0)
      return false;
    recorder = &recording(where);
    recorder->openScope(name, " tail");
    open = Kind::scope;
    first = Index(covered);
    length = rest;
    rest = 0;
    return true;
  }
  const Index &start() const { return first; }
  std::int64_t size() const { return length; }
  bool isWhole() const { return length == block; }

private:
  enum class Kind : std::uint8_t { none, scope, loop };

  void close() {
    if (open == Kind::scope)
      recorder->closeScope();
    else if (open == Kind::loop)
      recorder->closeLoop();
    open = Kind::none;
  }

  std::string_view name;
  const Where &where;
  Recording *recorder = nullptr;
  std::int64_t block, whole = 0, rest = 0, covered = 0, length = 0;
  Index first = 0;
  Kind open = Kind::none;
};

} // namespace dsl

/// Records a loop over begin, begin + step, ... below end. A loop that cannot
/// have any trips is not recorded, and its body is not called.
template <class Body>
void loop(std::string_view name, const Index &begin, const Index &end,
          std::int64_t step, Body &&body,
          dsl::Where where = dsl::Where::current()) {
  if (dsl::LoopBody open(name, begin, end, step, where); open)
    body(open.index());
}
// Not in terms of the first: each body would be compiled into two functions.
template <class Body>
void loop(std::string_view name, const Index &begin, const Index &end,
          Body &&body, dsl::Where where = dsl::Where::current()) {
  if (dsl::LoopBody open(name, begin, end, 1, where); open)
    body(open.index());
}
template <class Body>
void loop(std::string_view name, const Index &trips, Body &&body,
          dsl::Where where = dsl::Where::current()) {
  if (dsl::LoopBody open(name, trips, where); open)
    body(open.index());
}

/// Covers 0 .. extent - 1 with blocks: body(begin, size) is recorded as a loop
/// over the full blocks and once more for a ragged tail, whose size is smaller.
template <dsl::Extent N, dsl::Extent B, class Body>
void tiles(std::string_view name, const N &extent, const B &block, Body &&body,
           dsl::Where where = dsl::Where::current()) {
  dsl::Blocks blocks(name, dsl::extentValue(extent), dsl::extentValue(block),
                     where);
  while (blocks.next()) {
    // A size that the types do not know is one type, that of the tail: the body
    // is compiled once for both.
    if constexpr (!std::is_integral_v<B>)
      if (blocks.isWhole()) {
        body(blocks.start(), block);
        continue;
      }
    body(blocks.start(), blocks.size());
  }
}

} // namespace kiln

#endif // KILN_DSL_LOOP_H

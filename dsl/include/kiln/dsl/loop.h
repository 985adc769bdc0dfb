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

/// The open body of a recorded loop.
class LoopBody {
public:
  LoopBody(std::string_view name, const Index &begin, const Index &end,
           std::int64_t step, const Where &where)
      : recorder(recording(where)),
        variable(
            recorder.openLoop(name, begin.value(), end.value(), step, where)) {}
  ~LoopBody() { recorder.closeLoop(); }
  LoopBody(const LoopBody &) = delete;
  LoopBody &operator=(const LoopBody &) = delete;

  const Index &index() const { return variable; }

private:
  Recording &recorder;
  Index variable;
};

inline bool hasNoTrips(const Index &begin, const Index &end) {
  return begin.isConstant() && end.isConstant() &&
         end.constantValue() <= begin.constantValue();
}

[[noreturn]] KILN_COLD inline void
failTileSize(std::string_view name, std::int64_t size, const Where &where) {
  failHere("KILN-A012",
           {"tiles \"", name, "\" have size ", size, "; it must be at least 1"},
           "choose a positive block size", where);
}

} // namespace dsl

/// Records a loop over begin, begin + step, ... below end. A loop that cannot
/// have any trips is not recorded, and its body is not called.
template <class Body>
void loop(std::string_view name, const Index &begin, const Index &end,
          std::int64_t step, Body &&body,
          dsl::Where where = dsl::Where::current()) {
  if (dsl::hasNoTrips(begin, end))
    return;
  dsl::LoopBody open(name, begin, end, step, where);
  body(open.index());
}
// Not in terms of the first: each body would be compiled into two functions.
template <class Body>
void loop(std::string_view name, const Index &begin, const Index &end,
          Body &&body, dsl::Where where = dsl::Where::current()) {
  if (dsl::hasNoTrips(begin, end))
    return;
  dsl::LoopBody open(name, begin, end, 1, where);
  body(open.index());
}
template <class Body>
void loop(std::string_view name, const Index &trips, Body &&body,
          dsl::Where where = dsl::Where::current()) {
  if (dsl::hasNoTrips(0, trips))
    return;
  dsl::LoopBody open(name, 0, trips, 1, where);
  body(open.index());
}

/// Covers 0 .. extent - 1 with blocks: body(begin, size) is recorded as a loop
/// over the full blocks and once more for a ragged tail, whose size is smaller.
template <dsl::Extent N, dsl::Extent B, class Body>
void tiles(std::string_view name, const N &extent, const B &block, Body &&body,
           dsl::Where where = dsl::Where::current()) {
  const std::int64_t n = dsl::extentValue(extent);
  const std::int64_t size = dsl::extentValue(block);
  if (size < 1)
    dsl::failTileSize(name, size, where);
  const std::int64_t full = n / size;
  // A size that the types do not know is one type, that of the tail: the body
  // is compiled once for both.
  const auto whole = [&] {
    if constexpr (std::is_integral_v<B>)
      return size;
    else
      return block;
  }();
  if (full == 1) {
    scope inner(name, where);
    body(Index(0), whole);
  } else if (full > 0) {
    dsl::LoopBody open(name, 0, full, 1, where);
    body(open.index() * size, whole);
  }
  if (n % size > 0) {
    scope inner(name, " tail", where);
    body(Index(full * size), n % size);
  }
}

} // namespace kiln

#endif // KILN_DSL_LOOP_H
